/* SPDX-License-Identifier: MIT */
/* event-limit.h - decides which records belong to the first events of a recording.
 *
 * Each thread hands over its events by the chunk.  When the limit is reached, other threads
 * still have earlier events in their chunks.  So for each stream that has begun, its next TOKENS
 * still belong to the first events, or else its BUFFER.  Of the stream that reached the limit,
 * no further records do.
 *
 *      thread 1  |-- TOKENS --|-- TOKENS --X
 *      thread 2  |-- ... of its chunk      |  ... TOKENS --X
 *      thread 3                            | X
 *                                       limit        X: nothing behind it
 */
#ifndef WPP_EVENT_LIMIT_H
#define WPP_EVENT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct wpp_cut;
struct wpp_record;

struct wpp_event_limit {
    uint64_t most;               /* limit of tokens; 0: none */
    uint64_t tokens;             /* tokens in TOKENS records taken so far */
    struct wpp_cut *cuts;        /* streams and processes whose last record, after the limit, has
                                    come */
    uint32_t n, capacity;
    bool failed;                 /* no memory for a cut: its stream is left out */
};

void wpp_event_limit_free(struct wpp_event_limit *l);

bool wpp_event_limit_is_reached(const struct wpp_event_limit *l);

enum wpp_event_limit_result {
    WPP_EVENT_LIMIT_LEAVES_OUT,
    WPP_EVENT_LIMIT_TAKES,
    WPP_EVENT_LIMIT_EMPTIES            /* a BUFFER is kept without its payload: more events
                                          existed */
};

/* Decides over a process's next record. */
enum wpp_event_limit_result wpp_event_limit_takes(struct wpp_event_limit *l, uint32_t process,
                                                  const struct wpp_record *record);

#endif
