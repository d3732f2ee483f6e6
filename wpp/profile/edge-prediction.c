/* SPDX-License-Identifier: MIT */
#include "wpp/profile/edge-prediction.h"

#include <assert.h>
#include <stdlib.h>

struct flow_bounds flow_bounds_of(const struct wpp_edge *edges, const uint32_t *path, uint32_t n,
                                  const uint64_t *block, const uint64_t *edge)
{
    struct flow_bounds b = {block[0], block[0]};

    for (uint32_t i = 0; i < n; i++) {
        uint64_t others = block[edges[path[i]].src] - edge[path[i]];

        assert(block[edges[path[i]].src] >= edge[path[i]]);
        b.definite -= others < b.definite ? others : b.definite;
        b.potential = edge[path[i]] < b.potential ? edge[path[i]] : b.potential;
    }
    return b;
}

/* The edge profile of a routine. */
struct edge_profile {
    const struct wpp_routine *graph;
    uint64_t *block, *edge;
    uint64_t *most;            /* of each block: executions of the most frequent edge out of it */
};

static void take_edges(struct edge_profile *e, const struct path_profile *p, uint32_t routine)
{
    e->graph = wpp_routine(p->w, routine);
    path_profile_sum(p, routine, e->block, e->edge);
    e->block[0] = p->routine[routine].count;
    for (uint32_t b = 0; b < e->graph->n_blocks; b++)
        e->most[b] = 0;
    for (uint32_t i = 0; i < e->graph->n_edges; i++)
        if (e->edge[i] > e->most[e->graph->edges[i].src])
            e->most[e->graph->edges[i].src] = e->edge[i];
}

/* The first edge is where the path begins: it is given, not predicted. */
static struct predicted_path predict(const struct edge_profile *e, const struct wpp_terminal *t)
{
    struct predicted_path out = {
        .bounds = flow_bounds_of(e->graph->edges, t->edges, t->n_edges, e->block, e->edge)
    };

    for (uint32_t i = 1; i < t->n_edges; i++) {
        uint32_t src = e->graph->edges[t->edges[i]].src;

        if (e->edge[t->edges[i]] < e->most[src])
            return out;
        out.edges++;
        out.insns += e->graph->blocks[src].insns;
    }
    out.whole = true;
    out.insns = t->insns;
    return out;
}

static void add_path(struct prediction_sum *s, const struct profile_path *x,
                     const struct wpp_terminal *t, const struct predicted_path *predicted)
{
    double count = (double)x->count;

    s->paths++;
    s->count = profile_add(s->count, x->count);
    s->whole += predicted->whole;
    s->whole_count = profile_add(s->whole_count, predicted->whole ? x->count : 0);
    s->edges += count * (t->n_edges - 1);
    s->insns += count * (double)t->insns;
    s->predicted_edges += count * predicted->edges;
    s->predicted_insns += count * (double)predicted->insns;
    s->definite += (double)predicted->bounds.definite;
    if (t->n_edges - 1 > s->longest_edges)
        s->longest_edges = t->n_edges - 1;
    if (t->insns > s->longest_insns)
        s->longest_insns = t->insns;
}

static void predict_routine(struct edge_prediction *out, struct edge_profile *e, uint32_t routine)
{
    const struct profile_routine *r = &out->p->routine[routine];

    take_edges(e, out->p, routine);
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        const struct profile_path *x = &out->p->path[i];
        const struct wpp_terminal *t = wpp_terminal(out->p->w, x->terminal);

        /* What was left in the middle is no path, and nobody would have predicted it. */
        if (t->left)
            continue;
        out->path[i] = predict(e, t);
        add_path(&out->routine[routine], x, t, &out->path[i]);
        add_path(&out->all, x, t, &out->path[i]);
    }
}

/* Room for the largest routine. */
static bool make_room(struct edge_profile *e, const struct path_profile *p)
{
    size_t blocks = 1, edges = 1;

    for (uint32_t i = 0; i < p->n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(p->w, i);

        blocks = r->n_blocks > blocks ? r->n_blocks : blocks;
        edges = r->n_edges > edges ? r->n_edges : edges;
    }
    e->block = calloc(blocks, sizeof *e->block);
    e->edge = calloc(edges, sizeof *e->edge);
    e->most = calloc(blocks, sizeof *e->most);
    return e->block && e->edge && e->most;
}

bool edge_prediction_new(struct edge_prediction *out, const struct path_profile *p)
{
    struct edge_profile e = {0};
    bool ok;

    *out = (struct edge_prediction){
        .p = p, .path = calloc(p->n_paths + (size_t)1, sizeof *out->path),
        .routine = calloc(p->n_routines + (size_t)1, sizeof *out->routine)
    };
    ok = make_room(&e, p) && out->path && out->routine;
    for (uint32_t i = 0; ok && i < p->n_routines; i++)
        predict_routine(out, &e, i);
    free(e.block);
    free(e.edge);
    free(e.most);
    if (!ok)
        edge_prediction_free(out);
    return ok;
}

void edge_prediction_free(struct edge_prediction *e)
{
    free(e->path);
    free(e->routine);
    *e = (struct edge_prediction){0};
}
