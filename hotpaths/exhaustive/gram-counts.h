/* SPDX-License-Identifier: MIT */
/* gram-counts.h - how often every string of k terminals occurs, at most; and the borders at
 * which a frequent one stands.
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
 * at it) is counted at that symbol's border.  Counts are kept by hash and so are
 * upper bounds: grams of one hash share one.  No string that holds a gram is more
 * frequent than it.
 *
 * The ends of a rule are one cache line where terminals have 16 bits (else two):
 *
 *      ends      | first[0 .. 15)  n | last[0 .. 15)  - |        15: END_MOST
 *
 * first is padded behind, last before; n is how many there are, more than END_MOST
 * when the rule is longer than that.  One sweep over the right-hand sides, each from
 * right to left, puts down the ends of rules and counts; another one shows the
 * borders that have a gram of sufficient count, and measures what may stand around them:
 *
 *      rule    r ->    A           u           B
 *                  . . x y z | u p q r s . . .       k = 4, `y z u p` is rare:
 *                  ------------>                   what begins before y ends at u or before
 *                          <-----------------        what ends behind p begins at z or behind
 */
#ifndef WPP_GRAM_COUNTS_H
#define WPP_GRAM_COUNTS_H

#include <assert.h>

#include "hotpaths/base/analysis.h"
#include "hotpaths/base/rolling-hash.h"
#include "hotpaths/exhaustive/gram-filter.h"

/* Longer grams tell more strings apart, at more time a border. */
#ifdef WPP_HOSTILE
enum { GRAM_MOST = 2, END_MOST = 2 };       /* nearly all that is hot is longer */
#else
enum { GRAM_MOST = 12, END_MOST = 15 };
#endif
static_assert(GRAM_MOST <= END_MOST, "a border shows all grams that cross it");

/* What the first and last max_length - 1 terminals of a rule cost at most (EXTENT_MANY:
 * so much or more), as far as something hot may hold them and go on beyond the rule's
 * beginning or end: closed, where it holds no more of the rule or of what follows it.  And
 * the rule's length. */
struct extent {
    uint32_t first, last;
    uint32_t length : 30;       /* EXTENT_LONG: so much or more */
    bool first_closed : 1, last_closed : 1;
};

#define EXTENT_MANY UINT32_MAX
#define EXTENT_LONG (UINT32_C(1) << 29)

struct grams {
    const struct analysis *a;
    uint32_t length;        /* k: at most min_length, so that every subpath holds one */
    bool wide;              /* terminals of 32 bits in `ends` */
    void *ends;
    struct extent *extent;  /* of each rule; known since grams_show */
    uint32_t *count;        /* COUNT_MANY: so many or more */
    unsigned shift;         /* of a hash, to its count */
    struct frequent frequent;           /* of these; known since grams_show */
    uint64_t power[GRAM_MOST + 1];      /* of the multiplier; gram_left wants [k - 1] */
};

/* HOT_OK or HOT_E_MEMORY; grams_clear either way. */
int grams_init(struct grams *s, const struct analysis *a);
void grams_clear(struct grams *s);

/* What stands around the end of a symbol: text[middle - n_before .. middle) in it,
 * text[middle .. middle + n_after) behind it in the right-hand side. */
struct border {
    uint64_t at;            /* the symbol */
    uint32_t rule;
    bool terminal;          /* it is one */
    bool cut;               /* there is more of it before */
    uint32_t n_before, n_after;
    uint32_t text[2 * END_MOST];
    uint64_t before;        /* what the last terminals of the symbol cost at most (see extent) */
    uint64_t after;         /* and those behind it, max_length - 1 at most on either side */
    uint32_t missing;       /* of these, so many lie behind the rule's end */
};

/* Shows `see` each border with a gram whose count times what may stand around the border
 * reaches min_cost, until one returns other than HOT_OK: the result.  No gram in something
 * hot is counted less than `least` times. */
typedef int grams_see(void *context, const struct border *b);
int grams_show(struct grams *s, uint64_t min_cost, uint64_t least, grams_see *see,
               void *context);

/* What a subpath that crosses the border can cost. */
uint64_t grams_across(const struct grams *s, uint64_t before, uint64_t after, uint32_t missing);

/* Writes what a short rule derives to `out`, which has room for END_MOST; how much that is.
 * 0: the rule is longer. */
uint32_t grams_short(const struct grams *s, uint32_t rule, uint32_t *out);

/* Fetches what grams_short will need into the caches. */
void grams_fetch(const struct grams *s, uint32_t rule);

/* What the last terminals of a symbol cost at most, for the `least` of grams_show. */
uint64_t grams_last(const struct grams *s, uint32_t symbol);

/* At least the number of occurrences of the grams of this hash; 0: less than grams_show was
 * told that something hot needs. */
static inline uint64_t gram_count(const struct grams *s, uint64_t hash)
{
    return frequent_count(&s->frequent, gram_mix(hash) >> s->shift);
}

#endif
