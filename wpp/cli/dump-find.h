/* SPDX-License-Identifier: MIT */
/* dump-find.h - wpp-dump's answers to `where`: executions of a thing, and call stacks. */
#ifndef WPP_DUMP_FIND_H
#define WPP_DUMP_FIND_H

#include "wpp/replay/dump.h"

enum find_which { FIND_FIRST, FIND_LAST, FIND_ALL, FIND_NTH };

struct find_request {
    const char *what;              /* run-run-place.h: `sort.c:59`, `swap`, `swap/2` */
    enum find_which which;
    uint64_t nth;                  /* FIND_NTH: from 1, through all ranges */
};

/* `first`, `last`, `all` or a number; anything else is a usage error. */
void find_parse_nth(const char *text, struct find_request *out);

/* Prints how often the thing was executed in the ranges, then each asked execution: its event, time and
 * stack.  Dies if it was never executed anywhere, or not so often in the ranges.  It reads as much of the
 * grammar as it needs (wpp_read_until()): of the whole run, no more than until the asked execution. */
void find_show(const struct find_request *request, wpp *w, const char *path, const struct dump_range *ranges,
               uint32_t n);

/* Prints the stack with which an event runs; at the thread's end, of what had not ended.  `event` is at
 * most the thread's number of events. */
void find_show_stack(const wpp *w, uint32_t thread, uint64_t event, bool assembler_names);

#endif
