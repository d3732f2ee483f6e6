/* SPDX-License-Identifier: MIT */
#include "wpp/trace/path-times.h"

#include <stdlib.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

_Static_assert(sizeof(struct wpp_span) == 16 && sizeof(struct wpp_time) == 16, "no padding");

void wpp_path_times_free(struct wpp_path_times *t)
{
    free(t->list);
    *t = (struct wpp_path_times){0};
}

static int compare_tokens(const void *a, const void *b)
{
    const struct wpp_ticks *x = a, *y = b;

    return x->token < y->token ? -1 : x->token > y->token;
}

void wpp_path_times_settle(struct wpp_path_times *t)
{
    size_t n = 0;

    if (t->n > 0)
        qsort(t->list, t->n, sizeof *t->list, compare_tokens);
    for (size_t i = 0; i < t->n; i++) {
        if (n > 0 && t->list[n - 1].token == t->list[i].token)
            t->list[n - 1].ticks += t->list[i].ticks;
        else
            t->list[n++] = t->list[i];
    }
    t->n = n;
}

/* Makes room.  A program that stops recording often writes the same tokens often: so times of
 * one token are added up before the list grows. */
static bool reserve(struct wpp_path_times *t, size_t more)
{
    size_t capacity = t->capacity ? t->capacity : 256;
    struct wpp_ticks *larger;

    if (t->n + more <= t->capacity)
        return true;
    wpp_path_times_settle(t);
    while (capacity < 2 * (t->n + more))
        capacity *= 2;
    if (capacity <= t->capacity)
        return true;
    larger = realloc(t->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    t->list = larger;
    t->capacity = capacity;
    return true;
}

enum wpp_path_times_result wpp_path_times_add(struct wpp_path_times *t, const uint8_t *payload,
                                              size_t size)
{
    size_t n = size / sizeof(struct wpp_time);

    if (n < 1 || size % sizeof(struct wpp_time) != 0)
        return WPP_PATH_TIMES_WRONG;
    n--;                                /* the span has the size of a time */
    if (!reserve(t, n))
        return WPP_PATH_TIMES_NO_MEMORY;
    t->ticks = wpp_get_u64(payload);
    t->nanoseconds = wpp_get_u64(payload + 8);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *time = payload + sizeof(struct wpp_span) + i * sizeof(struct wpp_time);

        t->list[t->n++] = (struct wpp_ticks){
            wpp_get_u32(time + offsetof(struct wpp_time, token)), wpp_get_u64(time)
        };
    }
    return WPP_PATH_TIMES_OK;
}

uint64_t wpp_path_times_of(const struct wpp_path_times *t, uint32_t token)
{
    struct wpp_ticks key = {token, 0}, *found = NULL;

    if (t->n > 0)
        found = bsearch(&key, t->list, t->n, sizeof *t->list, compare_tokens);
    return found ? found->ticks : 0;
}

uint64_t wpp_path_times_rate(const struct wpp_path_times *t)
{
    double rate = t->nanoseconds ? (double)t->ticks * 1e9 / (double)t->nanoseconds : 0;

    if (t->n == 0)
        return 0;
    return rate < 1 ? 1 : rate > 1e12 ? UINT64_C(1000000000000) : (uint64_t)rate;
}
