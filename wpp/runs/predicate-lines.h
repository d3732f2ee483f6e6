/* SPDX-License-Identifier: MIT */
/* predicate-lines.h - whether what a predicate speaks of lies on given lines. */
#ifndef WPP_PREDICATE_LINES_H
#define WPP_PREDICATE_LINES_H

#include "wpp/runs/predicates.h"

/* Lines of a file; `file` may leave out folders: `lex.c` is `src/lex.c`, too.  NULL: all lines. */
struct line_range { const char *file; uint32_t first, last; };

/* line      the line itself
 * branch    a line of the block that is left, or the first one of the block it goes to
 * loop      a line of the block in which the loop begins, also of `exactly`
 * path      a line that the path passes; of several paths, one of them
 * routine   the line at which it begins; of callers, one of the routines */
bool predicate_lies_on(const struct vocabulary *v, uint32_t predicate, const struct line_range *lines);

#endif
