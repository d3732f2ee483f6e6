// SPDX-License-Identifier: GPL-3.0-or-later
// hot-blocks.cc - see hot-blocks.h.

#include "gcc-plugin/rates/hot-blocks.h"

// A block that runs at least once in SELDOM calls of the routine is hot.  A larger number costs
// text, a smaller one time: docs/experiments.md, *Where an event is inline*.
static const double SELDOM = 4;

// The extra cost of an event out of line, with a jump over the runtime's call, and in a thunk,
// in GCC's units (a simple statement is 1).  NOT_NOTICED: a share of a routine's time that is
// not noticed.
static const double CALL_COST = 10, JUMP_COST = 4, THUNK_COST = 1, NOT_NOTICED = 0.01;

// Whether the block ends with a switch inside a loop.
static bool dispatches(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);

    return last && gimple_code(last) == GIMPLE_SWITCH && bb_loop_depth(bb) > 0;
}

// The probability of the edge, given its source.  In a loop with a switch, as interpreters have,
// each case is seldom, but all cases together are most of the program's work.  So each edge of
// such a switch counts as if it were the only one.
static double share(edge e)
{
    double share = e->probability.to_reg_br_prob_base() / double(REG_BR_PROB_BASE);

    if (dispatches(e->src))
        share *= EDGE_COUNT(e->src->succs);
    return share < 1 ? share : 1;
}

// GCC's own estimate, without special treatment of switches.
static double plain_rate(function *fun, basic_block bb)
{
    profile_count entry = ENTRY_BLOCK_PTR_FOR_FN(fun)->count;

    return bb->count.initialized_p() && entry.initialized_p()
           ? bb->count.to_sreal_scale(entry).to_double() : -1;
}

// The estimated time of the routine's own instructions in one call.
static double routine_time(function *fun, const std::vector<basic_block> &order)
{
    double time = 0;

    for (basic_block bb : order) {
        int statements = 0;
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
            if (!is_gimple_debug(gsi_stmt(at)))
                statements += estimate_num_insns(gsi_stmt(at), &eni_time_weights);
        time += statements * std::max(plain_rate(fun, bb), 0.0);
    }
    return time;
}

std::vector<basic_block> blocks_in_order(function *fun)
{
    std::vector<int> rpo(n_basic_blocks_for_fn(fun));
    std::vector<basic_block> order;
    int n = pre_and_rev_post_order_compute_fn(fun, NULL, rpo.data(), false);

    for (int i = 0; i < n; i++)
        order.push_back(BASIC_BLOCK_FOR_FN(fun, rpo[i]));
    return order;
}

std::vector<double> block_rates(function *fun, const std::vector<basic_block> &order)
{
    std::vector<double> rates(last_basic_block_for_fn(fun), -1);

    for (basic_block bb : order) {
        double &here = rates[bb->index];
        edge e;
        edge_iterator ei;
        here = plain_rate(fun, bb);
        // At least the largest rate of the edges into it: earlier passes may have left a count
        // too low.
        if (here >= 0 && profile_status_for_fn(fun) != PROFILE_READ
            && !optimize_function_for_size_p(fun))
            FOR_EACH_EDGE (e, ei, bb->preds)
                if (e->probability.initialized_p())
                    here = std::max(here, rates[e->src->index] * share(e));
    }
    return rates;
}

// True for main, constructors, and routines that only these call outside of loops.
static bool runs_once(function *fun)
{
    cgraph_node *node = cgraph_node::get(fun->decl);

    return node && node->frequency == NODE_FREQUENCY_EXECUTED_ONCE;
}

std::vector<event_form> event_forms(function *fun, const std::vector<basic_block> &order,
                                    double called)
{
    // With a profile (-fprofile-use) GCC also knows which routines are seldom called.
    bool profile = profile_status_for_fn(fun) == PROFILE_READ;
    bool small = optimize_function_for_size_p(fun), once = runs_once(fun);
    double enough = small ? 1 : profile ? 1 / SELDOM : 1 / (SELDOM * called);
    double unnoticed = routine_time(fun, order) * NOT_NOTICED;
    std::vector<double> rates = block_rates(fun, order);
    std::vector<event_form> forms(rates.size(), EVENT_INLINE);

    for (basic_block bb : order) {
        double rate = rates[bb->index];
        // A loop may be longer than GCC thinks: then a call is expensive, but a jump never is.
        bool may_call = !small && !profile && bb_loop_depth(bb) == 0;
        bool noticed = !(once && rate <= 1) && rate * CALL_COST >= unnoticed;
        if (rate < 0)
            continue;
        if (rate < enough || (may_call && !noticed) || (profile && !maybe_hot_bb_p(fun, bb)))
            forms[bb->index] = EVENT_CALL;
        else if (small || rate * JUMP_COST < unnoticed)
            forms[bb->index] = EVENT_JUMP;
        else if (rate * THUNK_COST < unnoticed)
            forms[bb->index] = EVENT_THUNK;
    }
    return forms;
}
