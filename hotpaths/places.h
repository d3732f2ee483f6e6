/* SPDX-License-Identifier: MIT */
/* places.h - where hot subpaths can begin, and the text that stands there.
 *
 * A subpath that stands in the trace begins in one symbol of exactly one rule
 * instance and ends behind that symbol (or begins at it, a terminal).  Its place
 * is where it begins there:
 *
 *      rule   r ->    A                u      B
 *      text           . . . x  y  z  | u  p q r . . .
 *      counts from          4  3  2    1                the shortest string that
 *                                                       ends behind the symbol
 *
 * So each occurrence of a string has one place, of whose rule the frequency is.
 *
 * A place is left out when nothing hot can begin at it: no subpath is more
 * frequent than any gram in it (grams.h), and none costs more than what stands
 * around it (reach.h), in the rules above as well.  A gram that is too rare for
 * what stands around it ends what can be said to the left and to the right: text
 * is written out only as far as it may be hot.
 */
#ifndef WPP_HOT_PLACES_H
#define WPP_HOT_PLACES_H

#include "hotpaths/grams.h"
#include "hotpaths/outward.h"
#include "hotpaths/reach.h"
#include "hotpaths/starts.h"

struct place {
    uint32_t at;                /* in the text */
    uint32_t limit;             /* of the text: nothing longer is hot at this place itself */
    uint32_t counts_from;
    uint32_t rule, border;
    uint32_t start;             /* what it begins with */
    uint64_t reach;             /* nothing that begins so costs more */
};

/* The end of a symbol which something hot may cross. */
struct warm_border {
    uint64_t at;                /* the symbol */
    uint64_t across, after;     /* reach_across, reach_after */
    uint32_t rule;
    bool near;                  /* something hot may begin so near it that it was seen already */
};

struct places {
    uint32_t *text;
    size_t n_text, text_size;
    struct place *place;
    size_t n, size;
};

/* What is known of a grammar: whatever the minimal cost is, and the borders that
 * are warm at min_cost (0: not yet known), which hold all that are at more. */
struct sieve {
    const struct analysis *a;
    struct grams grams;
    struct outward outward;
    struct reach reach;
    struct warm_border *border;
    size_t n_borders, borders_size;
    uint64_t min_cost;
};

/* HOT_OK or HOT_E_MEMORY; sieve_clear either way. */
int sieve_init(struct sieve *s, const struct analysis *a);
void sieve_clear(struct sieve *s);

/* Adds the strings of starts->length that begin at a place to `starts`, with
 * their frequencies: those that a subpath of at least min_cost (at least 1) can
 * begin with, and perhaps others.  Finds the warm borders unless they are known
 * for so small a cost.  HOT_OK or HOT_E_MEMORY. */
int places_count(struct starts *starts, struct sieve *s, uint64_t min_cost);

/* After places_count: collects anew the places that begin with one of `starts`
 * and count from `longest` terminals or less, with text for strings so long.
 * Near borders are looked at whole, at others only what counts from more than a
 * start's length.  HOT_OK or HOT_E_MEMORY; places_clear either way. */
int places_collect(struct places *p, const struct starts *starts, uint32_t longest,
                   const struct sieve *s, uint64_t min_cost);
void places_clear(struct places *p);

#endif
