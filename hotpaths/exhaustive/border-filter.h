/* SPDX-License-Identifier: MIT */
/* border-filter.h - finds borders that hot subpaths may cross, by counts of grams, and the texts
 * around them.
 *
 * A hot subpath w of cost c occurs at least C / c times in the trace, and so do all grams and
 * terminals in it.  So n terminals of it cost at most as much as n of the most expensive terminal
 * that is as frequent as w, and
 *
 *      least(C) = the smallest f for which f times that, for max_length, reaches C
 *
 * is a lower bound for the count of each of its grams.  If all grams at a border are counted less
 * often, no hot subpath crosses it.  In the same way a text goes on to the left and to the right
 * only as far as its grams are counted often enough.
 */
#ifndef WPP_BORDER_FILTER_H
#define WPP_BORDER_FILTER_H

#include "hotpaths/base/rule-walk.h"
#include "hotpaths/exhaustive/border-texts.h"
#include "hotpaths/exhaustive/gram-counts.h"

/* The end of a symbol, which hot subpaths may cross. */
struct filtered_border {
    uint64_t at;            /* the symbol */
    uint32_t rule, text;
};

/* The number of classes of frequencies; a class is a quarter of an octave. */
enum { BORDER_FILTER_CLASSES = 256 };

struct border_filter {
    const struct analysis *a;
    struct gram_counts grams;
    struct rule_walks walks;
    /* The most expensive terminal of at least this frequency. */
    uint64_t dearest[BORDER_FILTER_CLASSES];
    uint64_t min_cost;      /* the fields below are valid for this cost and more; 0: not yet */
    struct texts texts;     /* at most END_MOST terminals to either side */
    struct filtered_border *border;
    size_t n_borders, borders_size;
};

/* HOT_OK or HOT_E_MEMORY; border_filter_clear either way. */
int border_filter_init(struct border_filter *s, const struct analysis *a);
void border_filter_clear(struct border_filter *s);

/* Finds the borders for subpaths of at least min_cost (at least 1), unless they are already known.
 * HOT_OK or HOT_E_MEMORY. */
int border_filter_use(struct border_filter *s, uint64_t min_cost);

/* The least count of a gram in a hot subpath. */
uint64_t border_filter_least(const struct border_filter *s, uint64_t min_cost);

/* The frequency's class (< BORDER_FILTER_CLASSES), and the least frequency of a class. */
unsigned border_filter_class(uint64_t frequency);
uint64_t border_filter_round_down(uint64_t frequency);

/* The rest of a string: n terminals; all except the last `missing` of them cost at most `known`. */
struct border_filter_rest {
    uint64_t n, known, missing;
};

/* The most that a hot subpath can cost if it costs `cost` without its rest and occurs at most
 * `frequency` times; 0: there is none.  `least` is the result of border_filter_least. */
uint64_t border_filter_reach(const struct border_filter *s, uint64_t min_cost, uint64_t least,
                             uint64_t frequency, uint64_t cost, struct border_filter_rest rest);

static inline bool can_cost(uint64_t frequency, uint64_t unit_cost, uint64_t min_cost)
{
    return (unsigned __int128)frequency * unit_cost >= min_cost;
}

#endif
