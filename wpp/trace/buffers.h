/* SPDX-License-Identifier: MIT */
/* buffers.h - tokens that threads had recorded but not handed over when their process ended: the
 * BUFFER records of a trace, kept until its end. */
#ifndef WPP_BUFFERS_H
#define WPP_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/trace-abi.h"

struct wpp_kept_buffer {
    uint32_t tid;
    uint64_t first;              /* tokens of the stream before words[0] */
    size_t n;
    uint8_t *words;              /* little-endian, as in the trace */
    struct wpp_fault fault;      /* where the thread was when the process died, if it says */
};

struct wpp_buffers {
    struct wpp_kept_buffer *list;
    size_t n, capacity;
    uint64_t length;             /* the least length of the trace; 0 if it does not say */
    bool lacking;                /* a thread had no buffer */
};

void wpp_buffers_free(struct wpp_buffers *b);

enum wpp_buffers_result { WPP_BUFFERS_OK, WPP_BUFFERS_WRONG, WPP_BUFFERS_NO_MEMORY };

/* Takes a BUFFER record's payload.  WRONG: the payload is not that of a BUFFER. */
enum wpp_buffers_result wpp_buffers_add(struct wpp_buffers *b, const uint8_t *payload, size_t size);

/* Whether every thread had a buffer: then no event was lost with the process. */
bool wpp_buffers_are_all(const struct wpp_buffers *b);

#endif
