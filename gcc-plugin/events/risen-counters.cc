// SPDX-License-Identifier: GPL-3.0-or-later
// risen-counters.cc - see risen-counters.h.

#include "gcc-plugin/events/risen-counters.h"

#include <map>
#include <vector>

// With more ways, the code would grow without need.
static const unsigned MOST_WAYS = 32;

bool needs_counts(gimple *statement)
{
    if (gcall *call = dyn_cast<gcall *>(statement)) {
        tree callee = gimple_call_fndecl(call);
        return !gimple_call_internal_p(call)
               && !(callee && fndecl_built_in_p(callee) && is_inexpensive_builtin(callee));
    }
    return gimple_has_volatile_ops(statement) || gimple_code(statement) == GIMPLE_ASM
           || gimple_code(statement) == GIMPLE_RETURN || gimple_code(statement) == GIMPLE_RESX
           || gimple_code(statement) == GIMPLE_TRANSACTION || stmt_could_throw_p(cfun, statement);
}

// Whether nothing between the block's begin and the statement (NULL: the end) needs counts.
static bool is_quiet(basic_block bb, gimple *until)
{
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        if (gsi_stmt(at) == until)
            return true;
        if (!is_gimple_debug(gsi_stmt(at)) && needs_counts(gsi_stmt(at)))
            return false;
    }
    return true;
}

// The PHI that gives an event its number, if each way through the PHI's block comes to the event,
// with nothing on it that needs counts.  Otherwise NULL.
static gphi *phi_of(basic_block bb, const planned_event &event)
{
    gphi *phi = event.name ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(event.name)) : NULL;

    if (!phi || !has_zero_uses(event.name) || gimple_phi_num_args(phi) > MOST_WAYS)
        return NULL;
    gimple *until = event.before;
    for (int steps = 0; bb != gimple_bb(phi); steps++) {
        if (!is_quiet(bb, until) || !single_pred_p(bb) || steps > 8)
            return NULL;
        bb = single_pred(bb);
        until = NULL;
        if (!single_succ_p(bb))
            return NULL;
    }
    return is_quiet(bb, until) ? phi : NULL;
}

static bool can_split_all(gphi *phi)
{
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
        if (gimple_phi_arg_edge(phi, i)->flags & EDGE_COMPLEX)
            return false;
    return true;
}

// The number of events of each name.
typedef std::map<tree, int> name_uses;

// Puts the event on each way into the PHI's block.
static void raise_event(event_plan &plan, name_uses &uses, basic_block bb, gphi *phi)
{
    int64_t number = plan[bb->index].number;
    std::vector<std::pair<edge, tree>> values;    // in an order that is the same in each compilation

    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
        values.push_back({gimple_phi_arg_edge(phi, i), gimple_phi_arg_def(phi, i)});
    plan.erase(bb->index);
    gimple_stmt_iterator at = gsi_for_stmt(phi);
    remove_phi_node(&at, true);
    for (const auto &value : values) {
        basic_block on = split_edge(value.first);
        bool is_constant = TREE_CODE(value.second) == INTEGER_CST;
        tree name = is_constant ? NULL_TREE : value.second;
        plan[on->index] = {NULL, name, number + (is_constant ? tree_to_shwi(value.second) : 0)};
        uses[name]++;
    }
}

void raise_counters(function *fun, event_plan &plan)
{
    name_uses uses;
    basic_block bb;
    bool changed = true;

    for (const auto &event : plan)
        uses[event.second.name]++;
    while (changed) {
        changed = false;
        FOR_EACH_BB_FN (bb, fun) {
            auto found = plan.find(bb->index);
            gphi *phi = found == plan.end() || uses[found->second.name] > 1
                        ? NULL : phi_of(bb, found->second);
            if (!phi || !can_split_all(phi))
                continue;
            raise_event(plan, uses, bb, phi);
            changed = true;
        }
    }
}
