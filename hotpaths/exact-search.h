/* SPDX-License-Identifier: MIT */
/* exact-search.h - all minimal hot subpaths with their true frequency.
 *
 *      small grammars  the search of all borders between symbols finds the answer (refine.h)
 *      large ones      points of the run (sample.h) --> strings that many of them hit
 *                      (candidates.h), and rows of loops (loop-candidates.h) --> their exact
 *                      frequencies (candidate-counts.h) --> the answer
 *
 * The first takes memory and time in proportion to the symbols, the second hardly more than to read
 * them a few times.
 */
#ifndef WPP_EXACT_SEARCH_H
#define WPP_EXACT_SEARCH_H

#include "hotpaths/exhaustive/border-filter.h"

/* State shared by the searches of one grammar. */
struct exact {
    const struct analysis *a;
    bool sampling;          /* whether to sample where that is faster */
    struct rule_walks walks;
    struct border_filter filter;
    bool has_walks, has_filter;     /* both are made when first needed */
};

void exact_init(struct exact *e, const struct analysis *a, bool sampling);
void exact_clear(struct exact *e);

/* Adds the subpaths hot at min_cost (at least 1) to `out`, which is empty.  HOT_OK or
 * HOT_E_MEMORY. */
int exact_find(struct exact *e, uint64_t min_cost, struct subpath_set *out);

#endif
