/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moves.h - events that write the cursor's own register. */
#ifndef WPP_MOVES_H
#define WPP_MOVES_H

#include "gcc-plugin/gcc-compat.h"

/* GCC expands the output of an asm statement to a register of its own and a move:
 *
 *      new = asm("..." : "0" (cursor));  cursor = new;
 *
 * As nothing may change the asm no later pass joins the two, and where the allocator gives
 * them different registers, as it does in routines that need particular ones for something else,
 * each event has two moves more than it needs and takes a register more.  To be called right
 * after expansion: the statement is made to write what its output is moved to. */
void join_moves();

#endif
