/* SPDX-License-Identifier: MIT */
/* flow.h - a routine's control-flow graph with its execution counts, rebuilt
 * from counts of acyclic paths; and how often control went round in it.
 *
 * Invariants (flow_check):
 *      arcs ascend by (src, dst), each pair stands once, neither is ENTRY or EXIT
 *      for every block, the counts of the arcs into it sum to at most its own
 *      (the rest came from ENTRY or from where the table does not say)
 */
#ifndef WPP_FLOW_H
#define WPP_FLOW_H

#include "wpp/profile/cycles.h"
#include "wpp/wpp.h"

struct flow {
    uint32_t n_blocks;
    const uint64_t *block;     /* executions of each block; the caller's */
    uint32_t n_arcs;
    struct flow_arc *arc;
    uint32_t *first;           /* n_blocks + 1: arcs out of b are arc[first[b] .. first[b+1]) */
};

/* From the executions of the routine's blocks and DAG edges, both the sums
 * over its paths.  `block` must outlive the flow.  False without memory. */
bool flow_new(struct flow *out, const struct wpp_routine *routine, const uint64_t *block,
              const uint64_t *edge);
void flow_free(struct flow *f);
bool flow_check(const struct flow *f, const char **why);

/* Of the executions of the n blocks in `set` (ascending): how many were entered
 * from outside the set, and how many times control went round a cycle within.
 * Cycles are looked for from each block in turn, arcs ascending, each taking
 * the least count on its arcs away from all of them (the enumeration of Hawick
 * and James, 2008).  False without memory. */
bool flow_entries(const struct flow *f, const uint32_t *set, uint32_t n,
                  uint64_t *entries, uint64_t *rounds);

#endif
