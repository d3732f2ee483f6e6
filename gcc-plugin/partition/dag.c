/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dag.c - DAGs from descriptions, their hash and their order. */
#include "gcc-plugin/partition/dag.h"

#include <stdlib.h>

/* ---- From a description ------------------------------------------------------------------ */

static bool edges_fit(uint32_t n_vertices, uint32_t entry, uint32_t exit,
                      const struct pn_dag_edge *edge, uint32_t n_edges)
{
    if (entry >= n_vertices || exit >= n_vertices || entry == exit || n_edges == 0)
        return false;
    for (uint32_t i = 0; i < n_edges; i++)
        if (edge[i].src >= n_vertices || edge[i].dst >= n_vertices || edge[i].src == exit
            || edge[i].dst == entry || (i > 0 && edge[i].src < edge[i - 1].src))
            return false;
    return true;
}

/* NumPaths of ENTRY; each Val must be the sum of the paths behind the edges before it.  0:
 * not so. */
static uint64_t count_paths(const struct pn_graph *g)
{
    uint32_t *order = calloc(g->n_vertices, sizeof *order);
    uint64_t *paths = calloc(g->n_vertices, sizeof *paths), n = 0;
    uint32_t reached = order && paths ? p3_order(g, order) : 0;
    bool ok = reached > 0;

    for (uint32_t i = reached; ok && i-- > 0;) {
        uint32_t v = order[i];

        paths[v] = v == g->exit;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            ok &= g->dag[e].val == paths[v] && paths[v] < UINT64_C(1) << 62;
            paths[v] += paths[g->dag[e].dst];
        }
        ok &= paths[v] > 0;
    }
    if (ok)
        n = paths[g->entry];
    free(order);
    free(paths);
    return n;
}

struct pn_graph *p3_dag(uint32_t n_vertices, uint32_t entry, uint32_t exit,
                        const struct pn_dag_edge *edge, uint32_t n_edges)
{
    struct pn_graph *g;

    if (!edges_fit(n_vertices, entry, exit, edge, n_edges)
        || !(g = pn_new(n_vertices, entry, exit)))
        return NULL;
    g->dag = calloc(n_edges, sizeof *g->dag);
    g->first = calloc(n_vertices + (size_t)1, sizeof *g->first);
    if (!g->dag || !g->first) {
        pn_free(g);
        return NULL;
    }
    g->n_dag = n_edges;
    for (uint32_t i = 0; i < n_edges; i++) {
        g->dag[i] = (struct pn_dag_edge){.src = edge[i].src, .dst = edge[i].dst, .edge = i,
                                         .kind = edge[i].kind, .val = edge[i].val};
        g->first[edge[i].src + 1]++;
    }
    for (uint32_t v = 0; v < n_vertices; v++)
        g->first[v + 1] += g->first[v];
    g->num_paths = count_paths(g);
    if (g->num_paths == 0) {
        pn_free(g);
        return NULL;
    }
    return g;
}

/* ---- Hash ------------------------------------------------------------------------------------ */

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (number >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t p3_hash(const struct pn_graph *g)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = add_number(hash, g->n_vertices);
    hash = add_number(hash, g->entry);
    hash = add_number(hash, g->exit);
    for (uint32_t i = 0; i < g->n_dag; i++) {
        hash = add_number(hash, g->dag[i].src);
        hash = add_number(hash, g->dag[i].dst);
        hash = add_number(hash, g->dag[i].val);
    }
    return hash;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* A vertex comes when all edges into it have been seen. */
uint32_t p3_order(const struct pn_graph *g, uint32_t *order)
{
    uint32_t *waiting = calloc(g->n_vertices, sizeof *waiting), n = 0, edges = 0;

    if (!waiting)
        return 0;
    for (uint32_t i = 0; i < g->n_dag; i++)
        waiting[g->dag[i].dst]++;
    order[n++] = g->entry;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = g->first[order[i]]; e < g->first[order[i] + 1]; e++, edges++)
            if (--waiting[g->dag[e].dst] == 0)
                order[n++] = g->dag[e].dst;
    free(waiting);
    return edges == g->n_dag ? n : 0;
}

/* ---- Sets -------------------------------------------------------------------------------------- */

uint64_t *p3_new_set(uint32_t n_edges)
{
    return calloc(p3_words(n_edges) + 1, sizeof(uint64_t));
}

uint64_t *p3_full_set(uint32_t n_edges)
{
    uint64_t *set = p3_new_set(n_edges);

    for (uint32_t e = 0; set && e < n_edges; e++)
        p3_put(set, e);
    return set;
}
