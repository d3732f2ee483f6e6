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
 * Invariants (ends_check): both are at most L long; a prefix that covers is the whole expansion; a
 * rule has ends exactly while warm rules that use it are still to be visited.  The analysis decides
 * how much shorter than L an end is.
 */
#ifndef WPP_LIMITED_ENDS_H
#define WPP_LIMITED_ENDS_H

#include "hotpaths/base/analysis.h"

struct ends {
    uint32_t n_prefix, n_suffix;
    bool covers;                /* then the suffix is the prefix and stored once */
    uint32_t symbols[];         /* prefix, then suffix */
};

struct ends_store {
    const struct wpp_grammar *g;
    uint32_t limit;             /* L */
    struct ends **of;           /* of each rule, NULL before and after its use */
    uint32_t *readers;          /* uses in warm rules that have not been visited yet */
    size_t live;
};

static inline const uint32_t *ends_prefix(const struct ends *e)
{
    return e->symbols;
}

static inline const uint32_t *ends_suffix(const struct ends *e)
{
    return e->covers ? e->symbols : e->symbols + e->n_prefix;
}

/* Counts the readers of each rule among the rules that are warm at min_cost.
 * HOT_OK or HOT_E_MEMORY; ends_store_clear either way. */
int ends_store_init(struct ends_store *s, const struct analysis *a, uint64_t min_cost,
                    uint32_t limit);
void ends_store_clear(struct ends_store *s);

/* Keeps the ends of `rule`, unless they will not be read.  With `covers` the suffix is ignored.
 * HOT_OK or HOT_E_MEMORY. */
int ends_keep(struct ends_store *s, uint32_t rule, bool covers, const uint32_t *prefix,
              uint32_t n_prefix, const uint32_t *suffix, uint32_t n_suffix);

/* The ends of a rule that was visited. */
const struct ends *ends_of(const struct ends_store *s, uint32_t rule);

/* Notes that the ends of `rule` have been read once; the last time frees them. */
void ends_release(struct ends_store *s, uint32_t rule);

/* True when the invariants hold between the visits of two rules. */
bool ends_check(const struct ends_store *s);

#endif
