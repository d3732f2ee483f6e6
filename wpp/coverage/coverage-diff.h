/* SPDX-License-Identifier: MIT */
/* coverage-diff.h - what one of two coverages executed and the other did not.
 *
 *      line    A    B
 *      12      5    7        both: no change
 *      13      0    2        gained
 *      14      1    0        lost
 *      15      -    1        only B has it
 *
 * Routines are matched by name and file, lines by their distance from the routine's first line: so a routine
 * may have moved.  Branches and paths are compared where the routine is the same
 * (wpp/profile/same-routine.h).  What a mark excludes on one side is not compared.
 */
#ifndef WPP_COVERAGE_DIFF_H
#define WPP_COVERAGE_DIFF_H

#include "wpp/coverage/coverage.h"

enum { COVERAGE_A, COVERAGE_B };
#define COVERAGE_NONE UINT32_MAX

/* Something that one side executed; it is in both. */
struct coverage_change {
    uint32_t at[2];            /* lines, branches or routines of each side; of paths: the routine */
    uint64_t number;           /* of a path */
    uint64_t count[2];         /* one of them is 0 */
};

struct coverage_changes {
    size_t n, capacity;
    struct coverage_change *item;      /* in the order of B */
    uint64_t gained, lost;
};

struct coverage_diff {
    const struct coverage *side[2];    /* the caller's; must outlive the diff */
    uint32_t *pair;            /* of each routine of B: A's, or COVERAGE_NONE */
    bool *same;                /* of each routine of B: it is the same as its pair */
    uint32_t n_changed;        /* routines with a pair that is not the same */
    uint64_t only[2];          /* lines that only one side has */
    struct coverage_changes lines, branches, routines, paths;
};

/* False: no memory.  Cost: O(n log n) in what both have. */
bool coverage_diff_new(struct coverage_diff *out, const struct coverage *a,
                       const struct coverage *b);
void coverage_diff_free(struct coverage_diff *d);

#endif
