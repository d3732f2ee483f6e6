/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edge-counts.h - which edges of a routine need no counter.
 *
 * Ball and Larus, Optimally Profiling and Tracing Programs (TOPLAS 1994), section 3: counters on
 * the chords of a maximum spanning tree are enough.  What flows into a vertex flows out of it, and
 * so the counts of the tree's edges follow.
 *
 * Here every edge of the graph but those to EXIT is cut (numbering.h), so each path is one vertex
 * and one edge out of it: a path's count is its edge's.  Edges that share an END edge are one.
 */
#ifndef WPP_EDGE_COUNTS_H
#define WPP_EDGE_COUNTS_H

#include "gcc-plugin/numbering/numbering.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A path without a counter:
 *
 *      count(path) = what flows into the vertex - what flows out of it on other paths
 *                    if the path begins at the vertex
 *      count(path) = the same with "into" and "out of" exchanged, otherwise
 */
struct pn_derived {
    uint64_t path;
    uint32_t vertex;
};

/* Chooses the paths without a counter, and writes them to out[0 .. n_vertices), in an order in
 * which each follows from counters and from those before it.  `open`: by vertex, whether control
 * also comes there in ways that are not edges of the graph, or not known; nothing follows from its
 * flow.  ENTRY and EXIT are.  Returns how many; PN_NONE without memory.  Linear time, except for
 * sorting. */
uint32_t pn_derive_edges(const struct pn_graph *g, const bool *open, struct pn_derived *out);

#ifdef __cplusplus
}
#endif
#endif
