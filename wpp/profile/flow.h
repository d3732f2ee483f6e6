/* SPDX-License-Identifier: MIT */
/* flow.h - a routine's control-flow graph with its execution counts, rebuilt from counts of acyclic
 * paths; and how often control went round in it.
 *
 * Invariants (flow_check):
 *      arcs ascend by (src, dst), each pair occurs once, neither is ENTRY or EXIT
 *      for every block, the counts of the arcs into it sum to at most its own
 *      (the rest came from ENTRY or from a source that the table does not tell)
 */
#ifndef WPP_FLOW_H
#define WPP_FLOW_H

#include "wpp/profile/cycles.h"
#include "wpp/wpp.h"

struct flow {
    uint32_t n_blocks;
    const uint64_t *block;     /* executions of each block; owned by the caller */
    uint32_t n_arcs;
    struct flow_arc *arc;
    uint32_t *first;           /* n_blocks + 1: arcs out of b are arc[first[b] .. first[b+1]) */
};

/* Makes the flow from the executions of the routine's blocks and DAG edges, which are sums over its
 * paths.  `block` must outlive the flow.  False: no memory. */
bool flow_new(struct flow *out, const struct wpp_routine *routine, const uint64_t *block,
              const uint64_t *edge);
void flow_free(struct flow *f);
bool flow_check(const struct flow *f, const char **why);

/* For the n blocks in `set` (ascending): how often they were entered from outside the set, and how
 * often control went round a cycle within.  Cycles are searched from each block in turn, arcs
 * ascending; each one subtracts the least count on its arcs from all of them (the enumeration of
 * Hawick and James, 2008).  False: no memory. */
bool flow_entries(const struct flow *f, const uint32_t *set, uint32_t n,
                  uint64_t *entries, uint64_t *rounds);

#endif
