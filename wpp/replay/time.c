/* SPDX-License-Identifier: MIT */
/* time.c - from an event to about when it ran, and back. */
#include "wpp/wpp.h"

/* Two beginnings of a thread's chunks, next to each other, with the place that is looked for between
 * them. */
struct between {
    uint64_t event, time;          /* of the first one */
    uint64_t next_event, next_time;
    bool found;                    /* there is a first one */
};

static uint64_t begin_of(const struct wpp_chunk *chunks, uint64_t n)
{
    uint64_t begin = UINT64_MAX;

    for (uint64_t i = 0; i < n; i++)
        begin = chunks[i].time < begin ? chunks[i].time : begin;
    return begin;
}

/* The chunk that `event`, or else `time`, lies in.  The last chunk ends with the thread's events, at
 * the latest time that is known. */
static struct between look_up(const wpp *w, uint32_t thread, uint64_t event, uint64_t time,
                              bool by_time)
{
    uint64_t n, begin, latest = 0;
    const struct wpp_chunk *c = wpp_chunks(w, &n);
    struct between b = {.next_event = wpp_thread(w, thread)->tokens};
    struct wpp_summary s;

    begin = begin_of(c, n);
    for (uint64_t i = 0; i < n; i++)
        latest = c[i].time - begin > latest ? c[i].time - begin : latest;
    wpp_get_summary(w, &s);
    b.next_time = s.nanoseconds > latest ? s.nanoseconds : latest;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = c[i].time - begin;

        if (c[i].thread != thread)
            continue;
        if (b.found && (by_time ? at > time : c[i].first > event)) {
            b.next_event = c[i].first;
            b.next_time = at;
            break;
        }
        b.event = c[i].first;
        b.time = at;
        b.found = true;
    }
    return b;
}

/* to + (at - from) * (end - to) / (last - from), without overflow; at most `end`. */
static uint64_t scale(uint64_t at, uint64_t from, uint64_t last, uint64_t to, uint64_t end)
{
    if (at <= from || end <= to)
        return to;
    if (at >= last)
        return end;
    return to + (uint64_t)((unsigned __int128)(at - from) * (end - to) / (last - from));
}

bool wpp_time_of(const wpp *w, uint32_t thread, uint64_t event, uint64_t *nanoseconds)
{
    struct between b = look_up(w, thread, event, 0, false);

    *nanoseconds = b.found ? scale(event, b.event, b.next_event, b.time, b.next_time) : 0;
    return b.found;
}

bool wpp_event_at(const wpp *w, uint32_t thread, uint64_t nanoseconds, uint64_t *event)
{
    struct between b = look_up(w, thread, 0, nanoseconds, true);

    *event = b.found ? scale(nanoseconds, b.time, b.next_time, b.event, b.next_event) : 0;
    return b.found;
}
