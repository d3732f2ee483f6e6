/* SPDX-License-Identifier: MIT */
/* sample.h - points of the run, and what stands around them.
 *
 * The run's cost, event by event, is cut into equal parts, and in each part one point is chosen:
 *
 *      cost        0       unit    2 unit  3 unit
 *                  |---.---|.------|-----.-|--- ...        unit = min_cost / SAMPLE_HITS
 *                      |
 *      window   . . . . t . . . .          max_length - 1 terminals on either side of its own
 *
 * A place of a string w is *hit* by each point in it, on average by cost(w) / unit of them.  So all
 * places together are hit
 *
 *      frequency(w) cost(w) / unit
 *
 * times on average, whatever else there is: at least SAMPLE_HITS times where w is hot.  Points are
 * chosen in their parts independently of each other.  Where no place of w overlaps another one, a
 * point hits once at most, and by Chernoff's bound fewer than half of SAMPLE_HITS hits come with a
 * probability below
 *
 *      exp(- SAMPLE_HITS (1 - 1/2 - 1/2 ln 2)) = exp(-36.8) = 10^-16
 *
 * Where k places of w share a terminal, a point hits up to k of them at once, and SAMPLE_HITS / k
 * takes the place of SAMPLE_HITS in this (10^-8 with k = 2); k is at most length(w) / period(w),
 * rounded up.  With k > 2, w is a row of a loop, for which see hotpaths/sampled/loop-candidates.h.
 *
 * The other way round, half as many *points* again as SAMPLE_HITS lie in places of a string that is
 * not hot with a probability below exp(-26) = 10^-11, whether they overlap or not.
 *
 * Where a point is chosen is up to a hash of the number of its part: the same each time.
 *
 *      text    | before t behind | before t behind | ...      each window takes 2^bits terminals,
 *                       ^ 2^(bits - 1)                         t stands in the middle
 */
#ifndef WPP_SAMPLE_H
#define WPP_SAMPLE_H

#include "hotpaths/base/rule-walk.h"

enum { SAMPLE_HITS = 240, SAMPLE_MARGIN = 2 };

/* Returned besides enum hot_status where candidates would take more memory and time than to look at
 * all borders. */
enum { SAMPLE_TOO_MUCH = 1 };

/* Room for so many terminals in all windows, for each symbol of the grammar, costs less than to
 * look at all borders; in candidates so many more than it has symbols. */
#ifdef WPP_HOSTILE
#define SAMPLE_PAYS UINT32_MAX          /* always */
#define CANDIDATES_MOST 300
#else
#define SAMPLE_PAYS 8
#define CANDIDATES_MOST (UINT64_C(1) << 20)
#endif

static inline bool sample_is_too_much(const struct analysis *a, uint64_t terminals)
{
    return terminals > CANDIDATES_MOST + a->g->body[rule_count(a->g)];
}

/* Terminals [begin, end) of the text are known of a window. */
struct sample_window {
    uint32_t begin, end;
};

struct sample {
    uint64_t unit;
    unsigned bits;
    uint32_t *text;
    struct sample_window *window;
    size_t n;
};

/* Whether a sample for this minimal cost does. */
bool sample_pays(const struct analysis *a, uint64_t min_cost);

/* Takes a sample, which has to pay; `outward` reaches max_length - 1 terminals.  HOT_OK or
 * HOT_E_MEMORY; sample_clear either way. */
int sample_take(struct sample *s, const struct outward *outward, const struct analysis *a,
                uint64_t min_cost);
void sample_clear(struct sample *s);

/* True when each window holds its point and lies in its own part of the text. */
bool sample_check(const struct sample *s);

/* The place of a window's point. */
static inline uint32_t sample_middle(const struct sample *s, size_t window)
{
    return (uint32_t)(window << s->bits) + (UINT32_C(1) << (s->bits - 1));
}

/* How far before its window's point a terminal stands (that is not behind it). */
static inline uint32_t sample_distance(const struct sample *s, uint32_t at)
{
    uint32_t size = UINT32_C(1) << s->bits;

    return size / 2 - (at & (size - 1));
}

#endif
