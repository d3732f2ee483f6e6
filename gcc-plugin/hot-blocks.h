/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot-blocks.h - how often blocks run, and which are worth the room of an event inline. */
#ifndef WPP_HOT_BLOCKS_H
#define WPP_HOT_BLOCKS_H

#include "gcc-compat.h"

#include <vector>

/* The blocks that can be reached, in reverse post-order. */
std::vector<basic_block> blocks_in_order(function *fun);

/* How often each block runs in one call of its routine, by its index, as far as GCC knows;
 * negative where it does not.  `order`: blocks_in_order(). */
std::vector<double> block_rates(function *fun, const std::vector<basic_block> &order);

/* Whether an event inline is worth its room, by the index of a block: not where the block
 * seldom runs, nor where nothing of what a call of the routine takes would be noticed.
 * `called`: how often the routine is called (call-rates.h). */
std::vector<bool> hot_blocks(function *fun, const std::vector<basic_block> &order, double called);

#endif
