/* SPDX-License-Identifier: MIT */
/* calls.h - who called whom, how often. */
#ifndef WPP_CALLS_H
#define WPP_CALLS_H

#include "wpp/replay/dump.h"

/* No traced routine had an activation: the thread began, or recording did, or code that is not
 * traced was at work. */
#define CALLS_NOBODY UINT32_MAX

/* Routines by number.  The caller is the routine of the topmost activation when the callee's began,
 * whatever untraced code may lie between; a signal handler's is what it interrupted. */
struct call_count {
    uint32_t caller, callee;
    uint64_t count;
};

/* All zero is none.  A hash table by both routines until calls_sort(); then the most frequent first. */
struct calls {
    struct call_count *list;
    size_t n, size;          /* a power of two; a count of 0: nobody's place */
};

/* Adds the calls in the range.  WPP_E_MEMORY. */
bool calls_add(struct calls *c, const struct dump_range *range, struct wpp_error *error);
void calls_sort(struct calls *c);
void calls_free(struct calls *c);

#endif
