/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks.h - a routine's paths in disjoint sets that copies can share out.
 *
 * A task is a set of edges; its paths are those all of whose edges are in it.  In the reduced graph
 * it is given by a prefix: a path from ENTRY to a vertex, and some groups of edges out of that.
 *
 *      edges(task) = those of the prefix, those groups, and all edges that these lead to
 *
 * The edges that one leads to come later than the prefix.  So the task's paths are exactly those that
 * begin with the prefix and go on with one of the groups.
 * The tasks come from one, the empty prefix with all groups out of ENTRY, by splitting: groups are
 * divided between two tasks, and a single group becomes part of the prefix.  Each split divides the
 * paths, so
 *
 *      every path is in exactly one task
 *
 * Unions of tasks have all their paths, and perhaps more: those that begin in one and go on in
 * another.
 */
#ifndef WPP_PARTITION_TASKS_H
#define WPP_PARTITION_TASKS_H

#include "gcc-plugin/partition/dag.h"

struct p3_tasks {
    uint32_t n;
    uint64_t **set;            /* of edges */
};

/* As in the paper (find-partition of Algorithm 2): vertices in topological order, all prefixes at
 * each, until there are `most` tasks. */
bool p3_tasks_in_order(struct p3_tasks *out, const struct pn_graph *g, uint32_t most);

/* By executions: the task with the largest known bound of executions is split next, its most frequent
 * group from the others, until there are `most` tasks or none has more than `least`. */
bool p3_tasks_by_count(struct p3_tasks *out, const struct pn_graph *g, const uint64_t *count,
                       uint32_t most, uint64_t least);

/* The threshold of the paper: ENTRY's out-edges in the reduced graph, or the number of copies. */
uint32_t p3_task_threshold(const struct pn_graph *g, uint32_t copies);

void p3_tasks_free(struct p3_tasks *t);

#endif
