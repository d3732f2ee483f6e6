/* SPDX-License-Identifier: MIT */
/* path-graph.h - a routine's acyclic paths, numbered as Ball and Larus do, but not cut by calls.
 *
 *      cut arc b -> h   becomes   b --END--> EXIT  and  ENTRY --START--> h
 *
 * Cut are back edges, what exceptions and non-local jumps take, the edges of blocks with more paths than
 * the limit, and with regions also each edge into or out of a loop and into a block that another region
 * leads to: a region has one entry and lies in one loop, as in the paper (docs/samples.md).
 */
#ifndef WPP_PATH_GRAPH_H
#define WPP_PATH_GRAPH_H

#include "wpp/base/arena.h"
#include "wpp/map/address-map.h"

#define PATH_NONE UINT32_MAX

struct path_graph {
    uint32_t n_vertices;       /* 0 ENTRY, 1 EXIT, blocks */
    uint32_t n_edges;
    const struct wpp_edge *edge;   /* by source, then val */
    const uint32_t *first;     /* n_vertices + 1: edges out of v are edge[first[v] .. first[v + 1]) */
    const uint32_t *in_first, *in; /* edges into v: in[in_first[v] .. in_first[v + 1]) */
    const uint32_t *start;     /* the START edge of v, or PATH_NONE */
    const double *from_entry, *to_exit;    /* paths from ENTRY to v, from v to EXIT */
    uint64_t num_paths;
    bool limited;
};

struct path_rules {
    uint64_t limit;            /* of the paths from a block: at least 2 */
    bool regions;              /* the paper's regions */
};

/* Memory is the arena's.  False without. */
bool path_graph_new(struct path_graph *out, const struct map_routine *routine,
                    const struct path_rules *rules, struct wpp_arena *arena);

/* The edge of the DAG for the arc src -> dst: a REAL one, or an END.  PATH_NONE: there is no such arc. */
uint32_t path_graph_edge(const struct path_graph *g, uint32_t src, uint32_t dst);

#endif
