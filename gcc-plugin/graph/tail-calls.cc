// SPDX-License-Identifier: GPL-3.0-or-later
// tail-calls.cc - calls that leave the routine as if by a jump.

#include "gcc-plugin/graph/tail-calls.h"

#include <utility>
#include <vector>

#include "gcc-plugin/graph/path-ends.h"

// From split_for_paths() on, while a routine is handled, a statement's flag GF_PLF_2 marks a
// call that GCC may make a tail call later.
bool is_tail_call(gcall *call)
{
    return is_marked_tail_call(call) || gimple_plf(call, GF_PLF_2);
}

/* ---- Calls that may become tail calls ---------------------------------------- */

// Whether GCC may make any tail call here: while the callee runs, no variable of the routine's
// own may be in use.
static bool may_make_tail_calls(function *fun)
{
    unsigned i;
    tree var;

    if (!flag_optimize_sibling_calls || fun->calls_alloca || fun->calls_setjmp
        || fun->has_nonlocal_label)
        return false;
    for (var = DECL_ARGUMENTS(fun->decl); var; var = DECL_CHAIN(var))
        if (TREE_ADDRESSABLE(var))
            return false;
    FOR_EACH_LOCAL_DECL(fun, i, var)
        if (VAR_P(var) && auto_var_in_fn_p(var, fun->decl) && TREE_ADDRESSABLE(var))
            return false;
    return true;
}

// Whether a statement makes no code, in a routine without variables in memory.
static bool is_no_code(gimple *statement)
{
    switch (gimple_code(statement)) {
    case GIMPLE_LABEL: case GIMPLE_NOP: case GIMPLE_PREDICT: case GIMPLE_DEBUG: return true;
    default: return gimple_clobber_p(statement);
    }
}

// Whether the routine only returns the call's value behind the call, on a way without a branch.
static bool returns_at_once(gcall *call)
{
    tree value = gimple_call_lhs(call);
    gimple_stmt_iterator at = gsi_for_stmt(call);
    basic_block bb = gimple_bb(call);

    gsi_next(&at);
    for (int blocks = 0; blocks < 8; blocks++) {
        for (; !gsi_end_p(at); gsi_next(&at)) {
            greturn *ret = dyn_cast<greturn *>(gsi_stmt(at));
            if (ret)
                return gimple_return_retval(ret) == value;
            if (value && gimple_assign_ssa_name_copy_p(gsi_stmt(at))
                && gimple_assign_rhs1(gsi_stmt(at)) == value)
                value = gimple_assign_lhs(gsi_stmt(at));
            else if (!is_no_code(gsi_stmt(at)))
                return false;
        }
        if (!single_succ_p(bb) || (single_succ_edge(bb)->flags & EDGE_COMPLEX))
            return false;
        edge e = single_succ_edge(bb);
        bb = e->dest;
        for (gphi_iterator phi = gsi_start_phis(bb); !gsi_end_p(phi); gsi_next(&phi))
            if (value && PHI_ARG_DEF_FROM_EDGE(phi.phi(), e) == value) {
                value = PHI_RESULT(phi.phi());
                break;
            }
        at = gsi_start_bb(bb);
    }
    return false;
}

void find_tail_calls(function *fun, bool early)
{
    basic_block bb;
    bool any = early && may_make_tail_calls(fun);

    FOR_EACH_BB_FN (bb, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
            gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
            tree value = call ? gimple_call_lhs(call) : NULL_TREE;
            if (call)
                gimple_set_plf(call, GF_PLF_2,
                               any && ends_path(call)
                               && !(gimple_call_flags(call) & (ECF_NORETURN | ECF_RETURNS_TWICE))
                               && !stmt_can_throw_internal(fun, call)
                               && (!value || TREE_CODE(value) == SSA_NAME)
                               && returns_at_once(call));
        }
}

/* ---- Returns of their own ---------------------------------------------------- */

// Follows blocks with one successor from e to a return.  False: there is none.  *shared is the
// first edge on the way into a block with other predecessors, or NULL; *value is the value
// returned on this way.
static bool return_ahead(edge e, edge *shared, tree *value)
{
    std::vector<edge> way = {e};
    gimple *last;

    *shared = NULL;
    for (;; way.push_back(single_succ_edge(way.back()->dest))) {
        basic_block bb = way.back()->dest;
        if (bb == EXIT_BLOCK_PTR_FOR_FN(cfun) || way.size() > 16)
            return false;
        if (!*shared && !single_pred_p(bb))
            *shared = way.back();
        last = compat_last_stmt(bb);
        if (last && gimple_code(last) == GIMPLE_RETURN)
            break;
        if (!single_succ_p(bb))
            return false;
    }
    *value = gimple_return_retval(as_a<greturn *>(last));
    for (; *value && TREE_CODE(*value) == SSA_NAME && !way.empty(); way.pop_back()) {
        gimple *def = SSA_NAME_DEF_STMT(*value);
        while (gimple_assign_ssa_name_copy_p(def) && gimple_bb(def) == way.back()->dest) {
            *value = gimple_assign_rhs1(def);
            def = SSA_NAME_DEF_STMT(*value);
        }
        if (gimple_code(def) == GIMPLE_PHI && gimple_bb(def) == way.back()->dest)
            *value = PHI_ARG_DEF_FROM_EDGE(def, way.back());
        if (way.back() == *shared)
            break;
    }
    return true;
}

// What own_return() has changed: the block with the new return, the block where it led before, and
// the arguments of that block's PHI nodes.
struct own_return_block {
    basic_block own, shared;
    std::vector<std::pair<tree, location_t>> arguments;
};

static std::vector<own_return_block> own_returns;

static own_return_block describe_way(edge e)
{
    own_return_block out = {e->src, e->dest, {}};

    for (gphi_iterator phi = gsi_start_phis(e->dest); !gsi_end_p(phi); gsi_next(&phi))
        out.arguments.push_back({PHI_ARG_DEF_FROM_EDGE(phi.phi(), e),
                                 gimple_phi_arg_location_from_edge(phi.phi(), e)});
    return out;
}

// Gives a tail call a return that no other way shares.  GCC may find out later that a call, even
// a marked one, cannot be a tail call.  Then the code behind it runs, and must not emit a second
// event.
void own_return(basic_block bb)
{
    gcall *call = safe_dyn_cast<gcall *>(compat_last_stmt(bb));
    edge shared;
    tree value = NULL_TREE;

    if (!call || !is_tail_call(call) || !single_succ_p(bb)
        || !return_ahead(single_succ_edge(bb), &shared, &value) || !shared)
        return;
    basic_block own = split_edge(shared);
    gimple_stmt_iterator at = gsi_start_bb(own);
    greturn *ret = gimple_build_return(value);
    gimple_set_location(ret, gimple_location(call));
    gsi_insert_after(&at, ret, GSI_NEW_STMT);
    own_returns.push_back(describe_way(single_succ_edge(own)));
    remove_edge(single_succ_edge(own));
    make_single_succ_edge(own, EXIT_BLOCK_PTR_FOR_FN(cfun), 0);
}

void forget_own_returns()
{
    own_returns.clear();
}

// The blocks on the way to the shared return are executed more often then.
static void share_return(const own_return_block &way)
{
    gimple_stmt_iterator at = gsi_last_bb(way.own);
    size_t i = 0;

    gsi_remove(&at, true);
    remove_edge(single_succ_edge(way.own));
    edge e = make_single_succ_edge(way.own, way.shared, EDGE_FALLTHRU);
    for (gphi_iterator phi = gsi_start_phis(way.shared); !gsi_end_p(phi); gsi_next(&phi), i++)
        add_phi_arg(phi.phi(), way.arguments[i].first, e, way.arguments[i].second);
    for (basic_block bb = way.shared; bb != EXIT_BLOCK_PTR_FOR_FN(cfun); bb = single_succ(bb))
        if (bb->count.initialized_p() && way.own->count.initialized_p())
            bb->count += way.own->count;
}

void share_own_returns()
{
    for (; !own_returns.empty(); own_returns.pop_back())
        share_return(own_returns.back());
}

/* ---- Landing pads of marked calls ----------------------------------------------- */

// Whether every exception of the block lands at a pad that only ends variables and throws on to
// the caller.
static bool pad_does_nothing(basic_block bb)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs) {
        if (!(e->flags & EDGE_COMPLEX))
            continue;
        for (gimple_stmt_iterator at = gsi_start_nondebug_after_labels_bb(e->dest);
             !gsi_end_p(at); gsi_next_nondebug(&at)) {
            gimple *statement = gsi_stmt(at);
            if (!gimple_clobber_p(statement)
                && !(gimple_code(statement) == GIMPLE_RESX
                     && stmt_can_throw_external(cfun, statement)))
                return false;
        }
        if (!(e->flags & EDGE_EH) || EDGE_COUNT(e->dest->succs) > 0)
            return false;
    }
    return true;
}

// Removes a marked call's landing pad if the pad does nothing; else the call loses its mark.  A
// call with a landing pad cannot be a tail call, and GCC relies on marked ones.  A coroutine's
// marked continuation has a pad only until GCC finds that it does nothing; with events on it,
// GCC would not find that.
void free_marked_call(basic_block bb)
{
    gcall *call = safe_dyn_cast<gcall *>(compat_last_stmt(bb));

    if (!call || !gimple_call_tail_p(call) || !any_complex(bb->succs))
        return;
    if (is_marked_tail_call(call) && pad_does_nothing(bb)) {
        calculate_dominance_info(CDI_DOMINATORS);     // a pad of this call alone is removed, too
        remove_stmt_from_eh_lp(call);
        gimple_purge_dead_eh_edges(bb);
        maybe_remove_unreachable_handlers();
    } else {
        gimple_call_set_tail(call, false);
    }
}
