/* SPDX-License-Identifier: MIT */
/* prime-counts.h - how often each prime path of each routine was executed.
 *
 * A prime path may cross the ends of acyclic paths, as one round of a loop and what follows does.  So it is
 * counted in the sequence of an activation's paths: each time its blocks stand there one behind the
 * other (block-path-counts.h).
 */
#ifndef WPP_PRIME_COUNTS_H
#define WPP_PRIME_COUNTS_H

#include "wpp/coverage/coverage.h"
#include "wpp/coverage/prime-paths.h"

struct prime_routine {
    struct prime_paths paths;
    uint64_t *count;           /* by path */
    uint32_t executed;         /* paths with a count */
};

struct prime_counts {
    uint32_t n_routines, n_limited;
    struct prime_routine *routine;     /* by routine of the coverage; those that were not chosen, or are
                                          excluded, have no paths */
    uint64_t executed, all;
};

/* `chosen`: by routine; NULL: all.  A routine with more than `limit` prime paths has none, and is limited.
 * WPP_E_ARGUMENT: an input is a path profile, which has no order; WPP_E_MEMORY; errors of
 * call_tree_new(). */
bool prime_counts_new(struct prime_counts *out, const struct coverage *c, const bool *chosen,
                      uint32_t limit, struct wpp_error *error);
void prime_counts_free(struct prime_counts *p);

#endif
