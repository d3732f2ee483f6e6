/* SPDX-License-Identifier: MIT */
/* paused-counts.h - which counts of a trace count, if recording was stopped and started.
 *
 * Counters go on while recording is stopped.  The trace has their values at each STOPPED and STARTED,
 * and their last values:
 *
 *      0 ....... STOPPED - - - - STARTED ........ last        counted: S - T + last
 *                   S               T
 *      0 ....... STOPPED - - - - - - - - - - - -  last        counted: S
 *                   S
 *
 * A counter has its last value when its module goes, or at the end of the trace.  A module may go while
 * recording is stopped.  So it is kept for each module how recording was when it went.  Slots of LEFT
 * are of no module.
 */
#ifndef WPP_PAUSED_COUNTS_H
#define WPP_PAUSED_COUNTS_H

#include "wpp/trace/token-sums.h"

struct wpp_counted_module {
    uint32_t base, count;
    bool gone, stopped;              /* stopped: ... while recording was stopped */
};

struct wpp_paused_counts {
    struct wpp_token_sums last;      /* last values */
    struct wpp_token_sums here;      /* values at the STOPPED or STARTED to come */
    struct wpp_token_sums sums;      /* of those that came: S - T, modulo 2^64 */
    struct wpp_counted_module *modules;
    size_t n_modules, capacity;
    bool stopped, any;               /* recording is stopped now; it was, at some time */
};

void wpp_paused_counts_free(struct wpp_paused_counts *p);

/* A module comes, or goes.  False without memory. */
bool wpp_paused_counts_load(struct wpp_paused_counts *p, uint32_t base, uint32_t count);
void wpp_paused_counts_unload(struct wpp_paused_counts *p, uint32_t base);

/* Recording is stopped or started; `here` holds the values.  False without memory. */
bool wpp_paused_counts_switch(struct wpp_paused_counts *p, bool stopped);

/* To be called at the end of the trace: moves what counts to `out`, which is empty, and settles it.
 * *n_wrong: of so many tokens the values do not fit together, so they are left out.  False without
 * memory. */
bool wpp_paused_counts_settle(struct wpp_paused_counts *p, struct wpp_token_sums *out,
                              uint32_t *n_wrong);

#endif
