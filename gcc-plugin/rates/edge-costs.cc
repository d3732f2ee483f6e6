// SPDX-License-Identifier: GPL-3.0-or-later
// edge-costs.cc - see edge-costs.h.

#include "gcc-plugin/rates/edge-costs.h"

// The rank decides first; within a rank, the number of times that the edge is taken.
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

static uint64_t times_run(basic_block bb)
{
    return bb->count.initialized_p() ? static_cast<uint64_t>(bb->count.to_frequency(cfun)) * 16 + 1
                                     : 1;
}

static bool needs_block(edge e)
{
    return e && !single_succ_p(e->src) && !single_pred_p(e->dest);
}

static bool hot(const routine_graph &r, const std::vector<event_form> &forms, uint32_t v)
{
    return v == r.graph->entry || v == r.graph->exit
           || forms[r.blocks[v].bb->index] > EVENT_COLD_THUNK;
}

static bool on_hot_way(const routine_graph &r, const std::vector<event_form> &forms,
                       const pn_edge &e)
{
    return hot(r, forms, e.src) && hot(r, forms, e.dst);
}

// Whether the event of a path that ends on the edge takes its token without the unit's base.
// The event may be written in the block before the edge.
static bool event_calls(const routine_graph &r, const std::vector<event_form> &forms,
                        const pn_edge &e)
{
    return r.blocks[e.src].ending == ENDING_NONE
           ? !on_hot_way(r, forms, e) : forms[r.blocks[e.src].bb->index] <= EVENT_THUNK;
}

void weigh_edges(routine_graph &r, const std::vector<event_form> &forms)
{
    bool small = optimize_function_for_size_p(r.fun);

    for (uint32_t i = 0; i < r.graph->n_edges; i++) {
        pn_edge &e = r.graph->edge[i];
        edge way = r.edges[i].e;
        uint64_t taken = times_taken(way);
        bool block = needs_block(way);
        e.end_weight = event_calls(r, forms, e) ? cost(TOKEN, taken) : 0;
        e.weight = e.dst == r.graph->exit ? e.end_weight
                   : !small && on_hot_way(r, forms, e) ? cost(TIME, block ? 2 * taken : taken)
                   : cost(block ? ADDITION_AND_JUMP : ADDITION, taken);
    }
}

void weigh_counted_edges(routine_graph &r)
{
    for (uint32_t i = 0; i < r.graph->n_edges; i++) {
        pn_edge &e = r.graph->edge[i];
        edge way = r.edges[i].e;
        uint64_t taken = way ? times_taken(way) : times_run(r.blocks[e.src].bb);
        bool ends = e.dst == r.graph->exit;

        e.weight = ends && !r.cuts_all ? 0 : needs_block(way) ? 2 * taken : taken;
        e.end_weight = r.cuts_all ? e.weight : 0;
    }
}

bool some_event_calls(const routine_graph &r, const std::vector<event_form> &forms)
{
    for (uint32_t i = 0; i < r.graph->n_edges; i++) {
        const pn_edge &e = r.graph->edge[i];
        enum ending ending = r.blocks[e.src].ending;
        bool ends = (e.cut || e.dst == r.graph->exit) && e.dag != PN_NONE
                    && ending != ENDING_GOTO && ending != ENDING_SILENT;
        if (ends && event_calls(r, forms, e))
            return true;
    }
    return false;
}
