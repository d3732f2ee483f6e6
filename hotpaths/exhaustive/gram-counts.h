/* SPDX-License-Identifier: MIT */
/* gram-counts.h - upper bounds for the frequency of every string of k terminals; and the borders
 * with a frequent one.
 *
 * A string of k terminals (a gram) that occurs in the trace lies in exactly one rule instance in
 * which it crosses symbols of the right-hand side.  So each right-hand side is read once, and the
 * rule's frequency is added to the count of each gram that crosses there:
 *
 *      rule    r ->    A           u           B
 *      borders     . . x y z | u p q r . .           of A: x y z before, u p q after
 *                          u | p q r . .             of u
 *      grams of A, k = 4:  x y z u,  y z u p,  z u p q;  of u:  u p q r
 *
 * Each gram that begins in a symbol and ends behind it (for a terminal: that begins at it) is
 * counted at that symbol's border.  Counts are kept by hash and so are upper bounds: grams with the
 * same hash share one.  No string that holds a gram is more frequent than the gram.
 *
 * The ends of a rule are one cache line if terminals have 16 bits (else two):
 *
 *      ends      | first[0 .. 15)  n | last[0 .. 15)  - |        15: END_MOST
 *
 * first is padded behind, last before; n is how many there are, more than END_MOST if the rule is
 * longer.  One sweep over the right-hand sides, each from right to left, stores the ends of rules
 * and counts.  A second one shows the borders that have a gram of sufficient count, and measures
 * the text around them:
 *
 *      rule    r ->    A           u           B
 *                  . . x y z | u p q r s . . .       k = 4, `y z u p` is rare:
 *                  ------------>                   subpaths that begin before y end at u or before
 *                          <-----------------      those that end behind p begin at z or behind
 */
#ifndef WPP_GRAM_COUNTS_H
#define WPP_GRAM_COUNTS_H

#include <assert.h>

#include "hotpaths/base/analysis.h"
#include "hotpaths/base/rolling-hash.h"

/* Longer grams distinguish more strings, but take more time at each border. */
#ifdef WPP_HOSTILE
enum { GRAM_MOST = 2, END_MOST = 2 };       /* nearly all hot subpaths are longer */
#else
enum { GRAM_MOST = 12, END_MOST = 15 };
#endif
static_assert(GRAM_MOST <= END_MOST, "a border shows all grams that cross it");

/* The most that the first and last max_length - 1 terminals of a rule cost (EXTENT_MANY: at least
 * that), as far as hot subpaths may hold them and go on beyond the rule's beginning or end.  It is
 * closed where they hold no more of the rule or of the text behind it.  And the rule's length. */
struct extent {
    uint32_t first, last;
    uint32_t length : 30;       /* EXTENT_LONG: at least that */
    bool first_closed : 1, last_closed : 1;
};

#define EXTENT_MANY UINT32_MAX
#define EXTENT_LONG (UINT32_C(1) << 29)
/* This count stands for all that are at least as large. */
#define COUNT_MANY UINT32_MAX

struct gram_counts {
    const struct analysis *a;
    uint32_t length;        /* k: at most min_length, so that every subpath holds one */
    bool wide;              /* terminals of 32 bits in `ends` */
    void *ends;
    struct extent *extent;  /* of each rule; valid after gram_counts_show */
    uint32_t *count;        /* COUNT_MANY: at least that */
    unsigned shift;         /* from a hash to its count */
    uint64_t least;         /* smaller counts are taken for 0; set by gram_counts_show */
    uint64_t power[GRAM_MOST + 1];      /* of the multiplier; rolling_left needs [k - 1] */
};

/* HOT_OK or HOT_E_MEMORY; gram_counts_clear either way. */
int gram_counts_init(struct gram_counts *s, const struct analysis *a);
void gram_counts_clear(struct gram_counts *s);

/* The text around the end of a symbol: text[middle - n_before .. middle) in it, text[middle ..
 * middle + n_after) behind it in the right-hand side. */
struct border {
    uint64_t at;            /* the symbol */
    uint32_t rule;
    bool terminal;          /* it is a terminal */
    bool cut;               /* the text does not hold all of it */
    uint32_t n_before, n_after;
    uint32_t text[2 * END_MOST];
    uint64_t before;        /* the most that the last terminals of the symbol cost (see extent) */
    uint64_t after;         /* and those behind it; at most max_length - 1 on either side */
    uint32_t missing;       /* how many of these lie behind the rule's end */
};

/* Calls `see` for each border with a gram whose count times the cost of the text around the border
 * reaches min_cost.  Stops when it returns other than HOT_OK, and returns that.  Each gram in a hot
 * subpath is counted at least `least` times, which is not 0. */
typedef int gram_counts_see(void *context, const struct border *b);
int gram_counts_show(struct gram_counts *s, uint64_t min_cost, uint64_t least, gram_counts_see *see,
                     void *context);

/* The most that a subpath that crosses the border can cost. */
uint64_t gram_counts_across(const struct gram_counts *s, uint64_t before, uint64_t after,
                            uint32_t missing);

/* Writes the terminals of a short rule to `out`, which has room for END_MOST; returns how many.  0:
 * the rule is longer. */
uint32_t gram_counts_short(const struct gram_counts *s, uint32_t rule, uint32_t *out);

/* Prefetches the data that gram_counts_short will need. */
void gram_counts_fetch(const struct gram_counts *s, uint32_t rule);

/* The most that the last terminals of a symbol cost, for the `least` of gram_counts_show. */
uint64_t gram_counts_last(const struct gram_counts *s, uint32_t symbol);

/* At least the number of occurrences of the grams with this hash; 0: less than the `least` of
 * gram_counts_show. */
static inline uint64_t gram_counts_get(const struct gram_counts *s, uint64_t hash)
{
    uint32_t count = s->count[rolling_mix(hash) >> s->shift];

    if (count == COUNT_MANY)
        return UINT64_MAX;
    return count >= s->least ? count : 0;
}

#endif
