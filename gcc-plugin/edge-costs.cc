// SPDX-License-Identifier: GPL-3.0-or-later
// edge-costs.cc - see edge-costs.h.

#include "edge-costs.h"

// What is dearer is above; below it counts how often the edge is taken.
enum rank : uint64_t { NOTHING, ADDITION, TOKEN, ADDITION_AND_JUMP, TIME };

static uint64_t cost(enum rank rank, uint64_t taken)
{
    return static_cast<uint64_t>(rank) << 56 | taken;
}

static uint64_t times_taken(edge e)
{
    if (!e || !e->count().initialized_p())
        return 1;
    return static_cast<uint64_t>(e->count().to_frequency(cfun)) * 16 + 1;
}

static bool needs_block(edge e)
{
    return e && !single_succ_p(e->src) && !single_pred_p(e->dest);
}

bool weigh_edges(routine_graph &r, const std::vector<event_form> &forms)
{
    auto hot = [&](uint32_t v) {
        return v == r.graph->entry || v == r.graph->exit
               || forms[r.blocks[v].bb->index] != EVENT_CALL;
    };
    bool any_out_of_line = false;

    for (uint32_t i = 0; i < r.graph->n_edges; i++) {
        pn_edge &e = r.graph->edge[i];
        edge way = r.edges[i].e;
        uint64_t taken = times_taken(way);
        bool on_hot_way = hot(e.src) && hot(e.dst), block = needs_block(way);
        bool event_inline = r.blocks[e.src].ending == ENDING_NONE ? on_hot_way : hot(e.src);
        any_out_of_line |= !event_inline;
        e.end_weight = event_inline ? 0 : cost(TOKEN, taken);
        e.weight = e.dst == r.graph->exit ? e.end_weight
                   : on_hot_way ? cost(TIME, block ? 2 * taken : taken)
                   : cost(block ? ADDITION_AND_JUMP : ADDITION, taken);
    }
    return any_out_of_line;
}
