/* SPDX-License-Identifier: MIT */
/* loops.h - the executed loops of a routine, with counts of entries and iterations.
 *
 * Natural loops (Aho, Lam, Sethi, Ullman, 9.6.6) of the flow graph that was executed: an arc to a
 * block that dominates its source is a back edge; the loop is the set of blocks that reach its
 * source without passing the header.  Loops with the same header are one.  A cycle with several
 * entries is no loop.
 *
 *      entries       arrivals at the header from outside
 *      iterations    executions of the body: for a loop that leaves at its header (`while`), the
 *                    header's without those that left at once; else the header's
 */
#ifndef WPP_LOOPS_H
#define WPP_LOOPS_H

#include "wpp/profile/flow.h"

struct loop {
    uint32_t header;
    uint32_t n_blocks;
    uint32_t *blocks;          /* ascending */
    uint64_t entries, iterations;
};

struct loops {
    uint32_t n;
    struct loop *loop;         /* in order of headers */
};

/* False: no memory.  Cost: O(loops * arcs). */
bool loops_find(struct loops *out, const struct flow *f);
void loops_free(struct loops *l);

#endif
