/* SPDX-License-Identifier: MIT */
/* analysis.h - the data shared by the algorithms: a grammar with frequencies and costs, and the
 * test for rules that can matter at all.
 *
 * A rule is *cold* for a minimal cost C when even max_length of the most expensive terminal would
 * not cost C at the rule's frequency.  A rule's users are at most as frequent, so all rules above a
 * cold one are cold too: the warm rules are closed under "is used by the expansion of".  So an
 * analysis that skips the cold ones misses nothing.
 */
#ifndef WPP_ANALYSIS_H
#define WPP_ANALYSIS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "hotpaths/base/subpath-set.h"
#include "hotpaths/hotpaths.h"

struct analysis {
    const struct wpp_grammar *g;
    const uint64_t *cost;       /* of each terminal */
    uint64_t *frequency;        /* of each rule, start rules included; 0 outside the thread */
    uint32_t min_length, max_length;
    uint64_t dearest;           /* the largest cost of an executed terminal */
    uint64_t total_cost, events;
};

/* The smallest unit cost with which a subpath of this frequency costs min_cost; UINT64_MAX when
 * there is none. */
static inline uint64_t unit_cost_needed(uint64_t frequency, uint64_t min_cost)
{
    return frequency ? min_cost / frequency + (min_cost % frequency != 0) : UINT64_MAX;
}

static inline uint32_t rule_count(const struct wpp_grammar *g)
{
    return g->n_rules + g->n_threads;
}

static inline bool rule_is_cold(const struct analysis *a, uint32_t rule, uint64_t min_cost)
{
    assert(rule < rule_count(a->g));
    return unit_cost_needed(a->frequency[rule], min_cost) > a->max_length * a->dearest;
}

/* How many symbols ahead the data of rules is prefetched. */
enum { FETCH_AHEAD = 16 };

/* Larus' walk: adds the subpaths hot at min_cost (at least 1) to `out`, which is empty.  HOT_OK or
 * HOT_E_MEMORY. */
int larus_find(const struct analysis *a, uint64_t min_cost, struct subpath_set *out);

#endif
