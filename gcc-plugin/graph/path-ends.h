/* SPDX-License-Identifier: GPL-3.0-or-later */
/* path-ends.h - statements at which a path ends, or GCC's coverage ends a block. */
#ifndef WPP_PATH_ENDS_H
#define WPP_PATH_ENDS_H

#include "gcc-plugin/gcc-compat.h"

/* Calls that return, without throwing and without running any code that may be traced, lie inside
 * a path; all others cut it. */
bool call_cuts(gcall *call);

/* Whether GCC has marked the call, and makes it a tail call as far as that is known before
 * expansion. */
bool is_marked_tail_call(const gcall *call);

/* Whether a path ends at the call: it cuts, or is marked as a tail call. */
bool ends_path(gcall *call);

/* Whether it makes a process, or a thread, past libc's fork: the child meets none of the runtime's
 * handlers. */
bool makes_process(gcall *call);

/* Whether GCC's coverage gives the statement an edge to the exit, because it may not come back: it
 * splits blocks after those. */
bool coverage_splits(gimple *statement);

/* The block's first statement that may trap into an exception for the caller
 * (-fnon-call-exceptions), or NULL.  The path ends before that statement: when it throws, the path's
 * event has been written. */
gimple *trap_in(basic_block bb);
bool begins_with_trap(basic_block bb);

#endif
