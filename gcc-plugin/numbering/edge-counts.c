/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edge-counts.c - see edge-counts.h.
 *
 * The tree spans the vertices that are not open, and one more, the root: all open vertices, ENTRY
 * and EXIT are this one, since what flows through it is not known.  A path is an edge of this
 * graph: from its vertex to the vertex where control goes on.
 */
#include "gcc-plugin/numbering/edge-counts.h"

#include <assert.h>

#include "gcc-plugin/numbering/numbering-internal.h"

/* A path as an edge of the graph. */
struct flow_edge {
    uint64_t path, weight;
    uint32_t src, dst;        /* the root is g->exit */
    bool tree;
};

struct spanning {
    const struct pn_graph *g;
    uint32_t *group;          /* union-find over the vertices */
    uint64_t *start;          /* by vertex: the Val of the edge by which paths begin there */
    uint32_t *shared;         /* by vertex: edges that share its END edge */
    bool *open;
    struct flow_edge *edge;
    uint32_t n_edges;
    uint32_t *first, *at;     /* the tree's edges at v: at[first[v] .. first[v + 1]) */
};

static uint32_t group_of(struct spanning *s, uint32_t v)
{
    while (s->group[v] != v) {
        s->group[v] = s->group[s->group[v]];
        v = s->group[v];
    }
    return v;
}

static uint32_t with_root(const struct spanning *s, uint32_t v)
{
    return s->open[v] ? s->g->exit : v;
}

/* Where control goes on behind a path that ends with this edge. */
static uint32_t goes_on(const struct spanning *s, const struct pn_dag_edge *d)
{
    if (d->dst == s->g->exit && d->kind == PN_REAL)
        return s->g->exit;
    if ((s->g->edge[d->edge].flags & PN_SHARED_END) && s->shared[d->src] > 1)
        return s->g->exit;
    return with_root(s, s->g->edge[d->edge].dst);
}

static void find_open(struct spanning *s, const bool *open)
{
    const struct pn_graph *g = s->g;

    for (uint32_t i = 0; i < g->n_edges; i++)
        if (g->edge[i].dag != PN_NONE && (g->edge[i].flags & PN_SHARED_END))
            s->shared[g->edge[i].src]++;
    for (uint32_t v = 0; v < g->n_vertices; v++)
        s->open[v] = open[v] || v == g->entry || v == g->exit;
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct pn_edge *e = &g->edge[i];

        if (e->dag == PN_NONE)
            continue;
        if (e->src == g->entry || ((e->flags & PN_SHARED_END) && s->shared[e->src] > 1))
            s->open[e->dst] = true;
    }
}

/* The heaviest edges first: they need no counter. */
static int by_weight(const void *left, const void *right)
{
    const struct flow_edge *a = left, *b = right;
    int order = compare(b->weight, a->weight);

    return order ? order : compare(a->path, b->path);
}

static void collect(struct spanning *s)
{
    const struct pn_graph *g = s->g;

    for (uint32_t i = g->first[g->entry]; i < g->first[g->entry + 1]; i++)
        s->start[g->dag[i].dst] = g->dag[i].val;
    for (uint32_t i = 0; i < g->n_dag; i++) {
        const struct pn_dag_edge *d = &g->dag[i];

        if (d->src != g->entry)
            s->edge[s->n_edges++] = (struct flow_edge){s->start[d->src] + d->val, d->weight,
                                                       with_root(s, d->src), goes_on(s, d), false};
    }
    if (s->n_edges > 0)
        qsort(s->edge, s->n_edges, sizeof *s->edge, by_weight);
}

static void span(struct spanning *s)
{
    for (uint32_t v = 0; v < s->g->n_vertices; v++)
        s->group[v] = v;
    for (uint32_t i = 0; i < s->n_edges; i++) {
        struct flow_edge *e = &s->edge[i];
        uint32_t a = group_of(s, e->src), b = group_of(s, e->dst);

        e->tree = a != b;
        s->group[a] = b;
    }
}

static void group_by_vertex(struct spanning *s)
{
    for (uint32_t i = 0; i < s->n_edges; i++)
        if (s->edge[i].tree) {
            s->first[s->edge[i].src + 2]++;
            s->first[s->edge[i].dst + 2]++;
        }
    for (uint32_t v = 0; v < s->g->n_vertices; v++)
        s->first[v + 2] += s->first[v + 1];
    for (uint32_t i = 0; i < s->n_edges; i++)
        if (s->edge[i].tree) {
            s->at[s->first[s->edge[i].src + 1]++] = i;
            s->at[s->first[s->edge[i].dst + 1]++] = i;
        }
}

/* Walks the tree from the root, breadth first: each vertex is reached over the edge that its flow
 * tells.  Backwards, that order has all other edges of a vertex before. */
static uint32_t derive(struct spanning *s, struct pn_derived *out)
{
    uint32_t root = s->g->exit, n = 0, vertex = root;
    uint32_t taken = 0;

    for (;;) {
        for (uint32_t k = s->first[vertex]; k < s->first[vertex + 1]; k++) {
            struct flow_edge *e = &s->edge[s->at[k]];

            if (!e->tree)
                continue;
            e->tree = false;
            out[n++] = (struct pn_derived){e->path, e->src == vertex ? e->dst : e->src};
        }
        if (taken == n)
            break;
        vertex = out[taken++].vertex;
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        struct pn_derived swap = out[i];

        out[i] = out[n - 1 - i];
        out[n - 1 - i] = swap;
    }
    return n;
}

uint32_t pn_derive_edges(const struct pn_graph *g, const bool *open, struct pn_derived *out)
{
    uint32_t n = g->n_vertices, derived = PN_NONE;
    struct spanning s = {
        .g = g, .group = new_array(n, sizeof *s.group), .start = new_array(n, sizeof *s.start),
        .shared = new_array(n, sizeof *s.shared), .open = new_array(n, sizeof *s.open),
        .edge = new_array(g->n_dag, sizeof *s.edge),
        .first = new_array((uint64_t)n + 2, sizeof *s.first),
        .at = new_array(2 * (uint64_t)g->n_dag, sizeof *s.at),
    };

    if (s.group && s.start && s.shared && s.open && s.edge && s.first && s.at) {
        find_open(&s, open);
        collect(&s);
        span(&s);
        group_by_vertex(&s);
        derived = derive(&s, out);
        assert(derived < n);
    }
    free(s.group);
    free(s.start);
    free(s.shared);
    free(s.open);
    free(s.edge);
    free(s.first);
    free(s.at);
    return derived;
}
