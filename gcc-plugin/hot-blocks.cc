// SPDX-License-Identifier: GPL-3.0-or-later
// hot-blocks.cc - see hot-blocks.h.

#include "hot-blocks.h"

// Blocks that run at least once in so many calls of the routine are hot.  More of them cost
// text and less of them time: docs/experiments.md, *Where an event is inline*.
static const int SELDOM = 4;

// Whether the block ends with the switch of a loop.
static bool dispatches(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);

    return last && gimple_code(last) == GIMPLE_SWITCH && bb_loop_depth(bb) > 0;
}

// How often control goes over the edge when it is in its source.  Where a loop has a switch, as
// interpreters have, each case is seldom and all of them are what the program does: what is
// behind such an edge counts as if there were no other.
static double share(edge e)
{
    double share = e->probability.to_reg_br_prob_base() / double(REG_BR_PROB_BASE);

    if (dispatches(e->src))
        share *= EDGE_COUNT(e->src->succs);
    return share < 1 ? share : 1;
}

std::vector<bool> hot_blocks(function *fun, const std::vector<basic_block> &order)
{
    // Where GCC has a profile (-fprofile-use) it also knows routines that are seldom called.
    bool profile = profile_status_for_fn(fun) == PROFILE_READ;
    basic_block entry = ENTRY_BLOCK_PTR_FOR_FN(fun);
    bool small = optimize_function_for_size_p(fun);
    int seldom = small ? 1 : SELDOM;
    std::vector<double> often(last_basic_block_for_fn(fun));
    std::vector<bool> hot(last_basic_block_for_fn(fun));

    for (basic_block bb : order) {
        double &here = often[bb->index];
        edge e;
        edge_iterator ei;
        if (!bb->count.initialized_p() || !entry->count.initialized_p()) {
            hot[bb->index] = true;
            continue;
        }
        here = bb->count.to_frequency(fun);
        // No less than the ways in say: passes before may have left a count too low.
        if (!profile && !small)
            FOR_EACH_EDGE (e, ei, bb->preds)
                if (e->probability.initialized_p())
                    here = std::max(here, often[e->src->index] * share(e));
        hot[bb->index] = here * seldom >= entry->count.to_frequency(fun)
                         && (!profile || maybe_hot_bb_p(fun, bb));
    }
    return hot;
}
