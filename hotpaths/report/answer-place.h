/* SPDX-License-Identifier: MIT */
/* answer-place.h - the kind of code of an answer, and its place.
 *
 *      loop        its paths repeat a loop, or recur otherwise
 *      calls       a chain of calls, without a loop
 *      straight    paths of one routine, without repetition
 *
 * Its place is a function and the range of that function's lines that ran.  The function is the
 * routine of the least deep step that runs the user's own code; or, if all of the routine's lines
 * are code of one inlined function, that function:
 *
 *      work:35  calls dot, inlined;  dot:11-12 is all that ran       dot in work  crowd.c:11-12
 *
 * Lines of functions that were inlined into the function count as the line of the call.
 */
#ifndef WPP_ANSWER_PLACE_H
#define WPP_ANSWER_PLACE_H

#include <stdbool.h>

#include "hotpaths/report/shown-answers.h"

enum answer_kind { KIND_LOOP, KIND_CALLS, KIND_STRAIGHT };

enum answer_kind answer_kind(const wpp *w, const struct shown *s);
const char *answer_kind_name(enum answer_kind kind);

struct answer_place {
    char symbol[WPP_SYMBOL_NAME];   /* without routine: the name of the first path; else "" */
    const char *function;       /* as shown; belongs to the wpp */
    const char *outer;          /* the routine into which the function is inlined; NULL: none */
    const char *file;           /* NULL: no lines are known */
    uint32_t first, last;
    const char **others;        /* other routines, the most expensive first; freed by free */
    size_t n_others;
};

/* `system`: treat lines of system headers as others.  False: no memory; answer_place_free either
 * way. */
bool answer_place_of(struct answer_place *p, const wpp *w, const uint64_t *cost,
                     const struct shown *s, bool system);
void answer_place_free(struct answer_place *p);

#endif
