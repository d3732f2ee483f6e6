// SPDX-License-Identifier: GPL-3.0-or-later
// routine-graph.cc - converts GCC's control-flow graph to a plain one.

#include "gcc-plugin/graph/routine-graph.h"

#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/tail-calls.h"

/* ---- Ends of blocks ------------------------------------------------------------ */

static bool only_statement(basic_block bb, gimple *statement)
{
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
        if (gsi_stmt(at) != statement && !is_gimple_debug(gsi_stmt(at))
            && gimple_code(gsi_stmt(at)) != GIMPLE_LABEL)
            return false;
    return true;
}

static enum ending ending_of(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);
    gcall *call = last ? dyn_cast<gcall *>(last) : NULL;

    if (call && gimple_call_internal_p(call, IFN_ABNORMAL_DISPATCHER))
        return ENDING_SILENT;
    if (call && is_tail_call(call))
        return ENDING_TAIL_CALL;
    if (call && call_cuts(call))
        return ENDING_CALL;
    if (last && computed_goto_p(last) && only_statement(bb, last)
        && single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)) != bb)
        return ENDING_GOTO;
    if (any_complex(bb->succs))
        return ENDING_JUMP;
    if (last && gimple_code(last) == GIMPLE_RETURN)
        return ENDING_RETURN;
    return EDGE_COUNT(bb->succs) == 0 ? ENDING_STOP : ENDING_NONE;
}

/* ---- The graph --------------------------------------------------------------- */

enum { ENTRY_VERTEX = 0, EXIT_VERTEX = 1 };

static bool has_nonlocal_label(basic_block bb)
{
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        glabel *label = dyn_cast<glabel *>(gsi_stmt(at));
        if (!label)
            return false;
        if (DECL_NONLOCAL(gimple_label_label(label)))
            return true;
    }
    return false;
}

// Whether the block begins with a call that returns twice, and its only complex ways in are
// those by which GCC has it return again.  No code can be put on these ways, but they are never
// taken: control comes back behind the call.
static bool returns_twice_at(basic_block bb)
{
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);
    bool abnormal = false;
    edge e;
    edge_iterator ei;

    if (gsi_end_p(first) || !is_gimple_call(gsi_stmt(first))
        || !(gimple_call_flags(gsi_stmt(first)) & ECF_RETURNS_TWICE) || has_nonlocal_label(bb))
        return false;
    FOR_EACH_EDGE (e, ei, bb->preds) {
        gimple *last = compat_last_stmt(e->src);
        if ((e->flags & EDGE_EH) || (last && computed_goto_p(last)))
            return false;
        abnormal |= (e->flags & EDGE_COMPLEX) != 0;
    }
    return abnormal;
}

static bool add_edge(routine_graph &r, uint32_t src, uint32_t dst, edge e, uint32_t flags)
{
    uint32_t index = pn_add_edge(r.graph, src, dst, 0, flags);
    if (index == PN_NONE)
        return false;
    r.edges.push_back({e});
    r.out[src].push_back(index);
    r.in[dst].push_back(index);
    return true;
}

// Adds the edges out of one block.  A tail call, a stop and a call that never returns go
// straight to EXIT.
static bool add_out_edges(routine_graph &r, uint32_t v)
{
    graph_block &b = r.blocks[v];
    bool in_block = b.ending == ENDING_CALL || b.ending == ENDING_JUMP
                    || b.ending == ENDING_GOTO || b.ending == ENDING_SILENT;
    edge e;
    edge_iterator ei;

    if (b.ending == ENDING_TAIL_CALL || EDGE_COUNT(b.bb->succs) == 0)
        return add_edge(r, v, EXIT_VERTEX, NULL, 0);
    FOR_EACH_EDGE (e, ei, b.bb->succs) {
        uint32_t dst = r.vertex[e->dest->index];
        uint32_t flags = 0;
        if (dst == EXIT_VERTEX)
            flags = 0;
        else if (in_block)
            flags = PN_CUT | PN_SHARED_END;
        else if (r.blocks[dst].fresh || r.cuts_all)
            flags = PN_CUT;
        if (!add_edge(r, v, dst, e, flags))
            return false;
    }
    return true;
}

static void find_arrivals(routine_graph &r, uint32_t v)
{
    basic_block bb = r.blocks[v].bb;
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);
    gimple *last = compat_last_stmt(bb);

    if (!gsi_end_p(first) && gimple_call_builtin_p(gsi_stmt(first), BUILT_IN_SETJMP_RECEIVER))
        r.receivers.push_back(gsi_stmt(first));
    else if (has_nonlocal_label(bb))
        r.labels.push_back(v);
    if (last && is_gimple_call(last) && (gimple_call_flags(last) & ECF_RETURNS_TWICE))
        r.twice.push_back(v);
}

std::unique_ptr<bool[]> open_vertices(const routine_graph &r)
{
    std::unique_ptr<bool[]> open(new bool[r.blocks.size()]());

    for (uint32_t v = 2; v < r.blocks.size(); v++)
        open[v] = r.blocks[v].fresh || any_complex(r.blocks[v].bb->preds)
                  || r.blocks[v].ending == ENDING_GOTO || r.blocks[v].ending == ENDING_SILENT;
    /* A call that returns twice is counted once. */
    for (uint32_t v : r.twice)
        for (uint32_t edge : r.out[v])
            open[r.graph->edge[edge].dst] = true;
    return open;
}

bool build_graph(function *fun, routine_graph &r)
{
    basic_block bb;

    r.fun = fun;
    r.blocks = {{ENTRY_BLOCK_PTR_FOR_FN(fun), ENDING_NONE, false, false},
                {EXIT_BLOCK_PTR_FOR_FN(fun), ENDING_NONE, false, false}};
    r.vertex.assign(last_basic_block_for_fn(fun), -1);
    r.vertex[ENTRY_BLOCK] = ENTRY_VERTEX;
    r.vertex[EXIT_BLOCK] = EXIT_VERTEX;
    FOR_EACH_BB_FN (bb, fun) {
        enum ending ending = ending_of(bb);
        bool complex_in = any_complex(bb->preds);
        r.vertex[bb->index] = r.blocks.size();
        bool fresh = complex_in || ending == ENDING_GOTO || begins_with_trap(bb);
        r.blocks.push_back({bb, ending, fresh, returns_twice_at(bb)});
        find_arrivals(r, r.blocks.size() - 1);
        r.nonlocal |= complex_in && ending != ENDING_SILENT;
    }
    r.graph = pn_new(r.blocks.size(), ENTRY_VERTEX, EXIT_VERTEX);
    if (!r.graph)
        return false;
    r.in.resize(r.blocks.size());
    r.out.resize(r.blocks.size());
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
    if (!add_edge(r, ENTRY_VERTEX, r.vertex[entry->dest->index], entry, 0))
        return false;
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        if (!add_out_edges(r, v))
            return false;
    return true;
}
