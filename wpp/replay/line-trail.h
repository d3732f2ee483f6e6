/* SPDX-License-Identifier: MIT */
/* line-trail.h - the source lines of a path, in execution order.
 *
 * A line that continues from one block to the next is listed once (docs/path-table-format.md).
 */
#ifndef WPP_LINE_TRAIL_H
#define WPP_LINE_TRAIL_H

#include <stdio.h>

#include "wpp/wpp.h"

struct trail {
    size_t n;
    struct wpp_line *line;     /* owned by the caller; file names belong to the WPP */
};

/* False without memory. */
bool trail_of(const struct wpp_terminal *terminal, const struct wpp_routine *routine,
              struct trail *out);
void trail_free(struct trail *trail);

bool same_line(struct wpp_line a, struct wpp_line b);

/* Prints `a.c:3-6 9 4 b.h:12`: file names where they change, rising runs joined.  At most max_runs
 * numbers and runs (0: all), then `...`. */
void trail_print(FILE *out, const struct trail *trail, size_t max_runs);

#endif
