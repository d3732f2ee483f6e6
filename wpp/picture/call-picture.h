/* SPDX-License-Identifier: MIT */
/* call-picture.h - the part of a run's dynamic call graph that is worth drawing.
 *
 *      inclusive(routine) = cost of all events while an activation of it is on the stack, each once
 *      self(routine)      = cost of its own paths
 *      cost(call f -> g)  = cost of those activations of g, with all that they called
 *
 * The nodes are the routines with the greatest inclusive cost.  Calls to all others are kept as sums
 * of the caller, so that no call and no cost of a drawn routine is lost.  Costs are instructions
 * (GCC's estimate); a call that recurs costs what its callees do again.
 */
#ifndef WPP_CALL_PICTURE_H
#define WPP_CALL_PICTURE_H

#include "wpp/wpp.h"

struct call_node {
    uint32_t routine;
    double calls, self, inclusive;
    uint32_t others;               /* routines it called that are no nodes */
    uint32_t other;                /* the dearest of them: a routine */
    double other_calls, other_cost;
};

struct call_edge {
    uint32_t from, to;             /* nodes */
    double calls, cost;
};

/* Invariants (call_picture_check): nodes descend by `inclusive`, which is at least `self` and at most
 * `total`; edges ascend by (from, to), each pair occurs once; `self` of all nodes and `other_self` sum to
 * `total`; no node gets more calls from its edges than it has. */
struct call_picture {
    uint32_t n_nodes, n_edges;
    struct call_node *node;
    struct call_edge *edge;
    double total;
    uint32_t n_others;             /* executed routines that are no nodes */
    double other_self;
};

/* Of a WPP that has its order: at most max_nodes routines whose inclusive cost is `least` of the total
 * or more, but the first one in any case.  WPP_E_MEMORY, WPP_E_ARGUMENT.  Cost: O(grammar) mostly
 * (call-tree.h), and O(call tree) for 16 nodes each that call themselves. */
bool call_picture_new(const wpp *w, uint32_t max_nodes, double least, struct call_picture *out,
                    struct wpp_error *error);
void call_picture_free(struct call_picture *g);
bool call_picture_check(const struct call_picture *g, const char **why);

#endif
