/* SPDX-License-Identifier: MIT */
/* finders.h - the last few things that were looked for, with their finders: to make one takes O(grammar). */
#ifndef WPP_FINDERS_H
#define WPP_FINDERS_H

#include "wpp/wpp.h"

enum { N_FINDERS = 8 };

/* All zero but `w` is empty. */
struct finders {
    const wpp *w;
    struct { char *what; wpp_finder *finder; } kept[N_FINDERS];    /* the last one first; what NULL: none */
};

/* Finds `sort.c:59`, `swap`, `swap/2`.  It lives until N_FINDERS others have been asked for.  NULL:
 * WPP_E_MEMORY; WPP_E_ARGUMENT: that was never executed. */
const wpp_finder *finders_get(struct finders *f, const char *what, struct wpp_error *error);
/* Whether it is kept. */
bool finders_has(const struct finders *f, const char *what);
void finders_free(struct finders *f);

#endif
