/* SPDX-License-Identifier: MIT */
/* loops.h - the loops of a routine that were run: how often they were entered, and went round.
 *
 * Natural loops (Aho, Lam, Sethi, Ullman, 9.6.6) of the flow graph that was executed: an arc to a block
 * that dominates its source goes back; the loop is what reaches that source without passing the
 * header.  Loops with one header are one.  A cycle with several entries is none.
 *
 *      entries       arrivals at the header from outside
 *      iterations    executions of the body: of a loop that leaves at its header (`while`), the
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
    struct loop *loop;         /* by header */
};

/* False without memory.  Cost: O(loops * arcs). */
bool loops_find(struct loops *out, const struct flow *f);
void loops_free(struct loops *l);

#endif
