/* SPDX-License-Identifier: MIT */
/* last-path.h - what a thread was doing when a signal killed the process.
 *
 * A path's event comes at its end, so the path that the thread was on has none.  Known are
 *
 *      where it began     at the entry of a routine, or where the last path of its activation
 *                         goes on: the trace tells
 *      where it was       a line of the routine: the file tells (struct wpp_death), or nothing
 *
 * The blocks that all ways from the one to the other share were passed for certain; they dominate
 * the place.  Between them, other blocks may lie.
 */
#ifndef WPP_LAST_PATH_H
#define WPP_LAST_PATH_H

#include <stdio.h>

#include "wpp/replay/line-trail.h"

enum last_path_kind {
    LAST_PATH_NONE,        /* no signal killed the process, or another thread is known to have got it */
    LAST_PATH_PART,        /* a path of `routine` had begun: `pieces` */
    LAST_PATH_CALL,        /* the thread was in the call that ends its last event */
    LAST_PATH_END,         /* it was at the end of its last event, which does not go on */
    LAST_PATH_BEHIND,      /* somewhere behind the last event of `routine`, or in what it called */
    LAST_PATH_UNKNOWN      /* the thread has no event, or no activation is known */
};

/* Lines that follow each other without a gap. */
struct last_path {
    enum last_path_kind kind;
    uint32_t signal;
    const struct wpp_death *death;         /* NULL: the place is not known */
    const struct wpp_routine *routine;     /* NULL with UNKNOWN */
    struct wpp_line line;                  /* where it was; of BEHIND: behind which line; line 0: not
                                              known */
    bool calls;                            /* BEHIND: its last event ends with a call */
    bool enters;                           /* PART: of a new activation, for certain */
    uint32_t n_pieces;
    struct trail *pieces;                  /* in order; between two, other lines may lie */
    bool open_begin, open_end;             /* likewise before the first and behind the last one */
};

/* Of a thread of a WPP that has its order.  WPP_E_MEMORY.  Cost: O(events since the topmost
 * activation's last path) in general, at most those of the thread; the routine's graph. */
bool last_path_find(const wpp *w, uint32_t thread, struct last_path *out, struct wpp_error *error);
/* The same of the thread that got the signal, as far as the file tells: else of the only thread. */
bool last_path_of_run(const wpp *w, struct last_path *out, struct wpp_error *error);
void last_path_free(struct last_path *p);

/* Prints `px.c:8 ... px.c:12`: the lines that were passed. */
void last_path_lines(FILE *out, const struct last_path *p);
/* Prints `killed by SIGSEGV at px.c:12 in sum`. */
void last_path_say(FILE *out, const struct last_path *p, bool assembler_names);

#endif
