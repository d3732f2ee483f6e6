/* SPDX-License-Identifier: MIT */
/* run-orders.h - which path came before which: the orders that tell failing runs from passing ones.
 *
 * There are as many orders as pairs of paths, so they are not kept for each run.  A first walk over
 * all runs counts all pairs of the chosen paths, in tables; those that go best with failure become
 * predicates, and a second walk finds the runs of which they are true (suspects_add_orders).
 *
 *      a before b in a run:   a began before b's last execution
 *                             = first[a] < last[b] in some thread
 */
#ifndef WPP_RUN_ORDERS_H
#define WPP_RUN_ORDERS_H

#include "wpp/runs/run-vectors.h"

/* Of two chosen paths. */
struct run_order { uint32_t a, b; };

struct run_orders {
    uint32_t n;                /* chosen paths */
    uint32_t *path;            /* of the vocabulary */
    uint32_t *chosen;          /* by path of the vocabulary: which, or UINT32_MAX */
    /* Of the run that was read, n for each thread: */
    uint32_t *first, *last;    /* first UINT32_MAX and last 0: not in that thread */
    uint32_t n_threads, thread_room;
    uint8_t *executed;         /* by chosen path: in any thread */
    /* When they are found: */
    struct run_order *order;
    uint32_t n_orders;
    uint32_t predicate;        /* order k's: this + 2 k says whether both paths were executed, the next
                                  one whether they were so */
};

void run_orders_free(struct run_orders *o);
/* Reads where the chosen paths stand in a run.  False: no memory. */
bool run_orders_read(struct run_orders *o, const struct run_vector *v);
/* Whether both paths of an order were executed in that run, and whether one came before the other. */
bool run_orders_both(const struct run_orders *o, uint32_t order);
bool run_orders_hold(const struct run_orders *o, uint32_t order);

#endif
