/* SPDX-License-Identifier: MIT */
/* call-sums.h - who called whom, how often, and what that cost, summed over a call tree.
 *
 *      main [ path 0, call f, path 1, call f, path 2 ]
 *
 *      CALLS_BY_ROUTINE     main, -,      f: 2 calls
 *      CALLS_BY_SITE        main, path 0, f: 1 call;  main, path 1, f: 1 call
 *
 * The cost of a call is that of all that ran in it, also within another call of the same routine.
 */
#ifndef WPP_CALL_SUMS_H
#define WPP_CALL_SUMS_H

#include "wpp/profile/run-costs.h"

enum calls_by { CALLS_BY_ROUTINE, CALLS_BY_SITE };

struct call_sum {
    uint32_t caller;
    uint32_t terminal;             /* the caller's path that ended there; WALK_NONE: it is not known, or
                                      CALLS_BY_ROUTINE */
    uint32_t callee;
    double calls, cost;
};

/* Ascending by caller, terminal, callee; each combination once.  Calls by no traced routine are left
 * out. */
struct call_sums {
    struct call_sum *sum;
    size_t n;
};

/* Sums the calls of costs->tree.  `unseen`: also calls that were made before the part of the run that the
 * tree is of.  The caller frees `out`.  False: no memory.  Cost: O(tree), and sorting the sums. */
bool call_sums_new(struct call_sums *out, const struct run_costs *costs, enum calls_by by, bool unseen);
void call_sums_free(struct call_sums *s);
/* Whether the order holds. */
bool call_sums_check(const struct call_sums *s);

#endif
