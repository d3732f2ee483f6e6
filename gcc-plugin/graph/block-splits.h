/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block-splits.h - the routine's blocks, split where paths end and where GCC's coverage splits
 * them. */
#ifndef WPP_BLOCK_SPLITS_H
#define WPP_BLOCK_SPLITS_H

#include "gcc-plugin/gcc-compat.h"

/* Splits blocks after calls, splits edges with a source line of their own, and gives tail calls
 * a return of their own.  `early`: also calls that GCC may still make tail calls.  own_entry: the
 * routine's entry is the only way into its first block.  Behaviour does not change.  Returns the block
 * that was the first: an empty one may stand before it now. */
basic_block split_for_paths(function *fun, bool early, bool own_entry);

#endif
