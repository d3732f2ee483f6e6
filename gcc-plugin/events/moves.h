/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moves.h - events that write the cursor's own register. */
#ifndef WPP_MOVES_H
#define WPP_MOVES_H

#include "gcc-plugin/gcc-compat.h"

/* Makes each asm statement of ours write the register to which its output is moved.  GCC expands
 * the output to a register of its own and a move:
 *
 *      new = asm("..." : "0" (cursor));  cursor = new;
 *
 * No later pass joins the two, because nothing may change the asm.  The allocator may give them
 * different registers, and does so in routines that need particular registers otherwise.  Then
 * each event has two useless moves and takes one more register.  To be called directly after
 * expansion. */
void join_moves();

#endif
