/* SPDX-License-Identifier: MIT */
/* answer-place.h - what kind of code an answer is, and where it stands.
 *
 *      loop        its paths go round a loop, or come again and again
 *      calls       a chain of calls, without a loop
 *      straight    paths of one routine, none again
 *
 * Its place is a function and the range of that function's lines that ran.  The function is the
 * routine of the shallowest step that runs the user's own code; or, where all of the routine's lines
 * are code of one function that was inlined, that function:
 *
 *      work:35  calls dot, inlined;  dot:11-12 is all that ran       dot in work  crowd.c:11-12
 *
 * Lines of what the function calls, inlined, stand for the line of the call.
 */
#ifndef WPP_ANSWER_PLACE_H
#define WPP_ANSWER_PLACE_H

#include <stdbool.h>

#include "hotpaths/report/shown-answers.h"

enum answer_kind { KIND_LOOP, KIND_CALLS, KIND_STRAIGHT };

enum answer_kind answer_kind(const wpp *w, const struct shown *s);
const char *answer_kind_name(enum answer_kind kind);

struct answer_place {
    char symbol[WPP_SYMBOL_NAME];   /* without routine: what the first path is called; else "" */
    const char *function;       /* as shown, the wpp's */
    const char *outer;          /* the routine that the function is inlined into; NULL: itself */
    const char *file;           /* NULL: no lines are known */
    uint32_t first, last;
    const char **others;        /* other routines, the most costly first; by free */
    size_t n_others;
};

/* `system`: lines of system headers are as good as others.  False without memory; answer_place_free
 * either way. */
bool answer_place_of(struct answer_place *p, const wpp *w, const uint64_t *cost,
                     const struct shown *s, bool system);
void answer_place_free(struct answer_place *p);

#endif
