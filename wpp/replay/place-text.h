/* SPDX-License-Identifier: MIT */
/* place-text.h - places in a run, and what is looked for in it, as people write them.
 *
 *      4711, 3M        event number 4711, counted from 0
 *      -20             20 events before the end
 *      1.5s, 20ms      the event that ran about then
 *      sort.c:59#3     the third execution of line 59; #-1 is the last one
 *      swap#3          the third call of swap
 *      swap/2#3        the third execution of swap's path 2
 */
#ifndef WPP_PLACE_TEXT_H
#define WPP_PLACE_TEXT_H

#include "wpp/wpp.h"

enum place_kind { PLACE_EVENT, PLACE_FROM_END, PLACE_TIME, PLACE_EXECUTION };

struct place {
    enum place_kind kind;
    uint64_t n;                    /* event, events before the end, nanoseconds, or which execution,
                                      from 1 */
    bool last;                     /* of executions: counted from the last one */
    char what[256];                /* of executions */
};

/* Reads the first `length` characters of a text.  False: they are no place. */
bool place_parse(const char *text, size_t length, struct place *out);

/* What is looked for: `sort.c:59`, `swap`, `swap/2`.  Its weights (wpp.h), to be freed.  NULL:
 * WPP_E_MEMORY; WPP_E_ARGUMENT: it was never executed. */
uint32_t *place_find_weights(const wpp *w, const char *what, struct wpp_error *error);

/* The event of a place that is no execution; a number may lie behind the thread's end.  WPP_E_ARGUMENT: no
 * times are known. */
bool place_find_event(const struct place *p, const wpp *w, uint32_t thread, uint64_t *event,
                      struct wpp_error *error);

/* Execution p->n of those that f finds, which looks for p->what: its event, and how many of them lie in
 * the event before it.  WPP_E_ARGUMENT: there are fewer. */
bool place_find_execution(const struct place *p, const wpp *w, const wpp_finder *f, uint32_t thread,
                          uint64_t *event, uint32_t *within, struct wpp_error *error);

/* The file and line of `sort.c:59`.  `file` has room for the text.  False: it is no line. */
bool place_line_of(const char *what, char *file, uint32_t *line);

/* The line at which an execution of it stands: the within-th one of terminal t.  NULL: none is known. */
const struct wpp_line *place_line(const wpp *w, const char *what, uint32_t terminal, uint32_t within);

/* By number: whether a routine has that name, in full or as people write it, in *chosen, to be freed.
 * False: no memory.  *any: one has it. */
bool routines_named(const wpp *w, const char *asked, bool **chosen, bool *any);

#endif
