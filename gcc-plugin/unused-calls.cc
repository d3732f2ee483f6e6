// SPDX-License-Identifier: GPL-3.0-or-later
// unused-calls.cc - calls that GCC never makes.

#include "unused-calls.h"

#include "tail-calls.h"

// The expander's condition, and that of the removal of dead code behind it, which leaves tail
// calls alone.
static bool is_never_made(gcall *call)
{
    if (gimple_call_internal_p(call) || gimple_call_lhs(call) || gimple_call_noreturn_p(call)
        || gimple_has_side_effects(call))
        return false;
    return !stmt_could_throw_p(cfun, call)
           || (optimize > 0 && cfun->can_delete_dead_exceptions && !is_marked_tail_call(call));
}

// An empty statement keeps the call's line.
static void drop(gimple_stmt_iterator *at)
{
    gimple *call = gsi_stmt(*at), *nop = gimple_build_nop();

    unlink_stmt_vdef(call);
    release_defs(call);
    gimple_set_location(nop, gimple_location(call));
    gsi_replace(at, nop, true);
}

void drop_unused_calls(function *fun)
{
    auto_bitmap changed;
    basic_block bb;

    FOR_EACH_BB_FN (bb, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
            gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
            if (!call || !is_never_made(call))
                continue;
            drop(&at);
            bitmap_set_bit(changed, bb->index);
        }
    if (bitmap_empty_p(changed))
        return;
    calculate_dominance_info(CDI_DOMINATORS);     // handlers that only they led to go, too
    gimple_purge_all_dead_eh_edges(changed);
    maybe_remove_unreachable_handlers();
}
