// SPDX-License-Identifier: GPL-3.0-or-later
// apply-counts.cc - see apply-counts.h.

#include "gcc-plugin/use/apply-counts.h"

#include <algorithm>

#include "gcc-plugin/graph/tail-calls.h"

enum { ENTRY_VERTEX = 0, EXIT_VERTEX = 1 };

// GCC's numbers have a sign.
static gcov_type signed_count(uint64_t n)
{
    return static_cast<gcov_type>(std::min<uint64_t>(n, INT64_MAX));
}

void apply_summary(uint64_t runs, uint64_t most)
{
    compat_profile_info(static_cast<unsigned>(std::min<uint64_t>(runs, INT_MAX)), signed_count(most));
}

static uint64_t arc_count(const counted_routine &counts, uint32_t src, uint32_t dst)
{
    auto found = std::lower_bound(counts.arcs.begin(), counts.arcs.end(), std::make_pair(src, dst),
                                  [](const counted_arc &arc, const std::pair<uint32_t, uint32_t> &to) {
                                      return std::make_pair(arc.src, arc.dst) < to;
                                  });
    bool is = found != counts.arcs.end() && found->src == src && found->dst == dst;
    return is ? found->count : 0;
}

// What the block executed, less what is known of the other ways out.
static uint64_t left_over(const counted_routine &counts, uint32_t v)
{
    uint64_t known = 0;

    for (const counted_arc &arc : counts.arcs)
        if (arc.src == v)
            known += arc.count;
    return counts.blocks[v] > known ? counts.blocks[v] - known : 0;
}

// The weight of an edge, and whether by what it leads to.  Returns of the routine are no arcs.
static uint64_t weight(const counted_graph &r, const counted_routine &counts, edge e, bool by_target)
{
    uint32_t src = r.vertex[e->src->index], dst = r.vertex[e->dest->index];

    if (dst == EXIT_VERTEX)
        return left_over(counts, src);
    return by_target ? counts.blocks[dst] : arc_count(counts, src, dst);
}

static double total_weight(const counted_graph &r, const counted_routine &counts, basic_block bb,
                           bool by_target)
{
    double sum = 0;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs)
        sum += static_cast<double>(weight(r, counts, e, by_target));
    return sum;
}

// Without counts: ordinary ways are equally likely, exceptions and the like only if there are no
// others.
static void guess_probabilities(basic_block bb)
{
    unsigned ordinary = 0;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs)
        ordinary += !(e->flags & EDGE_COMPLEX);
    unsigned n = ordinary ? ordinary : EDGE_COUNT(bb->succs);
    FOR_EACH_EDGE (e, ei, bb->succs)
        e->probability = ordinary && (e->flags & EDGE_COMPLEX)
                             ? profile_probability::never()
                             : profile_probability::guessed_always().apply_scale(1, n);
}

// GCC multiplies both numbers: sums of more than 60 bits are scaled down.
static void set_probability(edge e, uint64_t part, double sum)
{
    double scale = sum > 1e15 ? 1e15 / sum : 1;
    gcov_type all = static_cast<gcov_type>(sum * scale + 0.5);
    gcov_type share = static_cast<gcov_type>(static_cast<double>(part) * scale + 0.5);

    e->probability = profile_probability::probability_in_gcov_type(std::min(share, all), all);
}

// An estimate: what no sample has seen may be executed still, if seldom.
static void set_estimate(edge e, uint64_t part, double sum, unsigned edges)
{
    double seldom = 1e-3, share = (static_cast<double>(part) / sum + seldom) / (1 + seldom * edges);
    enum { ALL = 1 << 20 };

    e->probability = profile_probability::probability_in_gcov_type(static_cast<gcov_type>(share * ALL), ALL).afdo();
}

static void set_probabilities(const counted_graph &r, const counted_routine &counts, uint32_t v, bool sampled)
{
    basic_block bb = r.blocks[v];
    bool by_target = false;
    edge e;
    edge_iterator ei;

    if (single_succ_p(bb)) {
        single_succ_edge(bb)->probability = profile_probability::always();
        return;
    }
    double sum = counts.blocks[v] ? total_weight(r, counts, bb, false) : 0;
    if (sum == 0 && counts.blocks[v]) {
        by_target = true;
        sum = total_weight(r, counts, bb, true);
    }
    if (sum == 0)
        return sampled ? void() : guess_probabilities(bb);
    FOR_EACH_EDGE (e, ei, bb->succs)
        if (sampled)
            set_estimate(e, weight(r, counts, e, by_target), sum, EDGE_COUNT(bb->succs));
        else
            set_probability(e, weight(r, counts, e, by_target), sum);
}

// A count of samples is an estimate: none is not never.
static profile_count count_of(uint64_t n, bool sampled)
{
    profile_count count = profile_count::from_gcov_type(signed_count(n));

    return sampled ? count.afdo() : count;
}

void apply_counts(const counted_graph &r, const counted_routine &counts, bool sampled)
{
    basic_block exit = EXIT_BLOCK_PTR_FOR_FN(r.fun);
    profile_count left = count_of(0, sampled);
    edge e;
    edge_iterator ei;

    for (uint32_t v = 0; v < r.blocks.size(); v++) {
        if (v == EXIT_VERTEX)
            continue;
        r.blocks[v]->count = count_of(counts.blocks[v], sampled);
        set_probabilities(r, counts, v, sampled);
        if (sampled && v != ENTRY_VERTEX)
            update_br_prob_note(r.blocks[v]);      // an instruction's own note of them, before the layout
    }
    FOR_EACH_EDGE (e, ei, exit->preds)
        left += e->count();
    exit->count = left;
    profile_status_for_fn(r.fun) = PROFILE_READ;
    compat_profile_is_full(r.fun);
    update_max_bb_count();
    cgraph_node::get(r.fun->decl)->count = ENTRY_BLOCK_PTR_FOR_FN(r.fun)->count;
    compute_function_frequency();
}

void apply_never(function *fun)
{
    basic_block bb;

    FOR_ALL_BB_FN (bb, fun)
        if (bb->count.initialized_p() && !(bb->count == profile_count::zero()))
            bb->count = bb->count.global0();
    cgraph_node::get(fun->decl)->count = ENTRY_BLOCK_PTR_FOR_FN(fun)->count;
    profile_status_for_fn(fun) = PROFILE_READ;
    update_max_bb_count();
    compute_function_frequency();
}
