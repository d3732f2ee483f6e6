/* SPDX-License-Identifier: MIT */
/* predicate-lines.h - on which lines that lies of which a predicate speaks.
 *
 *      line      the line itself
 *      branch    the lines of the block that is left, and the first one of the block it goes to
 *      loop      the lines of the block in which the loop begins, also of `exactly`
 *      path      the lines that the path passes; of several paths, those of all
 *      routine   the line at which it begins; of callers, those of all
 *      depth     the same, and the lines of the paths that an activation begins with
 */
#ifndef WPP_PREDICATE_LINES_H
#define WPP_PREDICATE_LINES_H

#include "wpp/runs/predicates.h"

/* Lines of a file; `file` may leave out folders: `lex.c` is `src/lex.c`, too. */
struct line_range { const char *file; uint32_t first, last; };
/* Lines of several files; none: all lines. */
struct line_ranges { const struct line_range *range; uint32_t n; };

/* Whether the predicate lies on one of the lines. */
bool predicate_lies_on(const struct vocabulary *v, uint32_t predicate, const struct line_ranges *lines);

/* ---- Lines that were seen ------------------------------------------------------------------- */

/* A set of lines, to which predicates add theirs. */
struct lines_seen {
    const struct vocabulary *v;
    uint64_t *slot;            /* hashes of files and lines; 0: none */
    size_t n, n_slots;         /* n_slots: a power of two */
    struct path_seen { uint32_t block, line; } *path;  /* by path: all its lines before this one are there */
};

/* False: no memory. */
bool lines_seen_init(struct lines_seen *s, const struct vocabulary *v);
void lines_seen_free(struct lines_seen *s);
/* Whether the predicate lies on lines, and all of them are there.  Cost, over all calls: each line of each path
 * once, and O(1) a call. */
bool lines_seen_all(struct lines_seen *s, uint32_t predicate);
/* Adds the lines of the predicate.  False: no memory. */
bool lines_seen_add(struct lines_seen *s, uint32_t predicate);

#endif
