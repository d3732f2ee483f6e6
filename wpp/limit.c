/* SPDX-License-Identifier: MIT */
#include "wpp/limit.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"

enum { WHOLE_PROCESS = 0 };      /* no thread's number */

struct wpp_cut {
    uint32_t process, tid;
    bool left_out;               /* something has been: nothing may follow */
};

void wpp_limit_free(struct wpp_limit *l)
{
    free(l->cuts);
    *l = (struct wpp_limit){0};
}

bool wpp_limit_is_reached(const struct wpp_limit *l)
{
    return l->most && l->tokens >= l->most;
}

/* ---- Cuts ------------------------------------------------------------------------- */

static struct wpp_cut *find(const struct wpp_limit *l, uint32_t process, uint32_t tid)
{
    for (uint32_t i = l->n; i-- > 0;)
        if (l->cuts[i].process == process && l->cuts[i].tid == tid)
            return &l->cuts[i];
    return NULL;
}

static void cut(struct wpp_limit *l, uint32_t process, uint32_t tid, bool left_out)
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

static bool is_whole(const struct wpp_limit *l, uint32_t process)
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

static bool takes_of_stream(struct wpp_limit *l, uint32_t process, const struct wpp_record *h)
{
    struct wpp_cut *its = find(l, process, h->tid);

    if (h->kind == WPP_REC_THREAD) {
        cut(l, process, h->tid, true);
        return false;
    }
    if (!its && h->kind == WPP_REC_TOKENS) {
        cut(l, process, h->tid, false);
        return true;
    }
    if (its && h->kind == WPP_REC_TOKENS)
        its->left_out = true;
    return !its || !its->left_out;
}

static bool takes_behind(struct wpp_limit *l, uint32_t process, const struct wpp_record *h)
{
    if (l->failed || find(l, process, WHOLE_PROCESS))
        return false;
    if (h->kind == WPP_REC_PROCESS) {
        cut(l, process, WHOLE_PROCESS, true);
        return false;
    }
    if (is_of_stream(h->kind))
        return takes_of_stream(l, process, h);
    /* It says how many there were. */
    return h->kind != WPP_REC_END || is_whole(l, process);
}

bool wpp_limit_takes(struct wpp_limit *l, uint32_t process, const void *record, size_t n)
{
    struct wpp_record h;
    bool reached = wpp_limit_is_reached(l);

    if (n < sizeof h)
        return !reached;
    memcpy(&h, record, sizeof h);
    if (reached && !takes_behind(l, process, &h))
        return false;
    if (h.kind != WPP_REC_TOKENS)
        return true;
    l->tokens += h.bytes / 4;
    if (!reached && wpp_limit_is_reached(l))
        cut(l, process, h.tid, false);
    return true;
}
