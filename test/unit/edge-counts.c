/* SPDX-License-Identifier: MIT */
/* Counters on some edges: on 20,000 random graphs the counts of all edges of random walks follow from
 * those with a counter.
 * test: slow 2 */
#include "gcc-plugin/numbering/edge-counts.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

enum { ENTRY = 0, EXIT = 1, MOST = 14 };

/* A graph whose edges are all cut, but ENTRY's and those to EXIT; and how often each was taken. */
struct flow {
    struct pn_graph *g;
    bool open[MOST];
    uint64_t taken[4 * MOST], want[4 * MOST], known[4 * MOST];     /* by edge, by path, by path */
    uint32_t from[4 * MOST], to[4 * MOST];                         /* by path; EXIT: not known */
};

static uint32_t below(uint32_t n)
{
    return (uint32_t)rand() % n;
}

/* Some blocks end with edges that share their END edge, as calls that may throw. */
static void make_graph(struct flow *f)
{
    uint32_t n = 3 + below(MOST - 3);

    memset(f, 0, sizeof *f);
    f->g = pn_new(n, ENTRY, EXIT);
    pn_add_edge(f->g, ENTRY, 2, 1, 0);
    for (uint32_t v = 2; v < n; v++) {
        uint32_t shared = below(5) == 0 ? PN_SHARED_END : 0;

        if (below(4) == 0 || v == n - 1)
            pn_add_edge(f->g, v, EXIT, 1 + below(9), 0);
        else
            for (uint32_t k = 1 + below(3); k > 0; k--)
                pn_add_edge(f->g, v, 3 + below(n - 3), 1 + below(9), PN_CUT | shared);
    }
    for (uint32_t i = 0; i < f->g->n_edges; i++)
        f->g->edge[i].end_weight = f->g->edge[i].weight;
    for (uint32_t v = 2; v < n; v++)
        f->open[v] = below(8) == 0;
}

static void walk(struct flow *f)
{
    uint32_t v = ENTRY;

    for (int steps = 0; v != EXIT; steps++) {
        uint32_t out[MOST], n = 0, end = PN_NONE;

        for (uint32_t i = 0; i < f->g->n_edges; i++)
            if (f->g->edge[i].src == v && n < MOST)
                out[n++] = i;
        end = out[below(n)];
        f->taken[end]++;
        v = f->g->edge[end].dst;
        /* Control may also come to an open vertex from elsewhere. */
        if (steps > 40)
            return;
        for (uint32_t w = 2; w < f->g->n_vertices && below(6) == 0; w++)
            if (f->open[w] && f->g->first[w] != f->g->first[w + 1])
                v = w;
    }
}

/* Sets the paths' counts, and where each leads. */
static void find_paths(struct flow *f)
{
    const struct pn_graph *g = f->g;
    uint32_t edges[MOST + 2];

    for (uint32_t p = 0; p < g->num_paths; p++) {
        uint32_t k = pn_regenerate(g, p, edges, MOST + 2), last = edges[k - 1], n = 0;

        f->from[p] = g->dag[last].src;
        f->to[p] = EXIT;
        for (uint32_t i = 0; i < g->n_edges; i++)
            if (g->edge[i].dag == last) {
                f->want[p] += f->taken[i];
                f->to[p] = g->edge[i].dst;
                n++;
            }
        if (n > 1)
            f->to[p] = EXIT;
    }
}

static void derive(struct flow *f, const struct pn_derived *d)
{
    int64_t surplus = 0;

    for (uint32_t p = 0; p < f->g->num_paths; p++) {
        if (p == d->path)
            continue;
        surplus += f->from[p] == d->vertex ? (int64_t)f->known[p] : 0;
        surplus -= f->to[p] == d->vertex ? (int64_t)f->known[p] : 0;
    }
    f->known[d->path] = (uint64_t)(f->from[d->path] == d->vertex ? -surplus : surplus);
}

/* Whether a walk that is broken off, or enters at an open vertex, unbalances only open vertices. */
static bool all_follow(struct flow *f, uint32_t *n_derived)
{
    struct pn_derived derived[MOST];
    uint32_t n = pn_derive_edges(f->g, f->open, derived);
    bool without[4 * MOST] = {false};

    for (uint32_t i = 0; i < n; i++)
        without[derived[i].path] = true;
    for (uint32_t p = 0; p < f->g->num_paths; p++)
        f->known[p] = without[p] ? 0 : f->want[p];
    for (uint32_t i = 0; i < n; i++)
        derive(f, &derived[i]);
    *n_derived += n;
    return memcmp(f->known, f->want, sizeof f->known) == 0;
}

/* A walk that is not over leaves its last vertex without an edge out of it: those graphs are left out. */
static bool balances(const struct flow *f)
{
    for (uint32_t v = 2; v < f->g->n_vertices; v++) {
        int64_t surplus = 0;

        for (uint32_t i = 0; i < f->g->n_edges; i++) {
            surplus += f->g->edge[i].src == v ? (int64_t)f->taken[i] : 0;
            surplus -= f->g->edge[i].dst == v ? (int64_t)f->taken[i] : 0;
        }
        if (surplus != 0 && !f->open[v])
            return false;
    }
    return true;
}

int main(void)
{
    uint32_t tried = 0, wrong = 0, n_derived = 0, n_paths = 0;

    srand(1994);
    for (int i = 0; i < 20000; i++) {
        struct flow f;

        make_graph(&f);
        if (pn_number(f.g, 4096) == PN_OK) {
            for (int k = 0; k < 5; k++)
                walk(&f);
            find_paths(&f);
            if (balances(&f)) {
                tried++;
                n_paths += (uint32_t)f.g->num_paths;
                wrong += !all_follow(&f, &n_derived);
            }
        }
        pn_free(f.g);
    }
    tap_ok(wrong == 0, "all counts follow from the counters: %u graphs, %u wrong", tried, wrong);
    tap_ok(tried > 5000, "%u graphs were tried", tried);
    tap_ok(4 * n_derived > n_paths, "%u of %u edges have no counter", n_derived, n_paths);
    return tap_done();
}
