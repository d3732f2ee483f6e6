/* SPDX-License-Identifier: MIT */
#include "wpp/trace/path-times.h"

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

_Static_assert(sizeof(struct wpp_span) == 16 && sizeof(struct wpp_time) == 16, "no padding");

void wpp_path_times_free(struct wpp_path_times *t)
{
    wpp_token_sums_free(&t->sums);
    *t = (struct wpp_path_times){0};
}

void wpp_path_times_settle(struct wpp_path_times *t)
{
    wpp_token_sums_settle(&t->sums);
}

enum wpp_path_times_result wpp_path_times_add(struct wpp_path_times *t, const uint8_t *payload,
                                              size_t size)
{
    size_t n = size / sizeof(struct wpp_time);

    if (n < 1 || size % sizeof(struct wpp_time) != 0)
        return WPP_PATH_TIMES_WRONG;
    n--;                                /* the span has the size of a time */
    if (!wpp_token_sums_reserve(&t->sums, n))
        return WPP_PATH_TIMES_NO_MEMORY;
    t->ticks = wpp_get_u64(payload);
    t->nanoseconds = wpp_get_u64(payload + 8);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *time = payload + sizeof(struct wpp_span) + i * sizeof(struct wpp_time);

        wpp_token_sums_add(&t->sums, wpp_get_u32(time + offsetof(struct wpp_time, token)),
                           wpp_get_u64(time));
    }
    return WPP_PATH_TIMES_OK;
}

uint64_t wpp_path_times_of(const struct wpp_path_times *t, uint32_t token)
{
    return wpp_token_sums_of(&t->sums, token);
}

uint64_t wpp_path_times_rate(const struct wpp_path_times *t)
{
    double rate = t->nanoseconds ? (double)t->ticks * 1e9 / (double)t->nanoseconds : 0;

    if (t->sums.n == 0)
        return 0;
    return rate < 1 ? 1 : rate > 1e12 ? UINT64_C(1000000000000) : (uint64_t)rate;
}
