/* SPDX-License-Identifier: MIT */
/* finders.h - the last few things that were looked for, with their finders.  To make one takes O(grammar):
 * it is made part by part, one at a time. */
#ifndef WPP_FINDERS_H
#define WPP_FINDERS_H

#include "wpp/replay/finder-parts.h"
#include "wpp/wpp.h"

enum { N_FINDERS = 8, FINDER_PART = 1 << 20 };    /* symbols of a part: some milliseconds */

/* All zero but `w` is empty. */
struct finders {
    const wpp *w;
    struct { char *what; wpp_finder *finder; } kept[N_FINDERS];    /* the last one first; what NULL: none */
    char *what;                    /* being made; NULL: none is */
    wpp_finder *making;
};

/* Finds `sort.c:59`, `swap`, `swap/2`.  FINDER_READY: *out, which lives until N_FINDERS others have been
 * asked for.  FINDER_MORE: it is being made now, and no other.  FINDER_TOO_MANY: an error, WPP_E_MEMORY, or
 * WPP_E_ARGUMENT if it was never executed. */
enum finder_state finders_ask(struct finders *f, const char *what, const wpp_finder **out,
                              struct wpp_error *error);
/* Makes a part; false: there is nothing to be made.  What fails is given up: finders_ask() says it again. */
bool finders_work(struct finders *f);
void finders_free(struct finders *f);

#endif
