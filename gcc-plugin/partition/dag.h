/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dag.h - a routine's DAG for the planning of a partitioned profile, and sets of its edges.
 *
 * The DAG is the numbered part of a struct pn_graph.  The plugin has one; a tool makes one of the
 * edges in a path table or WPP.  A set of edges is an array of bits by DAG edge.
 */
#ifndef WPP_PARTITION_DAG_H
#define WPP_PARTITION_DAG_H

#include "gcc-plugin/numbering/numbering.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A graph that has no control-flow edges, only the DAG and its first[] and num_paths.  The edges'
 * src, dst, kind and val are copied; they are grouped by src in ascending order, and by val.  Edge
 * i becomes dag[i] with dag[i].edge == i.  NULL: no memory, or the edges are no such DAG. */
struct pn_graph *p3_dag(uint32_t n_vertices, uint32_t entry, uint32_t exit,
                        const struct pn_dag_edge *edge, uint32_t n_edges);

/* FNV-1a 64 of vertices, edges and their Vals: the same in the plugin and in a tool.  An edge index
 * of one graph means the same edge in another with this hash. */
uint64_t p3_hash(const struct pn_graph *g);

/* Writes the vertices that ENTRY reaches to order[0 .. n_vertices), sources before targets.
 * Returns how many; 0 without memory, or if the graph has a circle. */
uint32_t p3_order(const struct pn_graph *g, uint32_t *order);

/* ---- Sets of edges -------------------------------------------------------------------- */

static inline size_t p3_words(uint32_t n_edges)
{
    return ((size_t)n_edges + 63) / 64;
}

/* Empty; NULL without memory. */
uint64_t *p3_new_set(uint32_t n_edges);

static inline bool p3_has(const uint64_t *set, uint32_t edge)
{
    return set[edge / 64] >> edge % 64 & 1;
}

static inline void p3_put(uint64_t *set, uint32_t edge)
{
    set[edge / 64] |= UINT64_C(1) << edge % 64;
}

/* All edges; NULL without memory. */
uint64_t *p3_full_set(uint32_t n_edges);

static inline bool p3_is_all(const uint64_t *set, uint32_t n_edges)
{
    for (uint32_t e = 0; e < n_edges; e++)
        if (!p3_has(set, e))
            return false;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
