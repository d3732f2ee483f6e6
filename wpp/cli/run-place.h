/* SPDX-License-Identifier: MIT */
/* run-place.h - places in a run, and what is looked for in it, as people write them.
 *
 *      4711, 3M        event number 4711, counted from 0
 *      -20             20 events before the end
 *      1.5s, 20ms      the event that ran about then
 *      sort.c:59#3     the third execution of line 59; #-1 is the last one
 *      swap#3          the third call of swap
 *      swap/2#3        the third execution of swap's path 2
 *
 * For the tools' main functions: what makes no sense ends the program with a message.
 */
#ifndef WPP_RUN_PLACE_H
#define WPP_RUN_PLACE_H

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

/* The event; a place behind the thread's end is its end.  `path` names the file in messages. */
uint64_t place_event(const struct place *p, const wpp *w, const char *path, uint32_t thread);

/* What is looked for: `sort.c:59`, `swap`, `swap/2`.  Its weights (wpp.h), to be freed; dies if it was
 * never executed. */
uint32_t *place_weights(const wpp *w, const char *path, const char *what);

/* The line at which an execution of it stands: the within-th one of terminal t.  NULL: none is known. */
const struct wpp_line *place_line(const wpp *w, const char *what, uint32_t terminal, uint32_t within);

#endif
