/* SPDX-License-Identifier: MIT */
/* dump.h - writes a thread's events as text, for wpp-dump. */
#ifndef WPP_DUMP_H
#define WPP_DUMP_H

#include <stdio.h>

#include "wpp/wpp.h"

/* Which activations events are shown of. */
struct dump_filter {
    const bool *only;          /* by routine: these, and what they call; NULL: all */
    const bool *hidden;        /* by routine: neither these nor what they call; NULL: none */
    uint32_t depth;            /* so many levels of calls, the first one from `only`; 0: all */
};

/* Events [begin, end) of a thread. */
struct dump_range {
    const wpp *w;
    uint32_t thread;
    uint64_t begin, end;       /* begin <= end <= the thread's tokens */
    bool assembler_names;      /* of routines; else their names in C++ */
    bool inlined;              /* dump_events: inlined calls as calls */
    struct dump_filter filter; /* of dump_events and dump_lines */
};

/* All stop early, without an error, when `out` can no longer be written to: then ferror() tells it.
 * They fail only with WPP_E_MEMORY. */

/* Writes the tokens, 32 bits each, little-endian. */
bool dump_tokens(FILE *out, const struct dump_range *range, struct wpp_error *error);

/* Writes EnterThread, EnterRoutine, NewPath, LeaveRoutine, a line each, indented by depth of
 * activations.  `#` begins a remark: an event that the trace does not hold but that must have
 * happened (wpp/replay/events.h).  A range begins with the activations that it begins in.  Cost: what
 * events_until() takes, and O(events). */
bool dump_events(FILE *out, const struct dump_range *range, struct wpp_error *error);

/* Writes source lines in the order of execution, `file:line` each.  A line that goes on after a
 * call, or round a loop, is not repeated, except at the end of the range. */
bool dump_lines(FILE *out, const struct dump_range *range, struct wpp_error *error);

/* Adds the executions of each terminal in the range to counts. */
bool dump_count(const struct dump_range *range, uint64_t *counts, struct wpp_error *error);

#endif
