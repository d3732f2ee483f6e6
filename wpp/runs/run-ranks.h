/* SPDX-License-Identifier: MIT */
/* run-ranks.h - ranks of a parallel program that behaved alike.
 *
 * A rank has a fingerprint for each way of comparing, from the finest on:
 *
 *      order     the paths of each thread, all of them in their order
 *      steps     which paths were executed, and which follow each other at once: two and three of them
 *      paths     which paths were executed
 *
 * Threads have no order.  Two ranks with equal fingerprints are alike but for a chance below 2^-60.
 */
#ifndef WPP_RUN_RANKS_H
#define WPP_RUN_RANKS_H

#include "wpp/runs/run-facts.h"

/* ORDER RANKS BY: wpp-runs.c */
enum ranks_by { RANKS_BY_ORDER, RANKS_BY_STEPS, RANKS_BY_PATHS };
enum { RANKS_WAYS = RANKS_BY_PATHS + 1 };
extern const char *const ranks_by_names[];     /* `order`, `steps`, `paths`, NULL */

struct rank_run {
    int64_t rank, id;              /* id: the run's */
    uint64_t events;
    uint64_t print[RANKS_WAYS];
    uint32_t group;                /* after ranks_group(); the largest is 0 */
};

struct run_ranks {
    struct vocabulary v;
    struct run_facts facts;
    struct rank_run *run;          /* after ranks_group(): by group, then rank */
    uint32_t n, capacity, n_groups;
    enum ranks_by by;
    wpp **witness;
    uint32_t n_witnesses;
};

void ranks_init(struct run_ranks *r);
void ranks_free(struct run_ranks *r);

/* Adds a rank with its processes, and takes these over.  WPP_E_MEMORY, WPP_E_ARGUMENT: too large. */
bool ranks_add(struct run_ranks *r, int64_t rank, int64_t id, wpp **process, uint32_t n,
               struct wpp_error *error);

/* Groups ranks by one way of comparing; those groups that have most ranks come first, then that with the
 * lowest one.  False: no memory. */
bool ranks_group(struct run_ranks *r, enum ranks_by by);
/* The finest way in which more than half of the ranks are alike; the coarsest if there is none. */
enum ranks_by ranks_choose(const struct run_ranks *r);

#endif
