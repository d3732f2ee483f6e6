/* SPDX-License-Identifier: MIT */
/* merged-trace.h - a trace file of several processes (WPP_OPTIONS=merge), taken apart.
 *
 *      | MERGED | 1: PROCESS | 2: PROCESS | 1: MODULE_LOAD | 1: COUNTS | 2: ... |
 *
 * The records of each process, in their order, are a trace of its own.
 */
#ifndef WPP_MERGED_TRACE_H
#define WPP_MERGED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct wpp_merged_piece {
    uint32_t process;                    /* its number in the file */
    uint32_t pid;
    uint64_t at, bytes;                  /* a record */
};

struct wpp_merged_trace {
    struct wpp_merged_piece *piece;      /* by process, then in the file's order */
    size_t n, room;
};

/* Whether a file with these first bytes is one. */
enum { WPP_MERGED_KNOWS = 8 };
bool wpp_merged_trace_is(const uint8_t *first, size_t n);

/* What the head says of the length of all records; 0: there is no whole head. */
uint64_t wpp_merged_trace_length(const uint8_t *file, size_t size);
/* `length`: what the head said when `size` bytes were there; it grows while processes append.  False:
 * WPP_E_MEMORY; WPP_E_DAMAGED, WPP_E_VERSION, _INCOMPLETE: then what stands before that is there. */
bool wpp_merged_trace_read(struct wpp_merged_trace *t, const uint8_t *file, size_t size, uint64_t length,
                           struct wpp_error *error);
void wpp_merged_trace_free(struct wpp_merged_trace *t);

#endif
