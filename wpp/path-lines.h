/* SPDX-License-Identifier: MIT */
/* path-lines.h - the source lines of a path, in execution order.
 *
 * A line that continues from one block to the next stands once
 * (docs/path-table-format.md).
 */
#ifndef WPP_PATH_LINES_H
#define WPP_PATH_LINES_H

#include <stdio.h>

#include "wpp/wpp.h"

struct path_lines {
    size_t n;
    struct wpp_line *line;     /* the caller's, file names the WPP's */
};

/* False without memory. */
bool path_lines_of(const struct wpp_terminal *terminal, const struct wpp_routine *routine,
                   struct path_lines *out);
void path_lines_free(struct path_lines *lines);

bool path_lines_equal(struct wpp_line a, struct wpp_line b);

/* `a.c:3-6 9 4 b.h:12`: file names where they change, rising runs joined.  At
 * most max_runs numbers and runs (0: all), then `...`. */
void path_lines_print(FILE *out, const struct path_lines *lines, size_t max_runs);

#endif
