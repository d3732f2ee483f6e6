/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduced-graph.h - a DAG whose diamonds and triangles are single vertices.
 *
 *        a               a           An if-else and an if without conditionals inside.  If two
 *       / \              |\          copies shared out their paths, both would need increments: so
 *      b   c             | b         all their paths stay together.
 *       \ /              |/
 *        d               d           The end of one may be the begin of the next.
 *
 * Nothing else leads into b, c or d, nor out of a, b or c.  So a vertex here stands for a part of
 * the DAG that is entered at one vertex and left at one, and this graph is acyclic.  Two switch
 * cases with one target count as a diamond.  Edges with the same ends are one group.
 */
#ifndef WPP_PARTITION_REDUCED_GRAPH_H
#define WPP_PARTITION_REDUCED_GRAPH_H

#include "gcc-plugin/partition/dag.h"

struct reduced_group {
    uint32_t src, dst;
    uint32_t first, n;         /* its DAG edges: edge[first .. first + n) */
    uint64_t count;            /* executions of all of them */
};

struct reduced_graph {
    uint32_t n, entry, exit;   /* vertices are in order: groups lead to larger numbers */
    uint32_t *vertex;          /* by vertex of the DAG; PN_NONE: ENTRY does not reach it */
    uint32_t n_groups;
    struct reduced_group *group;
    uint32_t *first;           /* n + 1: groups out of v are group[first[v] .. first[v + 1]) */
    uint32_t *edge;            /* DAG edges: those of groups; then those inside vertices */
    uint32_t *inside;          /* n + 1: those inside v are edge[inside[v] .. inside[v + 1]) */
};

/* count: executions by DAG edge, NULL for 1 each.  Groups out of a vertex come by target.  False
 * without memory. */
bool reduced_graph_new(struct reduced_graph *out, const struct pn_graph *g, const uint64_t *count);
void reduced_graph_free(struct reduced_graph *r);

#endif
