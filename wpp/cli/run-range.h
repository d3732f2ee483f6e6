/* SPDX-License-Identifier: MIT */
/* run-range.h - the ranges of --range: `A:B`, `A:`, `:B`, `A:+N`, where A and B are places in a run.
 *
 * For the tools' main functions: what makes no sense ends the program with a message. */
#ifndef WPP_RUN_RANGE_H
#define WPP_RUN_RANGE_H

#include "wpp/cli/run-place.h"

struct run_range {
    const char *text;              /* the option's argument; NULL: the whole thread */
    bool has_begin, has_end;
    struct place begin, end;
    bool counted;                  /* `end` is a number of events from `begin` on */
};

void run_range_parse(struct run_range *r, const char *text);

/* The events [*begin, *end) of the thread; *begin <= *end <= its events.  `path` names the file in
 * messages.  The grammar need not have been read until there: see place_event(). */
void run_range_events(const struct run_range *r, wpp *w, const char *path, uint32_t thread,
                      uint64_t *begin, uint64_t *end);

#endif
