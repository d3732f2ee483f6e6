/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot-blocks.h - which blocks are worth the room of an event inline. */
#ifndef WPP_HOT_BLOCKS_H
#define WPP_HOT_BLOCKS_H

#include "gcc-compat.h"

#include <vector>

/* By the index of a block: those that run often when their routine is called, as far as GCC
 * knows.  `order`: the blocks that can be reached, in reverse post-order. */
std::vector<bool> hot_blocks(function *fun, const std::vector<basic_block> &order);

#endif
