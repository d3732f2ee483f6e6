/* SPDX-License-Identifier: MIT */
/* query.h - what comes before what.
 *
 *      A before B      of B's executions, how many come behind an A with no other B between
 *      before B        the paths right before one of B's, which are none of B's
 *      behind B        right behind
 *
 * A and B are `routine`, `routine/path` or `file:line`: a path of the routine (of each
 * of that name, as it is shown or as the assembler calls it; if there is none, of each that
 * the name fits, see wpp/base/names.h) or one that runs its code where it was inlined, that path,
 * or a path that executes the line.  A file goes by the end of its name: `b.c` is also `a/b.c`.
 */
#ifndef WPP_QUERY_H
#define WPP_QUERY_H

#include <stdio.h>

#include "hotpaths/hotpaths.h"

enum query_status {
    QUERY_OK,
    QUERY_NO_MEMORY,
    QUERY_NO_ORDER,             /* it is like none of these */
    QUERY_NO_A, QUERY_NO_B      /* what is named was not executed */
};

struct query {
    char *a, *b;                /* what it names; of `text`.  a: NULL if only what stands beside B */
    char *text;
    bool before;                /* else behind B */
    struct hot_order order;     /* without A: b alone */
    uint64_t *times;            /* without A: of each terminal */
};

/* Whether what is named is a line of this file. */
bool query_is_line_of(const char *name, const char *file);

/* query_free either way. */
enum query_status query_ask(struct query *q, const wpp *w, uint32_t thread, const char *text);
void query_free(struct query *q);

#endif
