/* SPDX-License-Identifier: MIT */
/* places.h - the places in the texts around borders where hot subpaths can begin.
 *
 *      rule    r ->    A               u      B
 *      text           . . . x  y  z  | u  p q r . . .
 *      counts from         4  3  2     1
 *
 * An occurrence of a string has one place: the rule instance in which it begins in one symbol of
 * the right-hand side and ends behind it (or, for a terminal, begins at it).  The place counts from
 * the length of the shortest string that does so.  Strings that begin there may also end in the
 * rules above.
 *
 * A place is left out when no hot subpath can begin at it: for each string that does, its cost
 * times the least count of its grams is too little (border-filter.h).
 */
#ifndef WPP_PLACES_H
#define WPP_PLACES_H

#include "hotpaths/exhaustive/border-filter.h"
#include "hotpaths/exhaustive/prefix-set.h"

struct place {
    size_t at;                  /* of texts.symbols */
    uint64_t reach;             /* no hot subpath that begins here costs more */
    uint32_t text;
    uint32_t limit;             /* of the text: no longer string within it is hot */
    uint32_t counts_from;
    uint32_t prefix;            /* the prefix that it begins with */
};

struct places {
    struct place *place;
    size_t n, size;
};

/* Adds the grams that begin at the places of `texts` and are at least as long as these count from,
 * with their frequencies, to `prefixes`.  HOT_OK or HOT_E_MEMORY. */
int places_count(struct prefix_set *prefixes, const struct texts *texts,
                 const struct border_filter *s, uint64_t min_cost);

/* Collects anew the places that begin with one of `prefixes` and go on behind it.  HOT_OK or
 * HOT_E_MEMORY; places_clear either way. */
int places_collect(struct places *p, const struct texts *texts, const struct prefix_set *prefixes,
                   const struct border_filter *s, uint64_t min_cost);
void places_clear(struct places *p);

#endif
