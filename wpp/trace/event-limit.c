/* SPDX-License-Identifier: MIT */
#include "wpp/trace/event-limit.h"

#include <stdlib.h>

#include "tracer/trace-abi.h"

enum { WHOLE_PROCESS = 0 };      /* a value that is no thread's number */

struct wpp_cut {
    uint32_t process, tid;
    bool left_out;               /* something was left out: nothing may follow */
};

void wpp_event_limit_free(struct wpp_event_limit *l)
{
    free(l->cuts);
    *l = (struct wpp_event_limit){0};
}

bool wpp_event_limit_is_reached(const struct wpp_event_limit *l)
{
    return l->most && l->tokens >= l->most;
}

/* ---- Cuts ------------------------------------------------------------------------- */

static struct wpp_cut *find(const struct wpp_event_limit *l, uint32_t process, uint32_t tid)
{
    for (uint32_t i = l->n; i-- > 0;)
        if (l->cuts[i].process == process && l->cuts[i].tid == tid)
            return &l->cuts[i];
    return NULL;
}

static void cut(struct wpp_event_limit *l, uint32_t process, uint32_t tid, bool left_out)
{
    if (l->n == l->capacity) {
        uint32_t capacity = l->capacity ? 2 * l->capacity : 16;
        struct wpp_cut *larger = realloc(l->cuts, capacity * sizeof *larger);

        if (!larger) {
            l->failed = true;
            return;
        }
        l->cuts = larger;
        l->capacity = capacity;
    }
    l->cuts[l->n++] = (struct wpp_cut){process, tid, left_out};
}

static bool is_whole(const struct wpp_event_limit *l, uint32_t process)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->cuts[i].process == process && l->cuts[i].left_out)
            return false;
    return true;
}

/* ---- Records ------------------------------------------------------------------------ */

static bool is_of_stream(unsigned kind)
{
    return kind == WPP_REC_THREAD || kind == WPP_REC_TOKENS || kind == WPP_REC_THREAD_END ||
           kind == WPP_REC_LOST || kind == WPP_REC_FORK;
}

static enum wpp_event_limit_result takes_of_stream(struct wpp_event_limit *l, uint32_t process,
                                                   const struct wpp_record *r)
{
    struct wpp_cut *its = find(l, process, r->tid);

    if (r->kind == WPP_REC_THREAD) {
        cut(l, process, r->tid, true);
        return WPP_EVENT_LIMIT_LEAVES_OUT;
    }
    if (!its && r->kind == WPP_REC_TOKENS) {
        cut(l, process, r->tid, false);
        return WPP_EVENT_LIMIT_TAKES;
    }
    if (its && r->kind == WPP_REC_TOKENS)
        its->left_out = true;
    return its && its->left_out ? WPP_EVENT_LIMIT_LEAVES_OUT : WPP_EVENT_LIMIT_TAKES;
}

static enum wpp_event_limit_result takes_behind(struct wpp_event_limit *l, uint32_t process,
                                                const struct wpp_record *r)
{
    if (l->failed || find(l, process, WHOLE_PROCESS))
        return WPP_EVENT_LIMIT_LEAVES_OUT;
    if (r->kind == WPP_REC_PROCESS) {
        cut(l, process, WHOLE_PROCESS, true);
        return WPP_EVENT_LIMIT_LEAVES_OUT;
    }
    if (is_of_stream(r->kind))
        return takes_of_stream(l, process, r);
    if (r->kind == WPP_REC_BUFFER && find(l, process, r->tid))
        return WPP_EVENT_LIMIT_EMPTIES;
    /* END gives the number of all tokens. */
    if (r->kind == WPP_REC_END && !is_whole(l, process))
        return WPP_EVENT_LIMIT_LEAVES_OUT;
    return WPP_EVENT_LIMIT_TAKES;
}

enum wpp_event_limit_result wpp_event_limit_takes(struct wpp_event_limit *l, uint32_t process,
                                                  const struct wpp_record *record)
{
    bool reached = wpp_event_limit_is_reached(l);
    enum wpp_event_limit_result result =
        reached ? takes_behind(l, process, record) : WPP_EVENT_LIMIT_TAKES;

    if (result != WPP_EVENT_LIMIT_TAKES || record->kind != WPP_REC_TOKENS)
        return result;
    l->tokens += record->bytes / 4;
    if (!reached && wpp_event_limit_is_reached(l))
        cut(l, process, record->tid, false);
    return WPP_EVENT_LIMIT_TAKES;
}
