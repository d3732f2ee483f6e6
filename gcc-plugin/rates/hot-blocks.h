/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot-blocks.h - how often blocks run, and which of them deserve the size of an inline event. */
#ifndef WPP_HOT_BLOCKS_H
#define WPP_HOT_BLOCKS_H

#include "gcc-plugin/gcc-compat.h"

#include <vector>

/* The reachable blocks, in reverse post-order. */
std::vector<basic_block> blocks_in_order(function *fun);

/* How often each block runs in one call of its routine, by its index; negative if GCC does not
 * know.  `order`: blocks_in_order(). */
std::vector<double> block_rates(function *fun, const std::vector<basic_block> &order);

/* How an event is written.  edge-costs.cc and cursor.cc rely on the order: forms up to
 * EVENT_COLD_THUNK are for code that seldom runs.  Forms up to EVENT_THUNK take the token
 * without the unit's base and the cursor in memory; the others are inline.  event_forms()
 * returns EVENT_THUNK where a thunk would do; styled_forms() (cursor.h) knows where a thunk
 * exists. */
enum event_form {
    EVENT_CALL,           /* out of line: a call */
    EVENT_COLD_THUNK,     /* the call that ends the path goes through a thunk, which calls */
    EVENT_THUNK,          /* the same with a thunk that contains the event */
    EVENT_JUMP,           /* inline, with a jump over the call of the runtime: 9 bytes less */
    EVENT_INLINE          /* inline, with the call of the runtime out of line */
};

/* The form of each block's event, by the block's index.  EVENT_CALL where the block seldom runs.
 * Also a call, a jump or a thunk where its cost would not be noticed beside the routine's time.
 * `called`: how often the routine is called (call-rates.h). */
std::vector<event_form> event_forms(function *fun, const std::vector<basic_block> &order,
                                    double called);

#endif
