/* SPDX-License-Identifier: MIT */
/* natural-loops.h - the loops of a control-flow graph.
 *
 * Natural loops (Aho, Lam, Sethi, Ullman, 9.6.6): an arc to a block that dominates its source is a
 * back edge; the loop is the set of blocks that reach its source without passing the header.  Loops
 * with the same header are one.  A cycle with several entries is no loop.
 */
#ifndef WPP_NATURAL_LOOPS_H
#define WPP_NATURAL_LOOPS_H

#include "wpp/wpp.h"

struct block_graph {
    uint32_t n_blocks;
    const uint32_t *first;     /* n_blocks + 1: the arcs out of b lead to dst[first[b] .. first[b+1]) */
    const uint32_t *dst;
    const bool *there;         /* by block: it belongs to the graph */
    const bool *root;          /* by block: control reaches it other than by an arc */
};

struct natural_loop {
    uint32_t header;
    bool own_latch;            /* an arc leads from the header to itself */
    uint32_t n_blocks;
    uint32_t *blocks;          /* ascending */
};

struct natural_loops {
    uint32_t n;
    struct natural_loop *loop; /* in order of headers */
};

/* False: no memory.  Cost: O(loops * arcs). */
bool natural_loops_find(struct natural_loops *out, const struct block_graph *g);
/* Those of a routine's graph, executed or not. */
bool natural_loops_of(struct natural_loops *out, const struct wpp_routine *routine);
void natural_loops_free(struct natural_loops *l);

bool natural_loop_has(const struct natural_loop *l, uint32_t block);

#endif
