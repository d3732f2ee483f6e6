/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frames.h - tells to which activation a longjmp or a nonlocal goto returns.
 *
 * A routine in which that can happen numbers its activations, in each thread by depth.  It emits
 * the number where control arrives (docs/trace-format.md, Frame):
 *
 *      at the entry         number = __wpp_frames; __wpp_frames = number + 1;
 *      at an arrival        __wpp_frames = number + 1; the word Frame number
 *      before a return      __wpp_frames = number;
 */
#ifndef WPP_FRAMES_H
#define WPP_FRAMES_H

#include "gcc-plugin/events/cursor.h"
#include "gcc-plugin/graph/routine-graph.h"

/* Numbers the activations of the routine.  Returns an SSA name that is set in block `entry` and
 * never changes, so longjmp leaves it unchanged. */
tree number_activation(function *fun, basic_block entry, const runtime_decls &decls);

/* Emits the Frame word at `at`, before the statement there or behind it.  To be called before
 * the events are written: they find the cursor in memory there. */
void say_frame(gimple_stmt_iterator at, bool after, tree number, const runtime_decls &decls);

#endif
