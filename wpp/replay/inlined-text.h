/* SPDX-License-Identifier: MIT */
/* inlined-text.h - a path's lines with the inlined calls that they belong to.
 *
 *      NewPath 3
 *        sort.c:50-52
 *        EnterInlined swap
 *          sort.c:30-31
 *        LeaveInlined swap
 *        sort.c:53
 */
#ifndef WPP_INLINED_TEXT_H
#define WPP_INLINED_TEXT_H

#include <stdio.h>

#include "wpp/replay/line-trail.h"

/* Where the text goes, and how far to the right. */
struct inlined_text {
    FILE *out;
    const struct wpp_routine *routine;
    uint32_t indent;               /* columns of what is in no inlined call */
    bool assembler_names;
};

/* Writes a path's lines.  *scope is the inlined call in which the activation is, 0 for none, as in
 * struct wpp_line; it becomes that of the path's end. */
void inlined_lines(const struct inlined_text *t, const struct trail *trail, uint32_t *scope);
/* Leaves all inlined calls. */
void inlined_leave(const struct inlined_text *t, uint32_t *scope);

#endif
