/* SPDX-License-Identifier: MIT */
/* moved.h - where the files that a trace names are now, if not where they were when it was recorded.
 *
 *      /build=/home/ada/x     /build/bin/prog is looked for as /home/ada/x/bin/prog
 *      /=/mnt/target          all of another system's files
 *
 * A rule is about whole names of folders: /build says nothing of /builds/prog.  Where several
 * rules fit, all are tried, the last one first, then the path itself; a file is taken for what it
 * holds, not for where it lies.
 */
#ifndef WPP_MOVED_H
#define WPP_MOVED_H

#include <stdbool.h>

struct wpp_move { const char *from, *to; };    /* neither is empty */

struct wpp_moved {
    unsigned n;
    struct wpp_move *list;
};

/* Adds a rule `FROM=TO`; the strings are copied. */
enum wpp_moved_result { WPP_MOVED_OK, WPP_MOVED_WRONG, WPP_MOVED_NO_MEMORY };
enum wpp_moved_result wpp_moved_add(struct wpp_moved *m, const char *rule);
void wpp_moved_free(struct wpp_moved *m);

/* The i-th place where the file may be, for free().  False: without memory.  *out is NULL behind the
 * last one. */
bool wpp_moved_place(const struct wpp_moved *m, const char *path, unsigned i, char **out);

#endif
