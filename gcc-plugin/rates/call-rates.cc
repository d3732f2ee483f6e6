// SPDX-License-Identifier: GPL-3.0-or-later
// call-rates.cc - see call-rates.h.

#include "gcc-plugin/rates/call-rates.h"

#include "gcc-plugin/rates/hot-blocks.h"

// How often the call runs in one call of its routine.  An inlined routine still has a node of
// its own, but its statements are those of the routine that it is a copy of.
double call_rates::of_call(cgraph_edge *call) const
{
    auto found = blocks.find(call->call_stmt ? gimple_bb(call->call_stmt) : NULL);

    return found != blocks.end() ? found->second : call->sreal_frequency().to_double();
}

void call_rates::add_calls(cgraph_node *caller, double rate, rate_map &incoming) const
{
    for (cgraph_edge *call = caller->callees; call; call = call->next_callee) {
        double there = std::min(rate * of_call(call), 1.0);
        if (!call->inline_failed)
            add_calls(call->callee, there, incoming);
        else
            incoming[DECL_UID(call->callee->function_symbol()->decl)] += there;
    }
}

void call_rates::weigh_blocks()
{
    cgraph_node *node;

    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node) {
        // With -flto GCC would read the body later.
        if (node->lto_file_data)
            node->get_untransformed_body();
        function *fun = DECL_STRUCT_FUNCTION(node->decl);
        if (!fun || !fun->cfg)
            continue;
        std::vector<basic_block> order = blocks_in_order(fun);
        std::vector<double> often = block_rates(fun, order);
        for (basic_block bb : order)
            if (often[bb->index] >= 0)
                blocks[bb] = often[bb->index];
    }
}

void call_rates::estimate()
{
    rate_map incoming;

    weigh_blocks();                       // reads bodies, which may add routines
    std::vector<cgraph_node *> order(symtab->cgraph_count);
    // Callers come first.  In a cycle of calls the closing call counts nothing: its callee's
    // rate is already settled.
    order.resize(ipa_reverse_postorder(order.data()));
    for (cgraph_node *routine : order) {
        if (routine->inlined_to || routine->alias)
            continue;
        // The order ignores calls through another name.
        bool by_others = !routine->only_called_directly_p() || routine->has_aliases_p();
        double rate = by_others ? 1 : std::min(incoming[DECL_UID(routine->decl)], 1.0);
        rates[DECL_UID(routine->decl)] = rate;
        add_calls(routine, rate, incoming);
    }
    blocks.clear();
}

double call_rates::of(function *fun) const
{
    auto found = rates.find(DECL_UID(fun->decl));

    return found != rates.end() ? found->second : 1;
}
