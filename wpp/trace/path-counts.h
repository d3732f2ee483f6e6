/* SPDX-License-Identifier: MIT */
/* path-counts.h - how often paths were executed, and where activations were left in a call: the COUNTS
 * and LEFT records of a trace, and those of stops (paused-counts.h). */
#ifndef WPP_PATH_COUNTS_H
#define WPP_PATH_COUNTS_H

#include "tracer/trace-abi.h"
#include "wpp/trace/modules.h"
#include "wpp/trace/paused-counts.h"
#include "wpp/trace/token-sums.h"

struct wpp_path_counts {
    struct wpp_paused_counts paused; /* until wpp_path_counts_settle() */
    struct wpp_token_sums sums;      /* then: none is 0 */
    bool any;                        /* there was a record with counters */
    bool lacking;                    /* there were counters that are in no record */
    uint64_t sum;                    /* of last values; after wpp_path_counts_settle(): of those that
                                        count */
    uint32_t n_wrong;                /* tokens whose values at stops do not fit together */
    uint64_t unknown;                /* activations that were left on paths that are not known */
    uint32_t n_unbalanced;           /* routines in which more flows out of a block than into it, or
                                        less: activations that did not end by returning */
};

void wpp_path_counts_free(struct wpp_path_counts *c);

enum wpp_path_counts_result {
    WPP_PATH_COUNTS_OK, WPP_PATH_COUNTS_WRONG, WPP_PATH_COUNTS_NO_MEMORY
};

/* Takes a COUNTS, LEFT, PAUSE_COUNTS or PAUSE_LEFT record.  WRONG: its payload is not that of such a
 * record. */
enum wpp_path_counts_result wpp_path_counts_add(struct wpp_path_counts *c, const struct wpp_record *r,
                                                const uint8_t *payload);

/* To be called after the last record: sorts, adds up the counts of each token, leaves out what a
 * copy of a partitioned profile does not count, drops paths that do not go through the block where
 * they were left (they are `unknown`), and derives counts of edges without a counter.  WPP_E_MEMORY,
 * WPP_E_FORMAT. */
bool wpp_path_counts_settle(struct wpp_path_counts *c, const struct wpp_modules *modules,
                            struct wpp_error *error);

/* What the modules' code counts, enum wpp_profile_kind; 0: it is traced.  *mixed: not all of it
 * does the same. */
uint32_t wpp_path_counts_kind(const struct wpp_modules *modules, bool *mixed);

/* Which part of a partitioned profile the modules' code counts.  *mixed: not all of it does the
 * same. */
struct wpp_part_of_profile wpp_path_counts_part(const struct wpp_modules *modules, bool *mixed);

#endif
