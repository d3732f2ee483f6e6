/* SPDX-License-Identifier: MIT */
/* cycles.h - counts cycles of control in a graph with counted arcs. */
#ifndef WPP_CYCLES_H
#define WPP_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

struct flow_arc {
    uint32_t src, dst;
    uint64_t count;
};

/* Finds elementary cycles one after the other, until there are none.  Subtracts the least count on
 * a cycle's arcs from all of them and adds it to *rounds.  Nodes are 0 .. n_nodes-1; arcs ascend by
 * (src, dst); their counts are consumed.  False: no memory. */
bool cycles_count(struct flow_arc *arcs, uint32_t n_arcs, uint32_t n_nodes, uint64_t *rounds);

#endif
