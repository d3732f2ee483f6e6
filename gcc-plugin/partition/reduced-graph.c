/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduced-graph.c - in four passes:
 *
 *   collapse         vertices of a diamond or triangle become one set (union-find)
 *   number           the sets get numbers in topological order
 *   sort             the DAG's edges by the numbers of their ends
 *   group            runs of edges with the same ends
 */
#include "gcc-plugin/partition/reduced-graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct reduction {
    const struct pn_graph *g;
    const uint64_t *count;
    struct reduced_graph *out;
    uint32_t *parent;          /* union-find over the DAG's vertices */
    uint32_t *ways_in;
    uint32_t *order, n_order;
};

/* ---- Diamonds and triangles ---------------------------------------------------------------- */

static uint32_t set_of(const struct reduction *r, uint32_t v)
{
    while (r->parent[v] != v)
        v = r->parent[v] = r->parent[r->parent[v]];
    return v;
}

static void join_to(struct reduction *r, uint32_t v, uint32_t into)
{
    r->parent[set_of(r, v)] = set_of(r, into);
}

/* Where the edge leads behind the one vertex that it may pass: PN_NONE if that has other edges.
 * `direct` is the edge's target if nothing lies between. */
static uint32_t behind(const struct reduction *r, uint32_t edge)
{
    uint32_t v = r->g->dag[edge].dst;

    if (v == r->g->exit || r->ways_in[v] != 1 || r->g->first[v + 1] - r->g->first[v] != 1)
        return PN_NONE;
    return r->g->dag[r->g->first[v]].dst;
}

static void collapse_at(struct reduction *r, uint32_t a)
{
    uint32_t e = r->g->first[a], f = e + 1;

    if (r->g->first[a + 1] - e != 2)
        return;
    uint32_t b = r->g->dag[e].dst, c = r->g->dag[f].dst, end;
    uint32_t behind_b = behind(r, e), behind_c = behind(r, f);
    if (b == c || behind_c == b)
        end = b;
    else if (behind_b == c || (behind_b == behind_c && behind_b != PN_NONE))
        end = behind_b;
    else
        return;
    if (r->ways_in[end] != 2)
        return;
    join_to(r, b, a);
    join_to(r, c, a);
    join_to(r, end, a);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A set is entered at its first vertex in the DAG's order, and all paths into it come through that.
 * So sets in the order of their first vertices are in topological order: an edge leads from a set
 * to the first vertex of another. */
static void number(struct reduction *r)
{
    struct reduced_graph *out = r->out;
    uint32_t *of_set = out->inside;    /* not needed yet; n_vertices + 1 */

    memset(of_set, 0xff, r->g->n_vertices * sizeof *of_set);
    memset(out->vertex, 0xff, r->g->n_vertices * sizeof *out->vertex);
    for (uint32_t i = 0; i < r->n_order; i++) {
        uint32_t v = r->order[i], set = set_of(r, v);

        if (of_set[set] == PN_NONE)
            of_set[set] = out->n++;
        out->vertex[v] = of_set[set];
    }
    out->entry = out->vertex[r->g->entry];
    out->exit = out->vertex[r->g->exit];
}

/* ---- Edges ----------------------------------------------------------------------------------- */

struct placed_edge {
    uint32_t src, dst, edge;
};

static int by_ends(const void *a, const void *b)
{
    const struct placed_edge *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return x->edge < y->edge ? -1 : 1;
}

static void add_group_edge(struct reduction *r, const struct placed_edge *p, uint32_t at)
{
    struct reduced_graph *out = r->out;
    struct reduced_group *last = out->n_groups ? &out->group[out->n_groups - 1] : NULL;

    assert(p->src < p->dst);
    if (!last || last->src != p->src || last->dst != p->dst) {
        last = &out->group[out->n_groups++];
        *last = (struct reduced_group){.src = p->src, .dst = p->dst, .first = at};
        out->first[p->src + 1]++;
    }
    last->n++;
    last->count += r->count ? r->count[p->edge] : 1;
}

static void group(struct reduction *r, struct placed_edge *placed)
{
    struct reduced_graph *out = r->out;
    uint32_t n = r->g->n_dag, at = 0;

    for (uint32_t e = 0; e < n; e++)
        placed[e] = (struct placed_edge){out->vertex[r->g->dag[e].src],
                                         out->vertex[r->g->dag[e].dst], e};
    qsort(placed, n, sizeof *placed, by_ends);
    memset(out->inside, 0, (out->n + (size_t)1) * sizeof *out->inside);
    for (uint32_t i = 0; i < n; i++)
        if (placed[i].src != placed[i].dst) {
            out->edge[at] = placed[i].edge;
            add_group_edge(r, &placed[i], at++);
        }
    for (uint32_t v = 0, i = 0; v < out->n; v++) {
        out->inside[v] = at;
        for (; i < n && placed[i].src == v; i++)
            if (placed[i].dst == v)
                out->edge[at++] = placed[i].edge;
    }
    out->inside[out->n] = at;
    for (uint32_t v = 0; v < out->n; v++)
        out->first[v + 1] += out->first[v];
}

bool reduced_graph_new(struct reduced_graph *out, const struct pn_graph *g, const uint64_t *count)
{
    size_t n = g->n_vertices;
    struct placed_edge *placed = calloc(g->n_dag, sizeof *placed);
    struct reduction r = {
        .g = g, .count = count, .out = out,
        .parent = calloc(n, sizeof *r.parent), .ways_in = calloc(n, sizeof *r.ways_in),
        .order = calloc(n, sizeof *r.order)
    };
    bool ok;

    *out = (struct reduced_graph){
        .vertex = calloc(n, sizeof *out->vertex), .group = calloc(g->n_dag, sizeof *out->group),
        .first = calloc(n + 1, sizeof *out->first), .edge = calloc(g->n_dag, sizeof *out->edge),
        .inside = calloc(n + 1, sizeof *out->inside)
    };
    ok = placed && r.parent && r.ways_in && r.order && out->vertex && out->group && out->first
      && out->edge && out->inside && (r.n_order = p3_order(g, r.order)) > 0;
    if (ok) {
        for (uint32_t v = 0; v < n; v++)
            r.parent[v] = v;
        for (uint32_t e = 0; e < g->n_dag; e++)
            r.ways_in[g->dag[e].dst]++;
        for (uint32_t i = 0; i < r.n_order; i++)
            collapse_at(&r, r.order[i]);
        number(&r);
        group(&r, placed);
    } else {
        reduced_graph_free(out);
    }
    free(placed);
    free(r.parent);
    free(r.ways_in);
    free(r.order);
    return ok;
}

void reduced_graph_free(struct reduced_graph *r)
{
    free(r->vertex);
    free(r->group);
    free(r->first);
    free(r->edge);
    free(r->inside);
    *r = (struct reduced_graph){0};
}
