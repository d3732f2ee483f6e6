// SPDX-License-Identifier: GPL-3.0-or-later
// unused-calls.cc - calls that GCC never makes.

#include "gcc-plugin/graph/unused-calls.h"

#include "gcc-plugin/graph/path-ends.h"

// Whether a value is returned in memory, or the caller copies an argument there: behind
// expansion such a call is no longer const or pure.
static bool passes_memory(gcall *call)
{
    tree type = gimple_call_fntype(call), fndecl = gimple_call_fndecl(call);

    if (aggregate_value_p(TREE_TYPE(type), fndecl ? fndecl : type))
        return true;
    for (unsigned i = 0; i < gimple_call_num_args(call); i++)
        if (pass_by_reference(NULL, function_arg_info(TREE_TYPE(gimple_call_arg(call, i)), true)))
            return true;
    return false;
}

// Whether GCC removes the call if it is dead and may throw.  GCC does so in GIMPLE behind the
// early stage, and in RTL, but there not for tail calls.
static bool is_removed_when_dead(gcall *call, bool early)
{
    if (!cfun->can_delete_dead_exceptions)
        return false;
    if (early && optimize > 0 && flag_tree_dce)
        return true;
    return optimize > 1 && flag_dce && !is_marked_tail_call(call) && !passes_memory(call);
}

static bool is_never_made(gcall *call, bool early)
{
    if (gimple_call_internal_p(call) || gimple_call_lhs(call) || gimple_call_noreturn_p(call)
        || gimple_has_side_effects(call))
        return false;
    return !compat_is_expanded(call) || is_removed_when_dead(call, early);
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

bool drop_unused_calls(function *fun, bool early)
{
    auto_bitmap changed;
    basic_block bb;

    FOR_EACH_BB_FN (bb, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
            gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
            if (!call || !is_never_made(call, early))
                continue;
            drop(&at);
            bitmap_set_bit(changed, bb->index);
        }
    if (bitmap_empty_p(changed))
        return false;
    calculate_dominance_info(CDI_DOMINATORS);     // handlers of only these calls are removed,
                                                  // too
    gimple_purge_all_dead_eh_edges(changed);
    maybe_remove_unreachable_handlers();
    return true;
}
