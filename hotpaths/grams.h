/* SPDX-License-Identifier: MIT */
/* grams.h - how often every string of k terminals occurs, at most.
 *
 * A string of k terminals (a gram) that stands in the trace lies in exactly one
 * rule instance in which it crosses symbols of the right-hand side.  So each
 * right-hand side is looked at once, and each gram that crosses there is
 * charged with the rule's frequency:
 *
 *      rule    r ->    A           u           B
 *      borders     . . x y z | u p q r . .           of A: x y z before, u p q after
 *                          u | p q r . .             of u
 *      grams of A, k = 4:  x y z u,  y z u p,  z u p q;  of u:  u p q r
 *
 * Each gram that begins in a symbol and ends behind it (a terminal: that begins
 * at it) is counted at that symbol's border.  For this the first and last k - 1
 * terminals of each rule suffice.
 *
 * Counts are kept by hash and so are upper bounds: grams of one hash share one.
 * No string that holds a gram is more frequent than it.
 */
#ifndef WPP_HOT_GRAMS_H
#define WPP_HOT_GRAMS_H

#include "hotpaths/analysis.h"
#include "hotpaths/gram-hash.h"

/* Longer grams tell more strings apart, at more time and memory a rule. */
enum { GRAM_MOST = 12 };

struct grams {
    const struct analysis *a;
    uint32_t length;        /* k: at most min_length, so that every subpath holds one */
    uint32_t *ends;         /* 2 (k - 1) a rule: its first terminals, its last */
    uint32_t *count;        /* GRAM_MANY: so many or more */
    unsigned shift;         /* of a hash, to its count */
    uint64_t power;         /* see gram_left */
};

/* What stands around the end of a symbol: text[0 .. n_before) in it, then what
 * follows it in the rule, up to text[n). */
struct border {
    uint32_t n_before, n;
    uint32_t text[2 * GRAM_MOST];
};

/* HOT_OK or HOT_E_MEMORY; grams_clear either way. */
int grams_init(struct grams *s, const struct analysis *a);
void grams_clear(struct grams *s);

/* The border of symbol `at` in the right-hand side that ends at `end`. */
void grams_border(const struct grams *s, uint64_t at, uint64_t end, struct border *out);

#define GRAM_MANY UINT32_MAX

static inline void gram_fetch(const struct grams *s, uint64_t hash)
{
    __builtin_prefetch(&s->count[gram_mix(hash) >> s->shift]);
}

/* At least the number of occurrences of the grams of this hash. */
static inline uint64_t gram_count(const struct grams *s, uint64_t hash)
{
    uint32_t count = s->count[gram_mix(hash) >> s->shift];

    return count == GRAM_MANY ? UINT64_MAX : count;
}

/* Fetches what a border will need a little later. */
static inline void gram_prefetch(const struct grams *s, uint64_t at, uint64_t end)
{
    uint32_t symbol;

    if (at >= end || !((symbol = s->a->g->symbols[at]) & WPP_RULE))
        return;
    __builtin_prefetch(s->ends + (size_t)(symbol & ~WPP_RULE) * 2 * (s->length - 1));
    __builtin_prefetch(s->ends + ((size_t)(symbol & ~WPP_RULE) + 1) * 2 * (s->length - 1) - 1);
}

#endif
