/* SPDX-License-Identifier: MIT */
/* moved.h - where the files that a trace names are now, if they have moved since it was
 * recorded.
 *
 *      /build=/home/ada/x     /build/bin/prog is looked for as /home/ada/x/bin/prog
 *      /=/mnt/target          all of another system's files
 *
 * A rule applies to whole names of folders: a rule for /build does not apply to /builds/prog.
 * If several rules fit, all are tried, the last one first, then the path itself.  A file is
 * accepted by its contents, not by its place.
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

/* The i-th place where the file may be; the caller frees *out.  False: without memory.  *out is
 * NULL behind the last place. */
bool wpp_moved_place(const struct wpp_moved *m, const char *path, unsigned i, char **out);

#endif
