/* SPDX-License-Identifier: MIT */
/* sample.h - borders that stand for all borders.
 *
 * Most borders (the ends of symbols) of a large grammar are in its start rules, where each counts
 * once, while something hot is executed many thousand times.  So few of them tell what may be hot.
 *
 * Let `mass` of a border be what stands around it, up to max_length - 1 terminals on either side,
 * summed over all places where its rule stands in the trace, at least.  A border is taken with the
 * probability
 *
 *      p = mass / unit, at most 1,     unit = min_cost / SAMPLE_HITS
 *
 * and then counts rule's frequency / p times.  What is counted at those that were taken is a
 * string's frequency, but for chance:
 *
 *      w of cost c is hot: frequency(w) c >= min_cost.  Each of its places adds c or more to the
 *      mass of the border that it crosses, so the expected number of hits, the sum of p over its
 *      borders, is SAMPLE_HITS or more (or all of them are taken).  By Chernoff's bound no more
 *      than a third of this is hit with a probability below
 *
 *          exp(- SAMPLE_HITS (1 - 1/3 - 1/3 ln 3)) = exp(-48) = 10^-20
 *
 *      and for a string that is not hot to count twice min_cost it is exp(-61).
 *
 * The same holds for all that w begins with and for its grams, whose places are no fewer.  Whether
 * a border is taken is up to a hash of its place in the grammar: the same each time.
 *
 * That is true of places that do not overlap.  Where k places of w cross one border, period apart,
 * what stands there costs c and k - 1 periods more, not k c, and the expected number of hits is
 *
 *      SAMPLE_HITS (c + (k - 1) c / r) / (k c),        r = length of w / its period
 *
 * k is about r at most, so that is SAMPLE_HITS 2 / r: a loop turned a hundred times within w,
 * each of whose rows lies around a border of its own, is hit 3 times, and may be missed.  Rows
 * of loops mostly lie in rules that are used so often that their borders are taken for certain.
 */
#ifndef WPP_HOT_SAMPLE_H
#define WPP_HOT_SAMPLE_H

#include "hotpaths/analysis.h"

enum { SAMPLE_HITS = 160, SAMPLE_MARGIN = 3 };

/* A sample has to be so much smaller than all there is. */
#ifdef WPP_HOSTILE
enum { SAMPLE_PAYS = 1 };       /* always */
#else
enum { SAMPLE_PAYS = 5 };
#endif

struct sampled {
    uint64_t at;            /* the symbol */
    uint64_t weight;        /* how often it counts */
    uint32_t rule;
};

/* Symbols [begin, end) of a start rule: those that were taken, and as much behind the last one
 * as can matter. */
struct sample_window {
    uint64_t begin, end;
    uint32_t rule;
};

struct sample {
    const struct analysis *a;
    bool all;               /* each border counts its rule's frequency; the rest is empty */
    struct sampled *taken;  /* by rule, start rules last, in each from its end */
    size_t n, size;
    struct sample_window *window;  /* in the same order */
    size_t n_windows, windows_size;
};

/* Takes every border. */
void sample_all(struct sample *s, const struct analysis *a);

/* Takes some, or all if that does not pay.  HOT_OK or HOT_E_MEMORY; sample_clear either way. */
int sample_choose(struct sample *s, const struct analysis *a, uint64_t min_cost);
void sample_clear(struct sample *s);

/* True when those that were taken, and the windows, stand in their order, each of them in a
 * window where it is a start rule's. */
bool sample_check(const struct sample *s);

/* How often a border counts; 0: it was not taken. */
uint64_t sample_weight(const struct sample *s, uint32_t rule, uint64_t at);

/* The same where all are asked in order, as they are taken; *next is 0 at first. */
static inline uint64_t sample_next(const struct sample *s, uint32_t rule, uint64_t at, size_t *next)
{
    if (s->all)
        return s->a->frequency[rule];
    if (*next == s->n || s->taken[*next].at != at)
        return 0;
    return s->taken[(*next)++].weight;
}

#endif
