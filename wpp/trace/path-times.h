/* SPDX-License-Identifier: MIT */
/* path-times.h - durations of the paths of a run: the TIMES records of a trace. */
#ifndef WPP_PATH_TIMES_H
#define WPP_PATH_TIMES_H

#include "wpp/trace/token-sums.h"

struct wpp_path_times {
    struct wpp_token_sums sums;  /* ticks */
    uint64_t ticks, nanoseconds; /* of the last record: the counter gained `ticks` in that time */
};

void wpp_path_times_free(struct wpp_path_times *t);

enum wpp_path_times_result { WPP_PATH_TIMES_OK, WPP_PATH_TIMES_WRONG, WPP_PATH_TIMES_NO_MEMORY };

/* Takes a TIMES record's payload.  WRONG: the payload is not that of a TIMES record. */
enum wpp_path_times_result wpp_path_times_add(struct wpp_path_times *t, const uint8_t *payload,
                                              size_t size);

/* To be called after the last record: sorts, and adds up the times of each token. */
void wpp_path_times_settle(struct wpp_path_times *t);

/* Ticks of a token in a settled list; 0 if there are none. */
uint64_t wpp_path_times_of(const struct wpp_path_times *t, uint32_t token);

/* Ticks in a second, at least 1; 0 if nothing was timed. */
uint64_t wpp_path_times_rate(const struct wpp_path_times *t);

#endif
