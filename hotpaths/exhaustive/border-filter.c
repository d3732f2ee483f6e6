/* SPDX-License-Identifier: MIT */
/* border-filter.c - borders that hot subpaths may cross; see border-filter.h. */
#include "hotpaths/exhaustive/border-filter.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"

/* ---- Bounds ------------------------------------------------------------------------- */

unsigned border_filter_class(uint64_t frequency)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(frequency | 1);
    uint64_t leading = bits < 2 ? frequency << (2 - bits) : frequency >> (bits - 2);

    return 4 * bits + (unsigned)(leading & 3);
}

/* The smallest frequency of a class; there may be none that belongs to the class. */
static uint64_t class_begin(unsigned class)
{
    unsigned __int128 begin = (unsigned __int128)(4 + class % 4) << class / 4 >> 2;

    return (uint64_t)begin;
}

uint64_t border_filter_round_down(uint64_t frequency)
{
    return class_begin(border_filter_class(frequency));
}

static uint64_t class_end(unsigned class)
{
    return class + 1 < BORDER_FILTER_CLASSES ? class_begin(class + 1) : UINT64_MAX;
}

static uint64_t bound_of_class(const struct border_filter *s, unsigned class, uint64_t n)
{
    assert(class < BORDER_FILTER_CLASSES && n <= s->a->max_length);
    return n * s->dearest[class];
}

/* A lower bound without the frequencies of terminals. */
static uint64_t least_at_all(const struct border_filter *s, uint64_t min_cost)
{
    return unit_cost_needed(s->a->max_length * s->a->dearest, min_cost);
}

uint64_t border_filter_least(const struct border_filter *s, uint64_t min_cost)
{
    uint64_t least = least_at_all(s, min_cost);

    for (unsigned class = border_filter_class(least); class < BORDER_FILTER_CLASSES; class++)
        if (can_cost(class_end(class), bound_of_class(s, class, s->a->max_length), min_cost))
            return class_begin(class) > least ? class_begin(class) : least;
    return UINT64_MAX;
}

static uint64_t bound_of_rest(const struct border_filter *s, unsigned class,
                              struct border_filter_rest rest)
{
    uint64_t missing = rest.missing < rest.n ? rest.missing : rest.n;
    uint64_t by_text = saturating_add(rest.known, bound_of_class(s, class, missing));
    uint64_t by_terminals = bound_of_class(s, class, rest.n);

    return by_text < by_terminals ? by_text : by_terminals;
}

/* The less frequent a subpath is, the more expensive its terminals may be: searches from the least
 * frequency that can be hot. */
uint64_t border_filter_reach(const struct border_filter *s, uint64_t min_cost, uint64_t least,
                             uint64_t frequency, uint64_t cost, struct border_filter_rest rest)
{
    if (least > frequency)
        return 0;
    for (unsigned class = border_filter_class(least); class <= border_filter_class(frequency);
         class++) {
        uint64_t end = class_end(class) < frequency ? class_end(class) : frequency;
        uint64_t all = saturating_add(cost, bound_of_rest(s, class, rest));

        if (can_cost(end, all, min_cost))
            return all;
    }
    return 0;
}

/* Finds the most expensive terminals of each class and of those above it. */
static int find_dearest(struct border_filter *s)
{
    const struct wpp_grammar *g = s->a->g;
    uint64_t *count = calloc((size_t)g->n_terminals + 1, sizeof *count);

    for (uint32_t rule = 0; count && rule < rule_count(g); rule++)
        for (uint64_t i = g->body[rule]; s->a->frequency[rule] && i < g->body[rule + 1]; i++)
            if (!(g->symbols[i] & WPP_RULE))
                count[g->symbols[i]] = saturating_add(count[g->symbols[i]],
                                                      s->a->frequency[rule]);
    for (uint32_t i = 0; count && i < g->n_terminals; i++)
        if (count[i] && s->a->cost[i] > s->dearest[border_filter_class(count[i])])
            s->dearest[border_filter_class(count[i])] = s->a->cost[i];
    for (unsigned i = BORDER_FILTER_CLASSES - 1; i-- > 0;)
        if (s->dearest[i] < s->dearest[i + 1])
            s->dearest[i] = s->dearest[i + 1];
    free(count);
    return count ? HOT_OK : HOT_E_MEMORY;
}

int border_filter_init(struct border_filter *s, const struct analysis *a)
{
    *s = (struct border_filter){ .a = a };
    texts_init(&s->texts);
    if (rule_walks_init(&s->walks, a->g, a->max_length - 1) != HOT_OK)
        return HOT_E_MEMORY;
    if (find_dearest(s) != HOT_OK)
        return HOT_E_MEMORY;
    return gram_counts_init(&s->grams, a);
}

void border_filter_clear(struct border_filter *s)
{
    gram_counts_clear(&s->grams);
    rule_walks_clear(&s->walks);
    texts_clear(&s->texts);
    free(s->border);
    *s = (struct border_filter){ 0 };
}

/* ---- Borders ---------------------------------------------------------------------------- */

struct taking {
    struct border_filter *s;
    uint64_t min_cost;
};

/* Ends the text at a rare gram that lies behind the border. */
static bool trim_right(const struct gram_counts *s, const uint32_t *text, uint32_t middle,
                       uint32_t *end, uint64_t least)
{
    uint32_t k = s->length;
    uint64_t hash = 0;

    for (uint32_t i = middle; i + k <= *end; i++) {
        hash = i == middle ? rolling_hash(text + i, k)
                           : rolling_right(hash, s->power[k - 1], text[i - 1], text[i + k - 1]);
        if (gram_counts_get(s, hash) >= least)
            continue;
        *end = i + k - 1;
        return true;
    }
    return false;
}

/* Begins the text behind a rare gram that is part of every string that begins there and crosses the
 * border. */
static bool trim_left(const struct gram_counts *s, const uint32_t *text, uint32_t *begin,
                      uint32_t middle, uint32_t end, uint64_t least)
{
    uint32_t k = s->length, i = middle + 1 - k < middle ? middle + 1 - k : middle - 1;
    uint64_t hash = 0;
    bool hashed = false;

    for (i++; i-- > *begin;) {
        if (i + k > end)
            continue;
        hash = hashed ? rolling_left(hash, s->power[k - 1], text[i], text[i + k])
                      : rolling_hash(text + i, k);
        hashed = true;
        if (gram_counts_get(s, hash) >= least)
            continue;
        *begin = i + 1;
        return true;
    }
    return false;
}

/* Cuts out the text around the border as far as hot subpaths may reach, from text[*begin] on;
 * false: none may. */
static bool cut_out(const struct taking *t, const struct border *b, struct text *out,
                    uint32_t *begin)
{
    const struct border_filter *s = t->s;
    uint32_t end = END_MOST + b->n_after;
    uint64_t across = gram_counts_across(&s->grams, b->before, b->after, b->missing);
    uint64_t least = unit_cost_needed(across, t->min_cost);

    assert(b->n_before > 0 && b->n_before <= END_MOST && b->n_after <= END_MOST);
    *begin = END_MOST - b->n_before;
    *out = (struct text){ .frequency = s->a->frequency[b->rule], .terminal = b->terminal,
                          .after = b->after, .missing = b->missing };
    out->right_open = !trim_right(&s->grams, b->text, END_MOST, &end, least);
    out->left_open = !trim_left(&s->grams, b->text, begin, END_MOST, end, least) && b->cut;
    out->n_before = END_MOST - *begin;
    out->n = end - *begin;
    return *begin < END_MOST;
}

static int take_border(void *context, const struct border *b)
{
    struct taking *t = context;
    struct border_filter *s = t->s;
    struct text like;
    uint32_t begin, text;

    if (!cut_out(t, b, &like, &begin))
        return HOT_OK;
    if (GROW(s->border, s->borders_size, s->n_borders + 1) != HOT_OK)
        return HOT_E_MEMORY;
    if (texts_add(&s->texts, &like, b->text + begin, &text) != HOT_OK)
        return HOT_E_MEMORY;
    s->border[s->n_borders++] = (struct filtered_border){ b->at, b->rule, text };
    return HOT_OK;
}

static int take_all(struct border_filter *s, uint64_t min_cost)
{
    struct taking t = { .s = s, .min_cost = min_cost };

    return gram_counts_show(&s->grams, min_cost, border_filter_least(s, min_cost), take_border, &t);
}

int border_filter_use(struct border_filter *s, uint64_t min_cost)
{
    int status;

    assert(min_cost > 0);
    if (s->min_cost && min_cost >= s->min_cost)
        return HOT_OK;
    s->min_cost = 0;
    s->n_borders = 0;
    texts_clear(&s->texts);
    status = take_all(s, min_cost);
    if (status != HOT_OK)
        return status;
#ifdef WPP_HOSTILE
    assert(texts_check(&s->texts));
#endif
    s->min_cost = min_cost;
    return HOT_OK;
}
