/* SPDX-License-Identifier: MIT */
/* occurrences.h - where in the texts around borders hot subpaths can begin.
 *
 *      rule    r ->    A               u      B
 *      text           . . . x  y  z  | u  p q r . . .
 *      counts from         4  3  2     1
 *
 * An occurrence of a string has one place: the rule instance in which it begins in one
 * symbol of the right-hand side and ends behind it (or begins at it, a terminal).  The
 * place counts from the shortest string that does so.  What begins there may end in the
 * rules above as well.
 *
 * A place is left out when nothing hot can begin at it: of each string that does, what it
 * costs times the least count of its grams is too little (border-filter.h).
 */
#ifndef WPP_OCCURRENCES_H
#define WPP_OCCURRENCES_H

#include "hotpaths/exhaustive/border-filter.h"
#include "hotpaths/exhaustive/prefix-set.h"

struct place {
    size_t at;                  /* of texts.symbols */
    uint64_t reach;             /* nothing hot that begins here costs more */
    uint32_t text;
    uint32_t limit;             /* of the text: nothing longer is hot within it */
    uint32_t counts_from;
    uint32_t start;             /* what it begins with */
};

struct places {
    struct place *place;
    size_t n, size;
};

/* Adds the grams that begin at a place of `texts` which counts from no more than their
 * length to `starts`, with their frequencies.  HOT_OK or HOT_E_MEMORY. */
int places_count(struct starts *starts, const struct texts *texts, const struct sieve *s,
                 uint64_t min_cost);

/* Collects anew the places that begin with one of `starts` and go on behind it.  HOT_OK or
 * HOT_E_MEMORY; places_clear either way. */
int places_collect(struct places *p, const struct texts *texts, const struct starts *starts,
                   const struct sieve *s, uint64_t min_cost);
void places_clear(struct places *p);

#endif
