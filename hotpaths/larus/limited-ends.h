/* SPDX-License-Identifier: MIT */
/* limited-ends.h - the L-limited prefixes and suffixes of rules, kept until they have been read for
 * the last time.
 *
 * The expansion of a rule, and the parts of it that are kept:
 *
 *      |-- prefix --|            |-- suffix --|      covers is false
 *      |----------- prefix = suffix ----------|      covers is true
 *      ^ first terminal                last ^
 *
 * Invariants (limited_ends_check): both are at most L long; a prefix that covers is the whole
 * expansion; a rule has ends exactly while warm rules that use it are still to be visited.  The
 * analysis decides how much shorter than L an end is.
 */
#ifndef WPP_LIMITED_ENDS_H
#define WPP_LIMITED_ENDS_H

#include "hotpaths/base/analysis.h"

struct limited_ends {
    uint32_t n_prefix, n_suffix;
    bool covers;                /* then the suffix is the prefix and stored once */
    uint32_t symbols[];         /* prefix, then suffix */
};

struct limited_ends_store {
    const struct wpp_grammar *g;
    uint32_t limit;             /* L */
    struct limited_ends **of;   /* of each rule, NULL before and after its use */
    uint32_t *readers;          /* uses in warm rules that have not been visited yet */
    size_t live;
};

static inline const uint32_t *limited_ends_prefix(const struct limited_ends *e)
{
    return e->symbols;
}

static inline const uint32_t *limited_ends_suffix(const struct limited_ends *e)
{
    return e->covers ? e->symbols : e->symbols + e->n_prefix;
}

/* Counts the readers of each rule among the rules that are warm at min_cost.
 * HOT_OK or HOT_E_MEMORY; limited_ends_store_clear either way. */
int limited_ends_store_init(struct limited_ends_store *s, const struct analysis *a,
                            uint64_t min_cost, uint32_t limit);
void limited_ends_store_clear(struct limited_ends_store *s);

/* Keeps the ends of `rule`, unless they will not be read.  With `covers` the suffix is ignored.
 * HOT_OK or HOT_E_MEMORY. */
int limited_ends_keep(struct limited_ends_store *s, uint32_t rule, bool covers,
                      const uint32_t *prefix, uint32_t n_prefix, const uint32_t *suffix,
                      uint32_t n_suffix);

/* The ends of a rule that was visited. */
const struct limited_ends *limited_ends_of(const struct limited_ends_store *s, uint32_t rule);

/* Notes that the ends of `rule` have been read once; the last time frees them. */
void limited_ends_release(struct limited_ends_store *s, uint32_t rule);

/* True when the invariants hold between the visits of two rules. */
bool limited_ends_check(const struct limited_ends_store *s);

#endif
