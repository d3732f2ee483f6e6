/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot-blocks.h - how often blocks run, and which are worth the room of an event inline. */
#ifndef WPP_HOT_BLOCKS_H
#define WPP_HOT_BLOCKS_H

#include "gcc-plugin/gcc-compat.h"

#include <vector>

/* The blocks that can be reached, in reverse post-order. */
std::vector<basic_block> blocks_in_order(function *fun);

/* How often each block runs in one call of its routine, by its index, as far as GCC knows;
 * negative where it does not.  `order`: blocks_in_order(). */
std::vector<double> block_rates(function *fun, const std::vector<basic_block> &order);

/* How an event is written.  The order is what edge-costs.cc and cursor.cc go by: up to
 * EVENT_COLD_THUNK for code that seldom runs, up to EVENT_THUNK without the unit's base and with
 * the cursor in memory, the others inline.  event_forms() says EVENT_THUNK where a thunk would do,
 * and styled_forms() (cursor.h) knows where there is one. */
enum event_form {
    EVENT_CALL,           /* out of line: a call */
    EVENT_COLD_THUNK,     /* the call that ends the path goes through a thunk, which calls */
    EVENT_THUNK,          /* .. which writes the event */
    EVENT_JUMP,           /* inline, with a jump over the call of the runtime: 9 bytes less */
    EVENT_INLINE          /* inline, with the call of the runtime out of the way */
};

/* What a block's event is worth, by the block's index: a call where the block seldom runs, and a
 * call, a jump or a thunk where nothing of what a call of the routine takes would be noticed.
 * `called`: how often the routine is called (call-rates.h). */
std::vector<event_form> event_forms(function *fun, const std::vector<basic_block> &order,
                                    double called);

#endif
