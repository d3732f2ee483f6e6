/* SPDX-License-Identifier: MIT */
/* sample.h - points of the run, with the terminals around them.
 *
 * The run's cost, event by event, is cut into equal parts, and in each part one point is chosen:
 *
 *      cost        0       unit    2 unit  3 unit
 *                  |---.---|.------|-----.-|--- ...        unit = min_cost / SAMPLE_HITS
 *                      |
 *      window   . . . . t . . . .          max_length - 1 terminals on either side of its own
 *
 * An occurrence of a string w is *hit* by each point in it, on average by cost(w) / unit of them.
 * So all occurrences together are hit
 *
 *      frequency(w) cost(w) / unit
 *
 * times on average, independently of the rest of the run: at least SAMPLE_HITS times if w is hot.
 * Points are chosen in their parts independently of each other.  If no occurrences of w overlap, a
 * point hits at most once.  By Chernoff's bound there are fewer than half of SAMPLE_HITS hits with
 * a probability below
 *
 *      exp(- SAMPLE_HITS (1 - 1/2 - 1/2 ln 2)) = exp(-36.8) = 10^-16
 *
 * If k occurrences of w share a terminal, a point hits up to k of them at once, and SAMPLE_HITS / k
 * replaces SAMPLE_HITS in this bound (10^-8 with k = 2); k is at most length(w) / period(w),
 * rounded up. With k > 2, w is a row of a loop: see hotpaths/sampled/loop-candidates.h.
 *
 * In the other direction, half as many *points* again as SAMPLE_HITS lie in occurrences of a string
 * that is not hot with a probability below exp(-26) = 10^-11, whether they overlap or not.
 *
 * The point of a part is chosen by a hash of the part's number: the same one each time.
 *
 *      text    | before t behind | before t behind | ...      each window takes 2^bits terminals,
 *                       ^ 2^(bits - 1)                         t is in the middle
 */
#ifndef WPP_SAMPLE_H
#define WPP_SAMPLE_H

#include "hotpaths/base/rule-walk.h"

enum { SAMPLE_HITS = 240, SAMPLE_MARGIN = 2 };

/* Returned besides enum hot_status if candidates would take more memory and time than searching all
 * borders. */
enum { SAMPLE_TOO_MUCH = 1 };

/* SAMPLE_PAYS: the most terminals in all windows, for each symbol of the grammar, at which sampling costs less than
 * searching all borders.  SAMPLE_TEXT_MOST: the most in all windows; their indices have 32 bits.  CANDIDATES_MOST: the
 * most terminals of candidates beyond the number of symbols. */
#ifdef WPP_HOSTILE
#define SAMPLE_PAYS UINT32_MAX          /* always, up to the next limit */
#define SAMPLE_TEXT_MOST (UINT32_C(1) << 19)
#define CANDIDATES_MOST 300
#else
#define SAMPLE_PAYS 8
#define SAMPLE_TEXT_MOST UINT32_MAX
#define CANDIDATES_MOST (UINT64_C(1) << 20)
#endif

static inline bool sample_is_too_much(const struct analysis *a, uint64_t terminals)
{
    return terminals > CANDIDATES_MOST + a->g->body[rule_count(a->g)];
}

/* Terminals [begin, end) of the text are the known part of the window. */
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

/* Whether a sample for this minimal cost is worth taking. */
bool sample_pays(const struct analysis *a, uint64_t min_cost);

/* Takes a sample, for which sample_pays() must be true; `walks` reaches max_length - 1 terminals.
 * HOT_OK or HOT_E_MEMORY; sample_clear either way. */
int sample_take(struct sample *s, const struct rule_walks *walks, const struct analysis *a,
                uint64_t min_cost);
void sample_clear(struct sample *s);

/* True when each window holds its point and lies in its own part of the text. */
bool sample_check(const struct sample *s);

/* The index of a window's point. */
static inline uint32_t sample_middle(const struct sample *s, size_t window)
{
    return (uint32_t)(window << s->bits) + (UINT32_C(1) << (s->bits - 1));
}

/* How far a terminal is before its window's point; it must not be behind the point. */
static inline uint32_t sample_distance(const struct sample *s, uint32_t at)
{
    uint32_t size = UINT32_C(1) << s->bits;

    return size / 2 - (at & (size - 1));
}

#endif
