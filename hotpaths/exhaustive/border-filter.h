/* SPDX-License-Identifier: MIT */
/* border-filter.h - what is known of a grammar before any string is looked at: counts of grams,
 * and the borders that hold one which is frequent enough, with what stands around them.
 *
 * A hot subpath w of cost c is C / c times in the trace or more, and so is every gram and
 * every terminal in it.  So n terminals of it cost no more than n of the dearest terminal
 * that is as frequent as w, and
 *
 *      least(C) = the smallest f for which f times that, for max_length, reaches C
 *
 * is a bound of the count of each of its grams; a border none of whose grams is counted
 * so often is crossed by nothing hot, and text goes on to the left and to the right only
 * as far as grams are.
 */
#ifndef WPP_BORDER_FILTER_H
#define WPP_BORDER_FILTER_H

#include "hotpaths/base/rule-walk.h"
#include "hotpaths/exhaustive/contexts.h"
#include "hotpaths/exhaustive/gram-counts.h"

/* The end of a symbol that something hot may cross. */
struct sieve_border {
    uint64_t at;            /* the symbol */
    uint32_t rule, text;
};

/* Frequencies in classes of a quarter of an octave. */
enum { SIEVE_CLASSES = 256 };

struct sieve {
    const struct analysis *a;
    struct grams grams;
    struct outward outward;
    uint64_t dearest[SIEVE_CLASSES];    /* terminal of such a frequency or more */
    uint64_t min_cost;      /* what follows is known for this and more; 0: not yet */
    struct texts texts;     /* END_MOST terminals to either side at most */
    struct sieve_border *border;
    size_t n_borders, borders_size;
};

/* HOT_OK or HOT_E_MEMORY; sieve_clear either way. */
int sieve_init(struct sieve *s, const struct analysis *a);
void sieve_clear(struct sieve *s);

/* Finds the borders for subpaths of at least min_cost (at least 1), unless they are
 * known.  HOT_OK or HOT_E_MEMORY. */
int sieve_use(struct sieve *s, uint64_t min_cost);

/* The least count of a gram in a hot subpath. */
uint64_t sieve_least(const struct sieve *s, uint64_t min_cost);

/* The frequency's class (< SIEVE_CLASSES), and the least frequency of that. */
unsigned sieve_class(uint64_t frequency);
uint64_t sieve_round_down(uint64_t frequency);

/* The rest of a string: n terminals; all but the last `missing` of them cost no more than
 * `known`. */
struct sieve_rest {
    uint64_t n, known, missing;
};

/* What a hot subpath can cost at most that costs `cost` without its rest and occurs no more
 * than `frequency` times; 0: there is none.  `least`: what sieve_least says. */
uint64_t sieve_reach(const struct sieve *s, uint64_t min_cost, uint64_t least,
                     uint64_t frequency, uint64_t cost, struct sieve_rest rest);

static inline bool can_cost(uint64_t frequency, uint64_t unit_cost, uint64_t min_cost)
{
    return (unsigned __int128)frequency * unit_cost >= min_cost;
}

#endif
