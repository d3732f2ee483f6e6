/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selected-paths.c - Algorithm 1 of P3.
 *
 * Three steps:
 *
 *      1. from EXIT up: each vertex numbers its out-edges as Ball and Larus do, the uninteresting
 *         ones first, with label 0; so whoever leaves on one has a smaller sum than the
 *         interesting paths
 *      2. from ENTRY down: what the only way into a vertex adds, its out-edges add
 *      3. labels of uninteresting edges become 0
 *
 * Step 3 makes sums of uninteresting paths smaller.  With PSPP they stay below `least` of each
 * vertex that they leave interesting paths at, because there the edge whose interesting paths begin
 * with the smallest sum comes last.
 */
#include "gcc-plugin/numbering/selected-paths.h"

#include <assert.h>
#include <stdlib.h>

#define NO_PATH UINT64_MAX     /* `least` of a vertex where no interesting path begins */

struct labelling {
    const struct pn_graph *g;
    const bool *interesting;
    enum pn_labelling how;
    uint64_t *label;
    uint64_t *paths;           /* by vertex: from it to EXIT */
    uint64_t *least;           /* by vertex: the smallest sum of an interesting path to EXIT */
    uint32_t *order, n_order;  /* vertices that ENTRY reaches, each behind what its edges lead to */
    uint32_t *ways_in;         /* by vertex: how many edges lead to it */
    uint32_t *way_in;          /* one of them */
};

/* ---- Order --------------------------------------------------------------------------------- */

/* Depth first, without recursion: next[v] is the out-edge to follow next. */
static bool order_vertices(struct labelling *l)
{
    const struct pn_graph *g = l->g;
    uint32_t *stack = calloc(g->n_vertices, sizeof *stack), n = 0;
    uint32_t *next = calloc(g->n_vertices, sizeof *next);
    bool *seen = calloc(g->n_vertices, sizeof *seen), ok = stack && next && seen;

    if (ok) {
        stack[n++] = g->entry;
        seen[g->entry] = true;
    }
    while (n > 0) {
        uint32_t v = stack[n - 1], edge = g->first[v] + next[v];

        if (edge == g->first[v + 1]) {
            l->order[l->n_order++] = v;
            n--;
            continue;
        }
        next[v]++;
        if (!seen[g->dag[edge].dst]) {
            seen[g->dag[edge].dst] = true;
            stack[n++] = g->dag[edge].dst;
        }
    }
    free(stack);
    free(next);
    free(seen);
    return ok;
}

/* ---- Step 1 ---------------------------------------------------------------------------------- */

struct out_edge {
    uint32_t edge;
    bool interesting;
    uint64_t least;            /* PSPP: of the vertex that it leads to */
    uint32_t added;
};

static int in_order(const void *a, const void *b)
{
    const struct out_edge *x = a, *y = b;

    if (x->interesting != y->interesting)
        return x->interesting ? 1 : -1;
    if (x->least != y->least)
        return x->least > y->least ? -1 : 1;
    return x->added < y->added ? -1 : x->added > y->added;
}

static uint32_t sort_out_edges(const struct labelling *l, uint32_t v, struct out_edge *out)
{
    const struct pn_graph *g = l->g;
    uint32_t n = 0;

    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
        out[n++] = (struct out_edge){
            .edge = e, .interesting = l->interesting[e], .added = g->dag[e].edge,
            .least = l->how == PN_PSPP && l->interesting[e] ? l->least[g->dag[e].dst] : 0
        };
    qsort(out, n, sizeof *out, in_order);
    return n;
}

static void number_out_edges(struct labelling *l, uint32_t v, struct out_edge *out)
{
    uint32_t n = sort_out_edges(l, v, out);

    l->paths[v] = 0;
    l->least[v] = NO_PATH;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = l->g->dag[out[i].edge].dst;

        assert(l->paths[to] > 0);
        l->label[out[i].edge] = out[i].interesting ? l->paths[v] : 0;
        l->paths[v] += l->paths[to];
        if (out[i].interesting && l->least[to] != NO_PATH
            && l->label[out[i].edge] + l->least[to] < l->least[v])
            l->least[v] = l->label[out[i].edge] + l->least[to];
    }
}

static bool number_edges(struct labelling *l)
{
    struct out_edge *out = calloc(l->g->n_dag + (size_t)1, sizeof *out);

    if (!out)
        return false;
    for (uint32_t i = 0; i < l->n_order; i++) {
        uint32_t v = l->order[i];

        if (v == l->g->exit) {
            l->paths[v] = 1;
            l->least[v] = 0;
        } else {
            number_out_edges(l, v, out);
        }
    }
    free(out);
    return true;
}

/* ---- Steps 2 and 3 --------------------------------------------------------------------------- */

static void push_down(struct labelling *l)
{
    const struct pn_graph *g = l->g;

    for (uint32_t e = 0; e < g->n_dag; e++) {
        l->ways_in[g->dag[e].dst]++;
        l->way_in[g->dag[e].dst] = e;
    }
    for (uint32_t i = l->n_order; i-- > 0;) {
        uint32_t v = l->order[i], in = l->way_in[v];

        if (v == g->exit || l->ways_in[v] != 1)
            continue;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            l->label[e] += l->label[in];
        l->label[in] = 0;
    }
}

static void absorb(struct labelling *l)
{
    for (uint32_t e = 0; e < l->g->n_dag; e++)
        if (!l->interesting[e])
            l->label[e] = 0;
}

static int label_paths(const struct pn_graph *g, const bool *interesting, enum pn_labelling how,
                       bool all_steps, uint64_t *label)
{
    size_t n = g->n_vertices;
    struct labelling l = {
        .g = g, .interesting = interesting, .how = how, .label = label,
        .paths = calloc(n, sizeof *l.paths), .least = calloc(n, sizeof *l.least),
        .order = calloc(n, sizeof *l.order), .ways_in = calloc(n, sizeof *l.ways_in),
        .way_in = calloc(n, sizeof *l.way_in)
    };
    bool ok = l.paths && l.least && l.order && l.ways_in && l.way_in && order_vertices(&l)
           && number_edges(&l);

    if (ok && all_steps) {
        push_down(&l);
        absorb(&l);
    }
    free(l.paths);
    free(l.least);
    free(l.order);
    free(l.ways_in);
    free(l.way_in);
    return ok ? PN_OK : PN_E_NOMEM;
}

int pn_label_paths(const struct pn_graph *g, const bool *interesting, enum pn_labelling how,
                   uint64_t *label)
{
    return label_paths(g, interesting, how, true, label);
}

/* Step 2 leaves the sums of interesting paths as they are, and step 3 those of uninteresting ones
 * below or between them. */
int pn_selected_vals(const struct pn_graph *g, const bool *interesting, uint64_t *val)
{
    return label_paths(g, interesting, PN_PSPP, false, val);
}

uint32_t pn_probes(const struct pn_graph *g, const uint64_t *label)
{
    uint32_t n = 0;

    for (uint32_t e = 0; e < g->n_dag; e++)
        n += label[e] != 0;
    return n;
}
