/* SPDX-License-Identifier: GPL-3.0-or-later */
/* path-ends.h - statements at which a path ends, or at which GCC's coverage ends a block. */
#ifndef WPP_PATH_ENDS_H
#define WPP_PATH_ENDS_H

#include "gcc-plugin/gcc-compat.h"

/* Whether calls end paths, as a trace needs it.  Where paths are only counted they need not: then
 * a path ends only at a call that does not return, or that returns twice.  Set before the first
 * routine. */
extern bool calls_end_paths;

/* From here on, whether routines of the unit are pure or const is as it is now.  GCC finds out more
 * when it optimises them, but not of routines that have events: so a compile without events would get
 * another graph. */
void settle_callees();

/* Whether a call cuts its path.  A call that returns without throwing, and runs no code that may
 * be traced, lies inside a path; every other call cuts it. */
bool call_cuts(gcall *call);

/* Whether GCC has marked the call as a tail call and, as far as known before expansion, will
 * make it one. */
bool is_marked_tail_call(const gcall *call);

/* Whether a path ends at the call: the call cuts, or is marked as a tail call. */
bool ends_path(gcall *call);

/* Whether libc declares the function as a leaf, because it calls nothing of the unit, though it
 * may run traced code or not come back. */
bool hands_over(tree callee);

/* Whether the call makes a process or a thread without libc's fork: then no handler of the
 * runtime runs in the child. */
bool makes_process(gcall *call);

/* Whether GCC's coverage gives the statement an edge to the exit, because it may not come back.
 * Coverage splits blocks after such statements. */
bool coverage_splits(gimple *statement);

/* The block's first statement that may trap into an exception for the caller
 * (-fnon-call-exceptions), or NULL.  The path ends before that statement: when it throws, the
 * path's event has been written. */
gimple *trap_in(basic_block bb);
bool begins_with_trap(basic_block bb);

#endif
