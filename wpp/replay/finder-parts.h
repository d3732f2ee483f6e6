/* SPDX-License-Identifier: MIT */
/* finder-parts.h - makes a finder (wpp.h) part by part, for a program that must not wait for all of it. */
#ifndef WPP_FINDER_PARTS_H
#define WPP_FINDER_PARTS_H

#include "wpp/wpp.h"

enum finder_state { FINDER_MORE, FINDER_READY, FINDER_TOO_MANY };

/* As wpp_finder_new(), but the finder can answer only when finder_go_on() has said that it is ready. */
wpp_finder *finder_begin(const wpp *w, const uint32_t *weights, struct wpp_error *error);
/* Goes on by so many symbols of the grammar.  FINDER_TOO_MANY: there are 2^64 executions or more. */
enum finder_state finder_go_on(wpp_finder *f, uint64_t symbols);
/* The error of FINDER_TOO_MANY. */
void finder_fail(struct wpp_error *error);

#endif
