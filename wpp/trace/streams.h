/* SPDX-License-Identifier: MIT */
/* streams.h - the threads of a trace: one stream each, found by thread id.  A reused thread id
 * means its newest stream. */
#ifndef WPP_STREAMS_H
#define WPP_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

struct wpp_stream {
    uint32_t tid;
    uint32_t next_sequence;      /* of its records */
    uint64_t position;           /* words so far: events, zeros and lost ones */
    uint64_t tokens;             /* events so far */
    uint64_t in_segments;        /* of these, in segments that have ended (limited-segments.c) */
    uint64_t records;            /* of tokens, so far */
    uint64_t chunks;             /* chunk-times.c's scratch */
    char name[16];
};

struct wpp_streams {
    uint32_t n, capacity;
    struct wpp_stream *list;     /* in order of their first record */
    uint32_t *slots;             /* 1 + index by hash of tid, 0 empty; n_slots a power of two */
    uint32_t n_slots;
};

void wpp_streams_free(struct wpp_streams *s);
/* The newest stream of a thread; NULL if there is none. */
struct wpp_stream *wpp_streams_find(const struct wpp_streams *s, uint32_t tid);
/* Begins a new stream; NULL without memory.  Pointers into the list become invalid. */
struct wpp_stream *wpp_streams_add(struct wpp_streams *s, uint32_t tid);

#endif
