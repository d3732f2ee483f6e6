/* SPDX-License-Identifier: MIT */
/* path-profile.h - how often each path of each routine was executed (Ball and Larus 1996, the path
 * profile), of a WPP or of a file that holds only the counts.
 *
 *      routine   | 0          | 1     | 2 ...
 *      path      | 0 3 4 17   | 2 9   | 0 ...      ascending by number within each routine
 *
 * Counts saturate at UINT64_MAX.  A cost is a number of instructions (GCC's estimate) as a double.
 */
#ifndef WPP_PATH_PROFILE_H
#define WPP_PATH_PROFILE_H

#include "wpp/wpp.h"

struct profile_path {
    uint32_t terminal;         /* of the wpp: its blocks, edges, instructions */
    uint32_t routine;
    uint64_t count;            /* at least 1 */
    double cost;               /* of all executions */
};

struct profile_routine {
    uint32_t first, n;         /* executed paths: path[first .. first + n) */
    uint64_t entered;          /* executions of paths that begin at the routine's entry: its calls */
    uint64_t count;            /* executions of all its paths */
    double cost;
};

struct path_profile {
    const wpp *w;              /* the caller's; must outlive the profile */
    uint32_t kind;             /* enum wpp_profile_kind */
    uint64_t runs;
    uint32_t n_routines;       /* as the wpp numbers them */
    struct profile_routine *routine;
    uint32_t n_paths;
    struct profile_path *path; /* by routine, then by number */
    uint64_t count;            /* executions of all paths: the whole flow */
    double cost;
    uint64_t unread;           /* executions of paths that no routine is known of */
};

/* The parts TOOL_NEED_PATHS of w must be there.  False without memory.
 * Cost: O(terminals log terminals + grammar). */
bool path_profile_new(struct path_profile *out, const wpp *w);
void path_profile_free(struct path_profile *p);

/* How often a routine's blocks and DAG edges were executed: the sums over its paths.  The arrays
 * have n_blocks and n_edges values. */
void path_profile_sum(const struct path_profile *p, uint32_t routine, uint64_t *block,
                      uint64_t *edge);

/* a + b, at most UINT64_MAX. */
static inline uint64_t profile_add(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

#endif
