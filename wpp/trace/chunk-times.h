/* SPDX-License-Identifier: MIT */
/* chunk-times.h - when pieces of a trace were recorded (wpp.h, struct wpp_chunk).
 *
 *   of each thread:  record 0  1  2  3  4  5  6  7  8      every = 1
 *                           x     x     x     x     x      every = 2, then 4, ...
 *
 * A record of tokens begins a chunk as long as there are few chunks.  When there are too many,
 * every second chunk of each thread is removed, and from then on only every second record begins
 * one.  So the list of a long run is not longer than that of others, only coarser.  Only the
 * records decide which chunks stay.
 */
#ifndef WPP_CHUNK_TIMES_H
#define WPP_CHUNK_TIMES_H

#include "wpp/trace/streams.h"
#include "wpp/wpp.h"

struct wpp_chunk_times {
    struct wpp_chunk *list;      /* in order of the trace */
    uint64_t n, capacity;
    uint64_t most;               /* largest number of chunks; 0: no record has come */
    uint64_t every;
};

void wpp_chunk_times_free(struct wpp_chunk_times *w);
/* Takes a record of stream `stream`, which begins at `time`.  False: no memory. */
bool wpp_chunk_times_add(struct wpp_chunk_times *w, struct wpp_streams *streams, uint32_t stream,
                         uint64_t time);

#endif
