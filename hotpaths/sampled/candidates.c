/* SPDX-License-Identifier: MIT */
/* candidates.c - finds strings that are hit often; see candidates.h. */
#include "hotpaths/sampled/candidates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/rolling-hash.h"

#ifdef WPP_HOSTILE
enum { FILTER_MOST = 2, FILTER_LEAST_BITS = 2, FILTER_MOST_BITS = 2 };  /* few, large groups */
#else
enum { FILTER_MOST = 12, FILTER_LEAST_BITS = 10, FILTER_MOST_BITS = 20 };
#endif

/* Places begin[begin .. end) have the same first `depth` terminals. */
struct alike {
    size_t begin, end;
    uint32_t depth;
};

struct candidate_search {
    const struct sample *s;
    const struct analysis *a;
    uint64_t need, enough;
    struct subpath_set *out;
    uint32_t *begin;            /* places in the text where a candidate may begin */
    size_t n;
    uint32_t *next, *moved;     /* of the places being split: their next terminal; their new
                                   order */
    uint32_t *times;            /* of each terminal: how often it comes next; 0 between two
                                   splits */
    uint32_t *after;            /* the different next terminals */
    uint32_t *hit;              /* by distance: places of the current group; and those of */
    uint32_t *point;            /* them that are the last of their window */
    struct alike *stack;
    size_t n_stack, stack_size;
};

static const struct sample_window *window_of(const struct candidate_search *c, uint32_t at)
{
    assert(at >> c->s->bits < c->s->n);
    return &c->s->window[at >> c->s->bits];
}

/* ---- Beginnings -------------------------------------------------------------------------- */

/* For strings of the first k terminals, by hash: how often they begin in a window; later, the index
 * for the next place of these. */
struct filter {
    uint32_t k;
    unsigned bits;              /* 2^bits different hashes */
    uint32_t *times, *to;
};

/* Counts the beginnings in one window, or (`keep`) keeps those that are frequent enough. */
static inline __attribute__((always_inline)) void filter_window(struct candidate_search *c,
                                                                struct filter *f, size_t window,
                                                                uint64_t power, bool keep)
{
    const struct sample_window *w = &c->s->window[window];
    const uint32_t *text = c->s->text;
    uint32_t middle = sample_middle(c->s, window), at = w->begin;
    uint64_t hash;

    if (w->end - at < f->k)
        return;
    hash = rolling_hash(text + at, f->k);
    for (;; at++) {
        uint64_t slot = rolling_mix(hash) >> (64 - f->bits);

        if (!keep)
            f->times[slot]++;
        else if (f->times[slot] >= c->need)
            c->begin[f->to[slot]++] = at;
        if (at == middle || w->end - at == f->k)
            return;
        hash = rolling_right(hash, power, text[at], text[at + f->k]);
    }
}

/* Makes room for the places of each slot, and makes them a group. */
static int make_groups(struct candidate_search *c, struct filter *f)
{
    for (size_t slot = 0; slot < (size_t)1 << f->bits; slot++) {
        if (f->times[slot] < c->need)
            continue;
        if (GROW(c->stack, c->stack_size, c->n_stack + 1) != HOT_OK)
            return HOT_E_MEMORY;
        f->to[slot] = (uint32_t)c->n;
        c->stack[c->n_stack++] = (struct alike){ c->n, c->n + f->times[slot], 0 };
        c->n += f->times[slot];
    }
    c->begin = scattered_array(c->n + 1, sizeof *c->begin);
    c->next = scattered_array(c->n + 1, sizeof *c->next);
    c->moved = scattered_array(c->n + 1, sizeof *c->moved);
    return c->begin && c->next && c->moved ? HOT_OK : HOT_E_MEMORY;
}

static int find_beginnings(struct candidate_search *c)
{
    struct filter f = { .k = c->a->min_length < FILTER_MOST ? c->a->min_length : FILTER_MOST,
                        .bits = FILTER_LEAST_BITS };
    uint64_t power = rolling_power(f.k), places = (uint64_t)c->s->n * c->a->max_length;
    int status = HOT_E_MEMORY;

    while (f.bits < FILTER_MOST_BITS && UINT64_C(1) << f.bits < places)
        f.bits++;
    f.times = calloc((size_t)1 << f.bits, sizeof *f.times);
    f.to = malloc(sizeof *f.to << f.bits);
    if (f.times && f.to) {
        for (size_t i = 0; i < c->s->n; i++)
            filter_window(c, &f, i, power, false);
        status = make_groups(c, &f);
    }
    for (size_t i = 0; status == HOT_OK && i < c->s->n; i++)
        filter_window(c, &f, i, power, true);
    free(f.times);
    free(f.to);
    return status;
}

/* ---- Groups ------------------------------------------------------------------------------ */

/* The length up to which `a` and `b` are equal, from `n` terminals on, up to `most`. */
static inline uint32_t common(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t most)
{
    enum { LARGE = 32, SMALL = 4 };

    while (n + LARGE <= most && memcmp(a + n, b + n, LARGE * sizeof *a) == 0)
        n += LARGE;
    while (n + SMALL <= most && memcmp(a + n, b + n, SMALL * sizeof *a) == 0)
        n += SMALL;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

enum { PLACES_SOON = 8 };

/* The length up to which all are equal, at most max_length terminals. */
static uint32_t common_depth(const struct candidate_search *c, const struct alike *g)
{
    const uint32_t *text = c->s->text;
    uint32_t depth = c->a->max_length;

    for (size_t i = g->begin; i < g->end && depth > g->depth; i++) {
        uint32_t left = window_of(c, c->begin[i])->end - c->begin[i];

        if (i + PLACES_SOON < g->end)
            __builtin_prefetch(&text[c->begin[i + PLACES_SOON] + g->depth]);
        depth = common(text + c->begin[g->begin], text + c->begin[i], g->depth,
                       left < depth ? left : depth);
    }
    return depth;
}

/* For the first `length` terminals of a string: how often they are hit, and by how many points. */
struct hits {
    uint32_t length;
    uint64_t times, points;
};

/* Counts hits of as much of the group's string as is hit often enough, or of all `depth` terminals.
 * Places in one window are neighbours in a group, the last one closest to the point. */
static struct hits count_hits(struct candidate_search *c, const struct alike *g, uint32_t depth)
{
    struct hits h = { 0 };

    assert(depth <= c->a->max_length);
    memset(c->hit, 0, depth * sizeof *c->hit);
    memset(c->point, 0, depth * sizeof *c->point);
    for (size_t i = g->begin; i < g->end; i++) {
        uint32_t distance = sample_distance(c->s, c->begin[i]);

        if (distance >= depth)
            continue;
        c->hit[distance]++;
        c->point[distance] += i + 1 == g->end ||
                              window_of(c, c->begin[i]) != window_of(c, c->begin[i + 1]);
    }
    while (h.length < depth && (h.length < c->a->min_length ||
                                candidate_weight(h.times, h.points) < c->enough)) {
        h.times += c->hit[h.length];
        h.points += c->point[h.length++];
    }
    return h;
}

/* Sorts the group's places by their next terminal.  Drops those without a next terminal and those
 * whose terminal is too rare; makes a group of each of the others. */
static int split_alike(struct candidate_search *c, const struct alike *g)
{
    const uint32_t *text = c->s->text;
    uint32_t *begin = c->begin, n_after = 0;
    size_t n = g->begin;
    int status = HOT_OK;

    for (size_t i = g->begin; i < g->end; i++) {
        uint32_t at = begin[i], next;

        if (i + PLACES_SOON < g->end)
            __builtin_prefetch(&text[begin[i + PLACES_SOON] + g->depth]);
        if (window_of(c, at)->end - at <= g->depth)
            continue;
        next = text[at + g->depth];
        if (c->times[next]++ == 0)
            c->after[n_after++] = next;
        begin[n] = at;
        c->next[n++] = next;
    }
    assert(n <= g->end && n_after <= n - g->begin);
    memcpy(c->moved + g->begin, begin + g->begin, (n - g->begin) * sizeof *begin);
    for (size_t i = 0, to = g->begin; i < n_after; i++) {
        uint32_t times = c->times[c->after[i]];

        c->times[c->after[i]] = UINT32_MAX;
        if (times < c->need)
            continue;
        if (GROW(c->stack, c->stack_size, c->n_stack + 1) != HOT_OK)
            status = HOT_E_MEMORY;
        else
            c->stack[c->n_stack++] = (struct alike){ to, to + times, g->depth + 1 };
        c->times[c->after[i]] = (uint32_t)to;
        to += times;
    }
    for (size_t i = g->begin; i < n; i++)
        if (c->times[c->next[i]] != UINT32_MAX)
            begin[c->times[c->next[i]]++] = c->moved[i];
    for (uint32_t i = 0; i < n_after; i++)
        c->times[c->after[i]] = 0;
    return status;
}

/* True when the group's places agree, and those in one window are in order. */
__attribute__((unused)) static bool alike_check(const struct candidate_search *c,
                                                const struct alike *g)
{
    const uint32_t *text = c->s->text;

    for (size_t i = g->begin + 1; i < g->end; i++)
        if (c->begin[i] <= c->begin[i - 1] ||
            memcmp(text + c->begin[i], text + c->begin[g->begin], g->depth * sizeof *text) != 0)
            return false;
    return g->end - g->begin >= c->need;
}

static int look_at(struct candidate_search *c, struct alike g)
{
    uint32_t depth = common_depth(c, &g);
    uint64_t weight;
    struct hits h;

    assert(g.end - g.begin >= c->need && depth >= g.depth);
#ifdef WPP_HOSTILE
    assert(alike_check(c, &g));
#endif
    if (depth >= c->a->min_length) {
        h = count_hits(c, &g, depth);
        weight = candidate_weight(h.times, h.points);
        if (h.times >= c->need && subpath_set_append(c->out, c->s->text + c->begin[g.begin],
                                                     h.length, c->s->unit, weight) != HOT_OK)
            return HOT_E_MEMORY;
        if (weight >= c->enough)
            return HOT_OK;
    }
    if (depth == c->a->max_length)
        return HOT_OK;
    g.depth = depth;
    return split_alike(c, &g);
}

static int candidate_search_init(struct candidate_search *c)
{
    c->times = calloc((size_t)c->a->g->n_terminals + 1, sizeof *c->times);
    c->after = malloc(((size_t)c->a->g->n_terminals + 1) * sizeof *c->after);
    c->hit = malloc(((size_t)c->a->max_length + 1) * sizeof *c->hit);
    c->point = malloc(((size_t)c->a->max_length + 1) * sizeof *c->point);
    return c->times && c->after && c->hit && c->point ? HOT_OK : HOT_E_MEMORY;
}

static void candidate_search_clear(struct candidate_search *c)
{
    free(c->begin);
    free(c->next);
    free(c->moved);
    free(c->times);
    free(c->after);
    free(c->hit);
    free(c->point);
    free(c->stack);
}

int candidates_find(const struct sample *s, const struct analysis *a, uint64_t need,
                    uint64_t enough, struct subpath_set *out)
{
    struct candidate_search c = { .s = s, .a = a, .need = need, .enough = enough, .out = out };
    int status = candidate_search_init(&c);

    assert(need > 0 && need <= enough);
    if (status == HOT_OK)
        status = find_beginnings(&c);
    while (status == HOT_OK && c.n_stack > 0) {
        status = look_at(&c, c.stack[--c.n_stack]);
        if (status == HOT_OK && sample_is_too_much(a, out->n_terminals))
            status = SAMPLE_TOO_MUCH;
    }
    candidate_search_clear(&c);
    return status;
}
