/* SPDX-License-Identifier: MIT */
/* query.h - what comes before what.
 *
 *      A before B      of B's executions, how many come after an A with no other B between
 *      before B        the paths right before one of B's that are not B's themselves
 *      behind B        right behind
 *
 * A and B are `routine`, `routine/path` or `file:line`.  `routine` stands for each path of the
 * routine, and for each path that runs its code where it was inlined.  It means all routines of
 * that name, as shown or as the assembler has it; if there are none, all that the name fits (see
 * wpp/base/names.h). `routine/path` stands for that path, `file:line` for each path that executes
 * the line.  A file is named by the end of its name: `b.c` is also `a/b.c`.
 */
#ifndef WPP_QUERY_H
#define WPP_QUERY_H

#include <stdio.h>

#include "hotpaths/hotpaths.h"

enum query_status {
    QUERY_OK,
    QUERY_NO_MEMORY,
    QUERY_NO_ORDER,             /* the text has none of these forms */
    QUERY_NO_A, QUERY_NO_B      /* the named code was not executed */
};

struct query {
    char *a, *b;                /* the names in it; parts of `text`.  a: NULL for `before B` and
                                   `behind B` */
    char *text;
    bool before;                /* else behind B */
    struct hot_order order;     /* without A: only b */
    uint64_t *times;            /* without A: counts by terminal */
};

/* Whether the name is that of a line of this file. */
bool query_is_line_of(const char *name, const char *file);

/* Answers the query; query_free either way. */
enum query_status query_ask(struct query *q, const wpp *w, uint32_t thread, const char *text);
void query_free(struct query *q);

#endif
