/* SPDX-License-Identifier: MIT */
/* sample.c - chooses points of the run; see sample.h. */
#include "hotpaths/sampled/sample.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"

/* A point lies in the derivation of a symbol of a start rule, behind terminals that cost
 * `offset`. */
struct point {
    uint64_t at, offset;
    uint32_t rule;
};

/* A rule may be as long as the trace (start -> A A) and have many points in it.  Marks save reading
 * it from its beginning for each. */
#ifdef WPP_HOSTILE
enum { MARK = 2 };
#else
enum { MARK = 64 };
#endif

struct sampling {
    struct sample *s;
    const struct analysis *a;
    const struct wpp_grammar *g;
    uint64_t *cost;             /* of each rule */
    uint64_t *mark;             /* of each MARK-th symbol: the cost of the symbols before it in
                                   its rule */
    struct point *point;
    size_t n_points, points_size;
    struct rule_walk before, behind;
};

static uint64_t unit_of(uint64_t min_cost)
{
    return min_cost > SAMPLE_HITS ? min_cost / SAMPLE_HITS : 1;
}

static unsigned bits_of(const struct analysis *a)
{
    unsigned bits = 1;

    while (UINT64_C(1) << (bits - 1) < a->max_length)
        bits++;
    assert(bits < 32 && UINT64_C(1) << bits >= 2 * (uint64_t)a->max_length);
    return bits;
}

/* Whether the sums of costs of the whole run have not stopped at the largest number. */
static bool is_countable(const struct analysis *a)
{
    uint64_t most = UINT64_C(1) << 62, events = 0;

    for (uint32_t k = 0; k < a->g->n_threads; k++) {
        uint64_t length = a->g->length[a->g->n_rules + k];

        if (length >= most - events)
            return false;
        events += length;
    }
    return a->total_cost < most;
}

bool sample_pays(const struct analysis *a, uint64_t min_cost)
{
    uint64_t windows = a->total_cost / unit_of(min_cost) + 1;
    uint64_t most = saturating_mul(a->g->body[rule_count(a->g)], SAMPLE_PAYS);

    most = most < SAMPLE_TEXT_MOST ? most : SAMPLE_TEXT_MOST;
    return is_countable(a) && windows <= most >> bits_of(a);
}

/* ---- Points ------------------------------------------------------------------------------ */

/* A number for each part, less than `unit`, like a random one. */
static uint64_t chance(uint64_t part, uint64_t unit)
{
    uint64_t x = (part + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint64_t)((unsigned __int128)(x ^ x >> 32) * unit >> 64);
}

static inline uint64_t cost_below(const struct sampling *p, uint32_t symbol)
{
    return symbol & WPP_RULE ? p->cost[symbol & ~WPP_RULE] : p->a->cost[symbol];
}

/* Sums for rules that are not executed may be wrong. */
static void add_up_rules(struct sampling *p)
{
    const struct wpp_grammar *g = p->g;

    for (uint32_t rule = 0; rule < g->n_rules; rule++) {
        p->cost[rule] = 0;
        for (uint64_t at = g->body[rule]; at < g->body[rule + 1]; at++) {
            if (at % MARK == 0)
                p->mark[at / MARK] = p->cost[rule];
            p->cost[rule] += cost_below(p, g->symbols[at]);
        }
    }
}

/* `from` is the cost of everything before the rule, and becomes that of everything up to its
 * end. */
static int choose_points(struct sampling *p, uint32_t rule, uint64_t *from)
{
    const struct wpp_grammar *g = p->g;
    uint64_t end = g->body[rule + 1], unit = p->s->unit;
    uint64_t part = p->n_points, next = part * unit + chance(part, unit);

    for (uint64_t at = g->body[rule]; at < end; at++) {
        uint64_t to = *from + cost_below(p, g->symbols[at]);

        if (at + FETCH_AHEAD < end && (g->symbols[at + FETCH_AHEAD] & WPP_RULE))
            __builtin_prefetch(&p->cost[g->symbols[at + FETCH_AHEAD] & ~WPP_RULE]);
        while (next < to) {
            if (GROW(p->point, p->points_size, p->n_points + 1) != HOT_OK)
                return HOT_E_MEMORY;
            assert(next >= *from);
            p->point[p->n_points++] = (struct point){ at, next - *from, rule };
            part++;
            next = part * unit + chance(part, unit);
        }
        *from = to;
    }
    return HOT_OK;
}

/* ---- Windows ----------------------------------------------------------------------------- */

/* The symbol of a rule, [begin, end), with the point; *offset becomes the cost before the point
 * within it. */
static uint64_t find_symbol(const struct sampling *p, uint64_t begin, uint64_t end,
                            uint64_t *offset)
{
    assert(begin < end);
    uint64_t low = begin / MARK, high = (end - 1) / MARK, at = begin, cost;

    while (low < high) {        /* find the last mark in the rule that is not behind the point */
        uint64_t middle = low + (high - low + 1) / 2;

        if (p->mark[middle] <= *offset)
            low = middle;
        else
            high = middle - 1;
    }
    if (low * MARK > begin) {
        at = low * MARK;
        *offset -= p->mark[low];
    }
    for (; (cost = cost_below(p, p->g->symbols[at])) <= *offset; at++)
        *offset -= cost;
    assert(at < end);
    return at;
}

/* Descends to the terminal with the point, and begins a walk on either side of it. */
static int go_to(struct sampling *p, const struct point *point, uint32_t *terminal)
{
    const struct wpp_grammar *g = p->g;
    uint64_t begin = g->body[point->rule], at = point->at, end = g->body[point->rule + 1];
    uint64_t offset = point->offset;
    int status = rule_walk_begin(&p->before, begin, at);

    if (status == HOT_OK)
        status = rule_walk_begin(&p->behind, at + 1, end);
    while (status == HOT_OK && (g->symbols[at] & WPP_RULE)) {
        begin = g->body[g->symbols[at] & ~WPP_RULE];
        end = g->body[(g->symbols[at] & ~WPP_RULE) + 1];
        at = find_symbol(p, begin, end, &offset);
        if (rule_walk_open(&p->before, begin, at) != HOT_OK ||
            rule_walk_open(&p->behind, at + 1, end) != HOT_OK)
            status = HOT_E_MEMORY;
    }
    *terminal = g->symbols[at];
    return status;
}

static int write_window(struct sampling *p, size_t window, uint32_t terminal)
{
    struct sample *s = p->s;
    uint32_t side = p->a->max_length - 1, middle = sample_middle(s, window), next;
    struct sample_window *w = &s->window[window];

    s->text[middle] = terminal;
    *w = (struct sample_window){ middle, middle + 1 };
    while (w->end - middle <= side && (next = rule_walk_right(&p->behind)) != RULE_WALK_END) {
        if (next == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
        s->text[w->end++] = next;
    }
    while (middle - w->begin < side && (next = rule_walk_left(&p->before)) != RULE_WALK_END) {
        if (next == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
        s->text[--w->begin] = next;
    }
    assert(w->begin >> s->bits == window && (w->end - 1) >> s->bits == window);
    return HOT_OK;
}

/* Prefetches the surroundings of a point that comes soon: the beginnings of the rules around it,
 * and, once these are there, their first symbols. */
static void fetch_window(const struct sampling *p, size_t i)
{
    enum { POINTS_SOON = 3, AROUND = 12 };
    const struct wpp_grammar *g = p->g;

    for (int k = 1; k <= 2 && i + (size_t)k * POINTS_SOON < p->n_points; k++) {
        const struct point *point = &p->point[i + (size_t)k * POINTS_SOON];
        uint64_t begin = g->body[point->rule], end = g->body[point->rule + 1];

        begin = point->at - begin < AROUND ? begin : point->at - AROUND;
        end = end - point->at < AROUND ? end : point->at + AROUND;
        for (uint64_t at = begin; at < end; at++) {
            if (!(g->symbols[at] & WPP_RULE))
                continue;
            if (k == 2)
                __builtin_prefetch(&g->body[g->symbols[at] & ~WPP_RULE]);
            else
                __builtin_prefetch(&g->symbols[g->body[g->symbols[at] & ~WPP_RULE]]);
        }
    }
}

static int write_windows(struct sampling *p)
{
    struct sample *s = p->s;
    uint32_t terminal;

    s->n = p->n_points;
    s->text = scattered_array((s->n + 1) << s->bits, sizeof *s->text);
    s->window = malloc((s->n + 1) * sizeof *s->window);
    if (!s->text || !s->window)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < s->n; i++) {
        fetch_window(p, i);
        if (go_to(p, &p->point[i], &terminal) != HOT_OK ||
            write_window(p, i, terminal) != HOT_OK)
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

int sample_take(struct sample *s, const struct rule_walks *walks, const struct analysis *a,
                uint64_t min_cost)
{
    struct sampling p = { .s = s, .a = a, .g = a->g, .before = { .o = walks },
                          .behind = { .o = walks } };
    uint64_t from = 0;
    int status = HOT_OK;

    *s = (struct sample){ .unit = unit_of(min_cost), .bits = bits_of(a) };
    p.cost = scattered_array((size_t)a->g->n_rules + 1, sizeof *p.cost);
    p.mark = malloc((a->g->body[a->g->n_rules] / MARK + 1) * sizeof *p.mark);
    if (p.cost && p.mark)
        add_up_rules(&p);
    else
        status = HOT_E_MEMORY;
    for (uint32_t rule = a->g->n_rules; status == HOT_OK && rule < rule_count(a->g); rule++)
        if (a->frequency[rule])
            status = choose_points(&p, rule, &from);
    if (status == HOT_OK)
        status = write_windows(&p);
#ifdef WPP_HOSTILE
    assert(status != HOT_OK || sample_check(s));
#endif
    free(p.cost);
    free(p.mark);
    free(p.point);
    rule_walk_clear(&p.before);
    rule_walk_clear(&p.behind);
    return status;
}

bool sample_check(const struct sample *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_window *w = &s->window[i];
        uint32_t middle = sample_middle(s, i);

        if (w->begin > middle || w->end <= middle || w->begin >> s->bits != i ||
            (w->end - 1) >> s->bits != i)
            return false;
    }
    return true;
}

void sample_clear(struct sample *s)
{
    free(s->text);
    free(s->window);
    *s = (struct sample){ 0 };
}
