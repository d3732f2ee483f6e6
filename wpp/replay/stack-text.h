/* SPDX-License-Identifier: MIT */
/* stack-text.h - a call stack as people read it: the innermost activation first, inlined calls as
 * calls, the line at which each one stands.
 *
 *      #0  swap       sort.c:31     since event 812
 *      #1  partition  sort.c:52     inlined
 *      #2  sort       sort.c:59     since event 700
 */
#ifndef WPP_STACK_TEXT_H
#define WPP_STACK_TEXT_H

#include <stdio.h>

#include "wpp/wpp.h"

/* A line of the text: an activation, or an inlined call in it. */
struct stack_row {
    const char *name;
    const char *file;              /* NULL: unknown */
    uint32_t line;
    bool inlined;
    uint64_t first;                /* of an activation */
    bool unseen;
    size_t frame;                  /* which of the frames it is, or lies in */
};

/* The text's lines; *out is from malloc, NULL if there are none.  False: no memory. */
bool stack_rows(const wpp *w, const struct wpp_frame *frames, size_t n, const struct wpp_line *at,
                bool assembler_names, struct stack_row **out, size_t *n_rows);

/* `at`: the line at which the innermost activation stands; NULL: where its path ends.  False: no memory. */
bool stack_print(FILE *out, const wpp *w, const struct wpp_frame *frames, size_t n,
                 const struct wpp_line *at, bool assembler_names);

/* The line in which a path ends; NULL: it has none. */
const struct wpp_line *path_end(const wpp *w, const struct wpp_terminal *t);

#endif
