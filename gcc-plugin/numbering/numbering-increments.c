/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbering-increments.c - which edges count, and how much.
 *
 * Ball's event counting gives a chord u -> v the sum of Vals around the one cycle that it closes
 * with the spanning tree.  Let p be a potential that rises by Val along every tree edge,
 * including EXIT -> ENTRY with Val 0.  Then
 *
 *      inc(u -> v) = p(u) + Val(u -> v) - p(v)            0 on tree edges
 *
 * Along a path the potentials cancel: p(ENTRY) = p(EXIT).  A union-find forest whose nodes store
 * potentials relative to their parent builds tree and potentials at once.  Potentials are taken
 * modulo 2^64, like sums of increments.
 */
#include "gcc-plugin/numbering/numbering-internal.h"
#include "gcc-plugin/numbering/selected-paths.h"

struct forest {
    uint32_t *parent, *size;
    uint64_t *above;          /* p(v) - p(parent[v]); 0 at a root */
};

/* The root of v's tree; *potential becomes p(v) - p(root). */
static uint32_t find_root(struct forest *f, uint32_t v, uint64_t *potential)
{
    *potential = 0;
    while (f->parent[v] != v) {
        uint32_t parent = f->parent[v];
        f->above[v] += f->above[parent];
        f->parent[v] = f->parent[parent];
        *potential += f->above[v];
        v = f->parent[v];
    }
    return v;
}

/* Makes p(dst) = p(src) + val; false if both are in one tree already. */
static bool join(struct forest *f, uint32_t src, uint32_t dst, uint64_t val)
{
    uint64_t p_src, p_dst;
    uint32_t a = find_root(f, src, &p_src), b = find_root(f, dst, &p_dst);
    uint64_t b_above_a = p_src + val - p_dst;

    if (a == b)
        return false;
    if (f->size[a] >= f->size[b]) {
        f->parent[b] = a;
        f->above[b] = b_above_a;
        f->size[a] += f->size[b];
    } else {
        f->parent[a] = b;
        f->above[a] = 0 - b_above_a;
        f->size[b] += f->size[a];
    }
    return true;
}

static bool new_forest(struct forest *f, uint32_t n_vertices)
{
    f->parent = new_array(n_vertices, sizeof *f->parent);
    f->size = new_array(n_vertices, sizeof *f->size);
    f->above = new_array(n_vertices, sizeof *f->above);
    if (!f->parent || !f->size || !f->above)
        return false;
    for (uint32_t v = 0; v < n_vertices; v++) {
        f->parent[v] = v;
        f->size[v] = 1;
    }
    return true;
}

static void free_forest(struct forest *f)
{
    free(f->parent);
    free(f->size);
    free(f->above);
}

struct candidate {
    uint64_t cost;
    uint32_t dag;
};

/* The cost of an increment on the edge.  At ENTRY (also on START edges) it merges with the
 * constant that the path register is set to. */
static uint64_t cost_of(const struct pn_graph *g, const struct pn_dag_edge *d)
{
    return d->src == g->entry ? 0 : d->weight;
}

static int by_cost(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare(b->cost, a->cost);

    return order ? order : compare(a->dag, b->dag);
}

/* Kruskal: the most expensive edges join the tree first, the others are chords. */
static void span(const struct pn_graph *g, struct forest *f, struct candidate *candidate,
                 const uint64_t *label, int64_t *inc, bool *chord)
{
    qsort(candidate, g->n_dag, sizeof *candidate, by_cost);
    join(f, g->exit, g->entry, 0);
    for (uint32_t i = 0; i < g->n_dag; i++) {
        uint32_t e = candidate[i].dag;
        chord[e] = !join(f, g->dag[e].src, g->dag[e].dst, label[e]);
    }
    for (uint32_t e = 0; e < g->n_dag; e++) {
        uint64_t p_src, p_dst;
        inc[e] = 0;
        if (!chord[e])
            continue;
        find_root(f, g->dag[e].src, &p_src);
        find_root(f, g->dag[e].dst, &p_dst);
        inc[e] = (int64_t)(p_src + label[e] - p_dst);
    }
}

int pn_place_labels(const struct pn_graph *g, const uint64_t *label, const uint64_t *weight,
                    int64_t *inc, bool *chord)
{
    struct forest f = {0};
    struct candidate *candidate = new_array(g->n_dag, sizeof *candidate);
    int status = PN_E_NOMEM;

    if (new_forest(&f, g->n_vertices) && candidate) {
        for (uint32_t e = 0; e < g->n_dag; e++)
            candidate[e] = (struct candidate){weight[e], e};
        span(g, &f, candidate, label, inc, chord);
        status = PN_OK;
    }
    free(candidate);
    free_forest(&f);
    return status;
}

int pn_place_increments(struct pn_graph *g)
{
    uint64_t *label = new_array(g->n_dag, sizeof *label);
    uint64_t *weight = new_array(g->n_dag, sizeof *weight);
    int64_t *inc = new_array(g->n_dag, sizeof *inc);
    bool *chord = new_array(g->n_dag, sizeof *chord);
    int status = PN_E_NOMEM;

    if (label && weight && inc && chord) {
        for (uint32_t e = 0; e < g->n_dag; e++) {
            label[e] = g->dag[e].val;
            weight[e] = cost_of(g, &g->dag[e]);
        }
        status = pn_place_labels(g, label, weight, inc, chord);
    }
    for (uint32_t e = 0; status == PN_OK && e < g->n_dag; e++) {
        g->dag[e].inc = inc[e];
        g->dag[e].chord = chord[e];
    }
    free(label);
    free(weight);
    free(inc);
    free(chord);
    return status;
}
