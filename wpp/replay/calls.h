/* SPDX-License-Identifier: MIT */
/* calls.h - counts of calls, by caller and callee. */
#ifndef WPP_CALLS_H
#define WPP_CALLS_H

#include "wpp/replay/dump.h"

/* No traced routine had an activation: the thread or the recording began there, or untraced code
 * was running. */
#define CALLS_NOBODY UINT32_MAX

/* Routines by number.  The caller is the routine of the topmost activation when the callee's began,
 * even if untraced code lies between; the caller of a signal handler is the interrupted routine. */
struct call_count {
    uint32_t caller, callee;
    uint64_t count;
};

/* All zero is empty.  A hash table by both routines until calls_sort(); then the most frequent
 * first. */
struct calls {
    struct call_count *list;
    size_t n, size;          /* size is a power of two; a count of 0: a free slot */
};

/* Adds the calls in the range.  WPP_E_MEMORY. */
bool calls_add(struct calls *c, const struct dump_range *range, struct wpp_error *error);
void calls_sort(struct calls *c);
void calls_free(struct calls *c);

#endif
