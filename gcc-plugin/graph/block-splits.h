/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block-splits.h - the routine's blocks, split where paths end and where GCC's coverage splits them. */
#ifndef WPP_BLOCK_SPLITS_H
#define WPP_BLOCK_SPLITS_H

#include "gcc-plugin/gcc-compat.h"

/* Splits blocks after calls and edges that carry a source line of their own,
 * gives tail calls a return of their own; `early`: also calls that GCC may yet make
 * tail calls.  Changes no behaviour. */
void split_for_paths(function *fun, bool early);

#endif
