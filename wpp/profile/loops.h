/* SPDX-License-Identifier: MIT */
/* loops.h - the executed loops of a routine, with counts of entries and iterations.
 *
 * The natural loops (wpp/replay/natural-loops.h) of the flow graph that was executed.
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
