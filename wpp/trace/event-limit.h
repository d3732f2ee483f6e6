/* SPDX-License-Identifier: MIT */
/* event-limit.h - the first events of a recording: which records belong to them.
 *
 * A thread hands its events over by the chunk.  When as many have come as are wanted, what
 * other threads did before that lies in their chunks: so of each stream that has begun, the
 * next TOKENS still belong to the first events, or else the BUFFER.  Of the one that reached
 * the limit none do.
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
    uint64_t most;               /* tokens, 0: no limit */
    uint64_t tokens;             /* that have been taken by TOKENS records */
    struct wpp_cut *cuts;        /* streams and processes whose end, since the limit, is known */
    uint32_t n, capacity;
    bool failed;                 /* no memory for one of them: it is left out */
};

void wpp_event_limit_free(struct wpp_event_limit *l);

bool wpp_event_limit_is_reached(const struct wpp_event_limit *l);

enum wpp_event_limit_result {
    WPP_EVENT_LIMIT_LEAVES_OUT,
    WPP_EVENT_LIMIT_TAKES,
    WPP_EVENT_LIMIT_EMPTIES            /* a BUFFER, to stay without its payload: there was more */
};

/* What becomes of a process's next record. */
enum wpp_event_limit_result wpp_event_limit_takes(struct wpp_event_limit *l, uint32_t process,
                                                  const struct wpp_record *record);

#endif
