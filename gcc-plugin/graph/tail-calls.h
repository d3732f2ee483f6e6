/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tail-calls.h - calls that leave the routine like a jump.  Its path ends with EXIT before them,
 * and nothing is recorded behind them. */
#ifndef WPP_TAIL_CALLS_H
#define WPP_TAIL_CALLS_H

#include "gcc-plugin/gcc-compat.h"

/* Whether the call is marked (path-ends.h) or GCC may make it a tail call later.  The latter is
 * known only after find_tail_calls(), within the same pass. */
bool is_tail_call(gcall *call);

/* Looks at all calls of the routine.  `early`: GCC has not looked for tail calls yet. */
void find_tail_calls(function *fun, bool early);

/* For a marked call that ends the block: removes its landing pad, or its mark. */
void free_marked_call(basic_block bb);

/* Makes a return that no other way shares, behind a tail call that ends the block. */
void own_return(basic_block bb);

/* Takes back what own_return() has done since forget_own_returns(): with code that has no events, a
 * shared return is as good.  Blocks that have counts get the sums. */
void forget_own_returns();
void share_own_returns();

/* Whether one of a block's edges (its preds or succs) is abnormal or an exception's: no code can
 * be put on it. */
static inline bool any_complex(vec<edge, va_gc> *edges)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, edges)
        if (e->flags & EDGE_COMPLEX)
            return true;
    return false;
}

#endif
