// SPDX-License-Identifier: GPL-3.0-or-later
// loop-counters.cc - see loop-counters.h.

#include "gcc-plugin/events/loop-counters.h"

#include <algorithm>
#include <map>
#include <set>

#include "gcc-plugin/events/risen-counters.h"
#include "gcc-plugin/rates/hot-blocks.h"

// More of them would not find registers.
static const size_t MOST_COUNTERS = 3;

struct inner_loop {
    basic_block header;
    std::set<basic_block> body;
    std::vector<basic_block> order;       // the same, topologically without the edges to the header
    std::vector<edge> exits;

    bool has(basic_block bb) const { return body.count(bb) != 0; }
};

static bool is_simple(basic_block bb)
{
    edge e;
    edge_iterator ei;

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
        if (!is_gimple_debug(gsi_stmt(at)) && needs_counts(gsi_stmt(at)))
            return false;
    FOR_EACH_EDGE (e, ei, bb->succs)
        if (e->flags & EDGE_COMPLEX)
            return false;
    FOR_EACH_EDGE (e, ei, bb->preds)
        if (e->flags & EDGE_COMPLEX)
            return false;
    return true;
}

// Adds the blocks from which the latch is reached without the header.
static void add_body(inner_loop &loop, basic_block latch)
{
    std::vector<basic_block> waiting = {latch};
    edge e;
    edge_iterator ei;

    loop.body.insert(loop.header);
    while (!waiting.empty()) {
        basic_block bb = waiting.back();
        waiting.pop_back();
        if (!loop.body.insert(bb).second)
            continue;
        FOR_EACH_EDGE (e, ei, bb->preds)
            waiting.push_back(e->src);
    }
}

// Whether the loop is entered at its header only, has no loop in it and only simple blocks; sets
// its exits and the order of its blocks.  place: of each block in reverse post-order; -1: it is not
// reached.
static bool is_innermost(inner_loop &loop, const std::vector<int> &place)
{
    edge e;
    edge_iterator ei;

    loop.order.assign(loop.body.begin(), loop.body.end());
    std::sort(loop.order.begin(), loop.order.end(), [&place](basic_block a, basic_block b) {
        return place[a->index] < place[b->index];
    });
    if (loop.order.front() != loop.header)
        return false;
    for (basic_block bb : loop.order) {
        if (!is_simple(bb))
            return false;
        FOR_EACH_EDGE (e, ei, bb->preds)
            if (bb != loop.header
                && (!loop.has(e->src) || place[e->src->index] >= place[bb->index]))
                return false;
        FOR_EACH_EDGE (e, ei, bb->succs)
            if (!loop.has(e->dest))
                loop.exits.push_back(e);
    }
    return true;
}

static std::vector<inner_loop> inner_loops(function *fun)
{
    std::vector<basic_block> order = blocks_in_order(fun);
    std::vector<int> place(last_basic_block_for_fn(fun), -1);
    std::vector<inner_loop> loops;
    edge e;
    edge_iterator ei;

    for (size_t i = 0; i < order.size(); i++)
        place[order[i]->index] = i;
    for (basic_block header : order) {
        inner_loop loop = {header, {}, {}, {}};
        FOR_EACH_EDGE (e, ei, header->preds)
            if (place[e->src->index] >= place[header->index])
                add_body(loop, e->src);
        if (!loop.body.empty() && is_innermost(loop, place))
            loops.push_back(loop);
    }
    return loops;
}

/* ---- One counter ------------------------------------------------------------------- */

struct register_counter {
    const inner_loop &loop;
    std::map<int, tree> value;            // at the end of each block

    tree along(edge e) const
    {
        return loop.has(e->src) ? value.at(e->src->index) : build_zero_cst(uint64_type_node);
    }
    tree merge(basic_block bb);
    void count(basic_block bb, event_plan &plan);
};

// The sum at the start of a block behind the header.
tree register_counter::merge(basic_block bb)
{
    tree common = along(EDGE_PRED(bb, 0));
    bool equal = true;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->preds)
        equal = equal && along(e) == common;
    if (equal)
        return common;
    tree name = make_ssa_name(uint64_type_node);
    gphi *phi = create_phi_node(name, bb);
    FOR_EACH_EDGE (e, ei, bb->preds)
        add_phi_arg(phi, along(e), e, UNKNOWN_LOCATION);
    return name;
}

// Adds 1 at the block's event, which leaves the plan.
void register_counter::count(basic_block bb, event_plan &plan)
{
    auto found = plan.find(bb->index);
    tree sum = make_ssa_name(uint64_type_node);
    gimple *add = gimple_build_assign(sum, PLUS_EXPR, value[bb->index],
                                      build_one_cst(uint64_type_node));
    gimple *before = found->second.before;
    gimple_stmt_iterator at = before ? gsi_for_stmt(before) : gsi_last_bb(bb);
    if (before)
        gsi_insert_before(&at, add, GSI_SAME_STMT);
    else
        gsi_insert_after(&at, add, GSI_NEW_STMT);
    value[bb->index] = sum;
    plan.erase(found);
}

// Moves the events of some of the loop's blocks into one register.
static void move_events(const inner_loop &loop, event_plan &plan, const std::set<int> &blocks,
                        loop_counter &out)
{
    register_counter counter = {loop, {}};
    tree start = make_ssa_name(uint64_type_node);
    gphi *phi = create_phi_node(start, loop.header);
    edge e;
    edge_iterator ei;

    for (basic_block bb : loop.order) {
        counter.value[bb->index] = bb == loop.header ? start : counter.merge(bb);
        if (blocks.count(bb->index))
            counter.count(bb, plan);
    }
    FOR_EACH_EDGE (e, ei, loop.header->preds)
        add_phi_arg(phi, counter.along(e), e, UNKNOWN_LOCATION);
    for (edge exit : loop.exits)
        if (!integer_zerop(counter.along(exit)))
            out.sums.push_back({exit, counter.along(exit)});
}

// The blocks of the loop's events whose numbers are constants, by number.
static std::map<int64_t, std::set<int>> constant_events(const inner_loop &loop,
                                                        const event_plan &plan)
{
    std::map<int64_t, std::set<int>> numbers;

    for (basic_block bb : loop.order) {
        auto found = plan.find(bb->index);
        if (found != plan.end() && !found->second.name)
            numbers[found->second.number].insert(bb->index);
    }
    return numbers;
}

// The only edge into the header from within the loop, or from outside; NULL if there are several.
static edge only_way_in(const inner_loop &loop, bool within)
{
    edge e, only = NULL;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, loop.header->preds) {
        if (loop.has(e->src) != within)
            continue;
        if (only)
            return NULL;
        only = e;
    }
    return only;
}

// Moves the event at the end of each turn, if its number differs only between the first turn and
// the others.  False: it is not so.
static bool move_last_event(const inner_loop &loop, event_plan &plan, loop_counter &out)
{
    edge back = only_way_in(loop, true), in = only_way_in(loop, false);
    auto found = back ? plan.find(back->src->index) : plan.end();

    if (!in || found == plan.end() || !found->second.name || !single_succ_p(back->src))
        return false;
    gphi *phi = dyn_cast<gphi *>(SSA_NAME_DEF_STMT(found->second.name));
    if (!phi || gimple_bb(phi) != loop.header)
        return false;
    tree again = PHI_ARG_DEF_FROM_EDGE(phi, back);
    if (TREE_CODE(again) != INTEGER_CST)
        return false;
    out.first = PHI_ARG_DEF_FROM_EDGE(phi, in);
    out.first_number = found->second.number;
    out.number = found->second.number + tree_to_shwi(again);
    move_events(loop, plan, {back->src->index}, out);
    return true;
}

std::vector<loop_counter> count_in_registers(function *fun, event_plan &plan)
{
    std::vector<loop_counter> out;

    for (const inner_loop &loop : inner_loops(fun)) {
        std::map<int64_t, std::set<int>> numbers = constant_events(loop, plan);
        loop_counter last = {0, NULL_TREE, 0, {}};
        if (numbers.size() > MOST_COUNTERS)
            continue;
        for (const auto &number : numbers) {
            out.push_back({number.first, NULL_TREE, 0, {}});
            move_events(loop, plan, number.second, out.back());
        }
        if (move_last_event(loop, plan, last))
            out.push_back(last);
    }
    return out;
}
