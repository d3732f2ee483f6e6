/* SPDX-License-Identifier: MIT */
/* reach.h - what a subpath across the end of a symbol can cost at most.
 *
 *      rule   r ->   ...    A    u    B   ...
 *                    <- L-1 ->|<- L-1 ->            of A: before, after
 *
 * A subpath that crosses the end of A has at most L - 1 terminals on either side.
 * Symbols that lie in there as a whole add their cost, the outermost one that of
 * its first (last) L - 1 terminals.  Where the rule ends too soon, what may follow
 * it wherever it is used belongs to it as well: so the bounds hold for all that
 * begins here, whichever rule it ends in.
 */
#ifndef WPP_HOT_REACH_H
#define WPP_HOT_REACH_H

#include "hotpaths/analysis.h"

/* Of one rule: what its first and last terminals cost, at most, and those that
 * follow it wherever it is used. */
struct reach_rule {
    uint64_t first, last, context;
    uint64_t length;            /* the grammar's, kept here to be at hand */
};

struct reach {
    const struct analysis *a;
    struct reach_rule *rule;
};

/* HOT_OK or HOT_E_MEMORY; reach_clear either way. */
int reach_init(struct reach *r, const struct analysis *a);
void reach_clear(struct reach *r);

/* One right-hand side from left to right. */
struct reach_scan {
    const struct reach *r;
    uint32_t rule;
    uint64_t low, at, high, end;    /* before: of [low, at), after: of [at, high) */
    unsigned __int128 n_before, n_after, before, after;
};

void reach_begin(struct reach_scan *s, const struct reach *r, uint32_t rule);

/* Moves behind the next symbol.  False at the end. */
bool reach_next(struct reach_scan *s);

/* What can follow here, also behind the rule's end: L - 1 terminals at most. */
uint64_t reach_after(const struct reach_scan *s);

/* What a subpath that begins in the symbol just passed can cost. */
uint64_t reach_across(const struct reach_scan *s);

#endif
