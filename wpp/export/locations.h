/* SPDX-License-Identifier: MIT */
/* locations.h - which source lines, in which inlined calls, a path's cost belongs to.
 *
 * The instructions of a block are divided among its lines, in whole numbers.  A block without lines
 * belongs to the line before it.
 */
#ifndef WPP_LOCATIONS_H
#define WPP_LOCATIONS_H

#include "wpp/wpp.h"

/* False stops. */
typedef bool location_cost(void *ctx, const struct wpp_line *where, double cost);

/* Divides what `times` executions of the terminal's path cost; the sum is times * insns. */
bool locations_of_path(const wpp *w, uint32_t terminal, double times, location_cost *visit, void *ctx);
/* The same for `cost` of one block; *where is the line before it, and becomes its last one. */
bool locations_of_block(const struct wpp_block *block, double cost, struct wpp_line *where,
                        location_cost *visit, void *ctx);

/* Where the routine's definition is. */
struct wpp_line location_of_routine(const struct wpp_routine *routine);
/* Where a path ends, and with it the call that ends it. */
struct wpp_line location_of_end(const wpp *w, uint32_t terminal);

#endif
