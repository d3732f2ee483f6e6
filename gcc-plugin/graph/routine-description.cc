// SPDX-License-Identifier: GPL-3.0-or-later
// routine-description.cc - a routine's graph, lines and path ends for the path table.

#include "gcc-plugin/graph/routine-description.h"

#include <algorithm>

#include "gcc-plugin/graph/inlined.h"
#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/symbol.h"

// Adds a line to a block.  A line shared by several inlined functions belongs to the first.
static void add_line(table_block &block, unit_table &unit, inlined_calls &inlined,
                     location_t where)
{
    int line = LOCATION_LINE(where);
    table_line entry = {unit.intern_file(LOCATION_FILE(where)),
                        static_cast<uint32_t>(line > 0 ? line : 1), inlined.at(where)};
    if (block.lines.empty() || block.lines.back().file != entry.file
        || block.lines.back().line != entry.line)
        block.lines.push_back(entry);
}

// The cost of one execution of a statement: its size.  A switch costs only a jump or a few
// comparisons; its size is that of all cases, twice their number.
static unsigned cost_of(gimple *statement)
{
    return estimate_num_insns(statement, gimple_code(statement) == GIMPLE_SWITCH
                                             ? &eni_time_weights : &eni_size_weights);
}

// Gives lines to blocks as GCC's own coverage does: the routine's line to its first block, the
// statements' lines in order, then that of a goto that the graph has swallowed.
static table_block describe_block(const routine_graph &r, uint32_t v, unit_table &unit,
                                  inlined_calls &inlined,
                                  hash_set<location_t, false, location_hash> &seen)
{
    table_block out;
    basic_block bb = r.blocks[v].bb;
    location_t where = DECL_SOURCE_LOCATION(r.fun->decl);

    if (bb == r.first && !compat_no_location(where)) {
        seen.add(compat_known_location(where));
        add_line(out, unit, inlined, where);
    }
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        where = gimple_location(statement);
        if (is_gimple_debug(statement))
            continue;
        out.insns += cost_of(statement);
        if (compat_no_location(where))
            continue;
        seen.add(compat_known_location(where));
        add_line(out, unit, inlined, where);
    }
    // Behind a call that may not come back, such a goto has a block of its own.
    gimple *last = compat_last_stmt(bb);
    if (single_succ_p(bb) && !(last && coverage_splits(last))) {
        where = single_succ_edge(bb)->goto_locus;
        if (!compat_no_location(where) && !seen.contains(compat_known_location(where)))
            add_line(out, unit, inlined, where);
    }
    return out;
}

static uint32_t end_kind(const routine_graph &r, const pn_edge &edge)
{
    if (r.blocks[edge.src].ending == ENDING_CALL)
        return TABLE_END_CALL;
    if (edge.flags & PN_CUT)
        return TABLE_END_JUMP;
    return edge.limited ? TABLE_END_LIMIT : TABLE_END_BACK;
}

// 1 + the block where execution goes on behind the END edge for CFG edge `edge`.  A shared END
// has several successors: it is the only one that is not abnormal.
static uint32_t goes_on(const routine_graph &r, const pn_edge &edge)
{
    uint32_t to = 0;

    if (!(edge.flags & PN_SHARED_END))
        return edge.dst + 1;
    for (uint32_t other : r.out[edge.src]) {
        if (r.edges[other].e->flags & EDGE_COMPLEX)
            continue;
        if (to != 0)
            return 0;
        to = r.graph->edge[other].dst + 1;
    }
    return to;
}

static table_edge describe_edge(const routine_graph &r, const pn_dag_edge &dag)
{
    table_edge out = {dag.src, dag.dst, dag.val, TABLE_REAL, 0};

    if (dag.kind == PN_START) {
        out.kind = TABLE_START;
    } else if (dag.kind == PN_END) {
        const pn_edge &edge = r.graph->edge[dag.edge];
        out.kind = end_kind(r, edge);
        out.to = goes_on(r, edge);
    } else if (!r.edges[dag.edge].e && r.blocks[dag.src].ending != ENDING_TAIL_CALL) {
        out.kind = TABLE_END_STOP;
    }
    return out;
}

// Describes where exceptions of a block land in this routine.
static void describe_landings(const routine_graph &r, uint32_t v, table_routine &out)
{
    size_t first = out.landings.size();

    for (uint32_t edge : r.out[v])
        if (r.edges[edge].e && (r.edges[edge].e->flags & EDGE_EH))
            out.landings.push_back({v, r.graph->edge[edge].dst});
    std::sort(out.landings.begin() + first, out.landings.end(),
              [](const table_landing &a, const table_landing &b) { return a.dst < b.dst; });
}

// Whether GCC made the routine and it is not in the source.  GCC's coverage does not count the
// lines of such routines.
static bool artificial(tree decl)
{
    return DECL_ARTIFICIAL(decl) && !DECL_FUNCTION_VERSIONED(decl) && !DECL_LAMBDA_FUNCTION_P(decl);
}

table_routine describe_routine(const routine_graph &r, unit_table &unit)
{
    table_routine out;
    tree decl = r.fun->decl;
    hash_set<location_t, false, location_hash> seen;
    inlined_calls inlined(decl, unit);

    out.name = unit.intern(symbol_of(decl));
    out.file = unit.intern_file(DECL_SOURCE_FILE(decl));
    out.line = DECL_SOURCE_LINE(decl);
    out.flags = (r.graph->n_limited ? TABLE_LIMITED : 0) | (r.nonlocal ? TABLE_NONLOCAL : 0)
                | (r.numbered() ? TABLE_NUMBERED : 0) | (artificial(decl) ? TABLE_ARTIFICIAL : 0);
    out.num_paths = r.graph->num_paths;
    out.blocks.resize(r.blocks.size());
    for (uint32_t v = 2; v < r.blocks.size(); v++) {
        out.blocks[v] = describe_block(r, v, unit, inlined, seen);
        describe_landings(r, v, out);
    }
    out.inlined = inlined.calls();
    for (uint32_t i = 0; i < r.graph->n_dag; i++)
        out.edges.push_back(describe_edge(r, r.graph->dag[i]));
    return out;
}
