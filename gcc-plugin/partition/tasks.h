/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks.h - a routine's paths in disjoint sets that copies can share out.
 *
 * A task is a set of edges; its paths are those all of whose edges are in it.  Tasks come from one
 * that has all edges, by splitting.  A split of S at vertex v divides v's out-edges in two, A and
 * B:
 *
 *      S1 = S without B
 *      S2 = the edges of S without A that lie before or behind v
 *
 * A path of S that avoids v, or leaves it on A, is in S1.  One that leaves v on B is in S2.  All
 * paths of S2 pass v: one that does not would leave the part before v on an edge that is not in S2.
 * So
 *
 *      every path is in exactly one task
 *
 * Unions of tasks have all their paths, and perhaps more: those that begin in one and go on in
 * another.
 */
#ifndef WPP_PARTITION_TASKS_H
#define WPP_PARTITION_TASKS_H

#include "gcc-plugin/partition/probes.h"

struct p3_tasks {
    uint32_t n;
    uint64_t **set;            /* of edges */
};

/* As in the paper (find-partition of Algorithm 2): S always holds one path of the reduced graph, a
 * prefix, and what follows.  Prefixes are split at the vertices in topological order, until there
 * are `most` tasks. */
bool p3_tasks_in_order(struct p3_tasks *out, const struct pn_graph *g, uint32_t most);

/* By cost: the dearest task is split where the dearer half costs least, until there are `most`
 * tasks or no split helps.  Diamonds and triangles are not split here either. */
bool p3_tasks_by_cost(struct p3_tasks *out, const struct p3_routine *r,
                      const struct p3_prices *prices, uint32_t most);

/* The threshold of the paper: ENTRY's out-edges in the reduced graph, or the number of copies. */
uint32_t p3_task_threshold(const struct pn_graph *g, uint32_t copies);

void p3_tasks_free(struct p3_tasks *t);

#endif
