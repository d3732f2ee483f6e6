/* SPDX-License-Identifier: MIT */
/* call-bags.h - bags of activations, and the bag of all calls that they make.
 *
 *      bag       f, piece 12, 3 times            calls       g, piece 7, 3 + 1 times
 *                f, piece 15, once                           h, piece 2, 3 times
 *
 * A node of a calling context tree is such a bag, all of one routine; its children are the groups of its calls.
 */
#ifndef WPP_CALL_BAGS_H
#define WPP_CALL_BAGS_H

#include "wpp/base/descending.h"
#include "wpp/profile/run-costs.h"

/* Some activations of one routine, with the piece that each ran, or from which each was called. */
struct call_share {
    uint32_t routine, piece;
    double times, calls, cost;
};

struct call_bag {
    struct call_share *at;         /* the owner frees it */
    size_t n, capacity;
};

/* The shares of one routine in a bag in order: at[first .. end). */
struct call_group { size_t first, end; uint32_t routine; double cost; };

/* False: no memory. */
bool call_bag_put(struct call_bag *b, struct call_share share);
double call_bag_cost(const struct call_bag *b);
/* Sorts the bag by routine and joins shares of the same piece.  Gives its routines, most expensive first; NULL: no
 * memory; the caller frees them. */
struct call_group *call_bag_groups(struct call_bag *b, size_t *n);

/* Finds calls: pieces are put, then a walk visits them and the pieces in them, each piece once. */
struct call_walk {
    const struct run_costs *costs;
    double *times;                 /* by piece; 0 between two walks */
    struct descending order;
    uint64_t visited;              /* items, by all walks so far */
};

/* False: no memory. */
bool call_walk_begin(struct call_walk *w, const struct run_costs *costs);
void call_walk_end(struct call_walk *w);
void call_walk_put(struct call_walk *w, uint32_t piece, double times);
/* Puts what each thread that is counted runs outside of traced routines. */
void call_walk_put_roots(struct call_walk *w);
/* Puts the calls that are made into the bag.  `chosen` (by routine; may be NULL): walks also through calls of routines
 * that are not.  False: no memory.  Cost: O(items of the pieces). */
bool call_walk(struct call_walk *w, const bool *chosen, struct call_bag *calls);

#endif
