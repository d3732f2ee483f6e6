/* SPDX-License-Identifier: MIT */
/* query.h - `A before B`: of B's executions, how many come behind an A with no other B
 * in between.
 *
 * A and B are `routine`, `routine/path` or `file:line`: a path of the routine (of each
 * of that name, as it is shown or as the assembler calls it), that path, or a path that
 * executes the line.  A file goes by the end of its name: `b.c` is also `a/b.c`.
 */
#ifndef WPP_HOT_QUERY_H
#define WPP_HOT_QUERY_H

#include <stdio.h>

#include "hotpaths/hotpaths.h"

enum query_status {
    QUERY_OK,
    QUERY_NO_MEMORY,
    QUERY_NO_ORDER,             /* there is no ` before ` in it */
    QUERY_NO_A, QUERY_NO_B      /* what is named was not executed */
};

struct query {
    char *a, *b;                /* what it names; of `text` */
    char *text;
    struct hot_order order;
};

/* query_free either way. */
enum query_status query_ask(struct query *q, const wpp *w, uint32_t thread, const char *text);
void query_free(struct query *q);

#endif
