/* SPDX-License-Identifier: MIT */
/* path-times.h - how long the paths of a run took: the TIMES records of a trace. */
#ifndef WPP_PATH_TIMES_H
#define WPP_PATH_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_ticks { uint32_t token; uint64_t ticks; };

struct wpp_path_times {
    struct wpp_ticks *list;      /* by token, each once, when settled */
    size_t n, capacity;
    uint64_t ticks, nanoseconds; /* the counter gained so much in so long, by the last record */
};

void wpp_path_times_free(struct wpp_path_times *t);

enum wpp_path_times_result { WPP_PATH_TIMES_OK, WPP_PATH_TIMES_WRONG, WPP_PATH_TIMES_NO_MEMORY };

/* Takes a TIMES record's payload.  WRONG: it is none. */
enum wpp_path_times_result wpp_path_times_add(struct wpp_path_times *t, const uint8_t *payload,
                                              size_t size);

/* When all are there. */
void wpp_path_times_settle(struct wpp_path_times *t);

/* Of a settled list: the token's, 0 when there are none. */
uint64_t wpp_path_times_of(const struct wpp_path_times *t, uint32_t token);

/* Ticks in a second, at least 1; 0 when nothing was timed. */
uint64_t wpp_path_times_rate(const struct wpp_path_times *t);

#endif
