// SPDX-License-Identifier: GPL-3.0-or-later
// block-splits.cc - splits blocks where paths need it.

#include "gcc-plugin/graph/block-splits.h"

#include <vector>

#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/tail-calls.h"

// Whether a block is split after the statement.  It is split where GCC's coverage splits, so
// that lines fall into the same blocks (docs/decisions/0018), and where a path ends.
static bool splits_block(gimple *statement)
{
    gcall *call = dyn_cast<gcall *>(statement);
    return coverage_splits(statement) || (call && (call_cuts(call) || is_tail_call(call)));
}

// The first statement after which the block is to be split, or NULL.
static gimple *split_point(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (statement == last)
            return NULL;
        if (!is_gimple_debug(statement) && splits_block(statement))
            return statement;
    }
    return NULL;
}

static void split_after_calls(basic_block bb)
{
    while (gimple *statement = split_point(bb))
        bb = split_block(bb, statement)->dest;
}

static void split_before_trap(basic_block bb)
{
    gimple *trap = trap_in(bb);

    if (!trap || begins_with_trap(bb))
        return;
    gimple_stmt_iterator at = gsi_for_stmt(trap);
    gsi_prev(&at);
    split_block(bb, gsi_stmt(at));
}

// Puts an empty block on an edge whose jump has its own source line, if the edge leaves a branch
// or a call that may not come back.  The block takes the line, as in the coverage graph.
static void split_lined_edges(basic_block bb)
{
    std::vector<edge> lined;
    gimple *last = NULL;
    edge e;
    edge_iterator ei;

    for (gimple_stmt_iterator at = gsi_last_nondebug_bb(bb); !gsi_end_p(at);
         gsi_prev_nondebug(&at)) {
        last = gsi_stmt(at);
        if (!compat_no_location(gimple_location(last)))
            break;
    }
    if (!last || !gimple_has_location(last)
        || (single_succ_p(bb) && !coverage_splits(compat_last_stmt(bb))))
        return;
    FOR_EACH_EDGE (e, ei, bb->succs)
        if (!(e->flags & EDGE_COMPLEX) && !compat_no_location(e->goto_locus)
            && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun)
            && (LOCATION_LINE(e->goto_locus) != gimple_lineno(last)
                || LOCATION_FILE(e->goto_locus) != gimple_filename(last)))
            lined.push_back(e);
    for (edge split : lined) {
        location_t where = split->goto_locus;
        basic_block empty = split_edge(split);
        single_succ_edge(empty)->goto_locus = where;
    }
}

basic_block split_for_paths(function *fun, bool early, bool own_entry)
{
    basic_block bb;
    std::vector<basic_block> blocks;
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
    basic_block first = entry->dest;

    // A first block that is also entered abnormally, or traps, begins paths of its own: the
    // routine's entry is kept apart from it.
    if (any_complex(entry->dest->preds) || begins_with_trap(entry->dest)
        || (own_entry && !single_pred_p(entry->dest)))
        split_edge(entry);
    find_tail_calls(fun, early);
    forget_own_returns();
    FOR_EACH_BB_FN (bb, fun)
        free_marked_call(bb);
    FOR_EACH_BB_FN (bb, fun)
        blocks.push_back(bb);
    for (basic_block block : blocks)
        split_after_calls(block);
    blocks.clear();
    FOR_EACH_BB_FN (bb, fun)
        blocks.push_back(bb);
    for (basic_block block : blocks) {
        split_lined_edges(block);
        own_return(block);
        split_before_trap(block);
    }
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
    return first;
}
