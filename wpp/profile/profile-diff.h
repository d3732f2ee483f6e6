/* SPDX-License-Identifier: MIT */
/* profile-diff.h - two path profiles side by side (Ball and Larus 1996, Table 4: paths of a train
 * and a ref input).
 *
 *      routine      A: executed   B: executed
 *      match        0 3 4         3 4 9             path 0 is gone, 9 is new
 *      old_name     0 1           -                 gone
 *      resized      0 1           0 2               not the same routine any more: not compared
 *
 * Routines are matched if they are the same (same-routine.h), wherever they stand in their file and
 * in which module; several that are the same in one profile count together.
 */
#ifndef WPP_PROFILE_DIFF_H
#define WPP_PROFILE_DIFF_H

#include "wpp/profile/path-profile.h"

enum { DIFF_A, DIFF_B };
#define DIFF_NONE UINT32_MAX

struct diff_path {
    uint32_t routine;          /* of the diff */
    uint32_t terminal[2];      /* of each side's wpp; DIFF_NONE: it was not executed */
    uint64_t count[2];
};

struct diff_routine {
    uint32_t number[2];        /* of each side's wpp, the first of several; DIFF_NONE: it has none */
    bool changed;              /* the other side has one of this name and file that is not the same:
                                  another row */
    uint32_t first, n;         /* paths that either side executed */
    uint32_t n_new, n_gone, n_other;   /* only in B, only in A, in both with other counts */
    uint64_t count[2];
    double cost[2];
};

/* What one side executed, and what of it the other did, too. */
struct diff_overlap {
    uint32_t paths, common_paths;
    uint64_t count, common_count;
    double cost, common_cost;
};

struct profile_diff {
    const struct path_profile *side[2];  /* the caller's; must outlive the diff */
    uint32_t n_routines;
    struct diff_routine *routine;        /* A's in their order, then those that only B has */
    uint32_t n_paths;
    struct diff_path *path;              /* by routine, then by number */
    uint32_t n_changed;                  /* routines of A that have changed */
    struct diff_overlap overlap[2];      /* of A with B, of B with A */
};

/* False without memory.  Cost: O(n log n) in the paths of both. */
bool profile_diff_new(struct profile_diff *out, const struct path_profile *a,
                      const struct path_profile *b);
void profile_diff_free(struct profile_diff *d);

/* The larger count minus the other. */
static inline uint64_t diff_distance(const uint64_t count[2])
{
    return count[DIFF_A] > count[DIFF_B] ? count[DIFF_A] - count[DIFF_B]
                                         : count[DIFF_B] - count[DIFF_A];
}

#endif
