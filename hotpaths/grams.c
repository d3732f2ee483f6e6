/* SPDX-License-Identifier: MIT */
/* grams.c - counting strings of k terminals; see grams.h. */
#include "hotpaths/grams.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef WPP_HOSTILE
enum { LEAST_BITS = 2, MOST_BITS = 4 };     /* nearly all grams share counts */
#else
enum { LEAST_BITS = 10, MOST_BITS = 22 };   /* 16 MB, most of which the caches hold */
#endif

/* ---- The ends of rules ------------------------------------------------------------ */

static uint32_t *first_of(const struct grams *s, uint32_t rule)
{
    return s->ends + (size_t)rule * 2 * (s->length - 1);
}

static uint32_t *last_of(const struct grams *s, uint32_t rule)
{
    return first_of(s, rule) + s->length - 1;
}

/* How many terminals of its ends a rule has. */
static uint32_t n_ends(const struct grams *s, uint32_t rule)
{
    uint64_t length = s->a->g->length[rule];

    return length < s->length - 1 ? (uint32_t)length : s->length - 1;
}

/* Writes the first terminals of what begins at symbol `at`, at most `most`;
 * returns how many there are. */
static uint32_t put_first(const struct grams *s, uint64_t at, uint64_t end, uint32_t *out,
                          uint32_t most)
{
    const struct wpp_grammar *g = s->a->g;
    uint32_t n = 0;

    for (; at < end && n < most; at++) {
        uint32_t symbol = g->symbols[at];

        if (symbol & WPP_RULE) {
            const uint32_t *from = first_of(s, symbol & ~WPP_RULE);
            uint32_t more = n_ends(s, symbol & ~WPP_RULE);

            for (uint32_t i = 0; i < more && n < most; i++)
                out[n++] = from[i];
        } else {
            out[n++] = symbol;
        }
    }
    return n;
}

/* The last terminals of a right-hand side, written backwards from out[most]. */
static uint32_t put_last(const struct grams *s, uint64_t begin, uint64_t end, uint32_t *out,
                         uint32_t most)
{
    const struct wpp_grammar *g = s->a->g;
    uint32_t n = 0;

    while (end-- > begin && n < most) {
        uint32_t symbol = g->symbols[end];

        if (symbol & WPP_RULE) {
            const uint32_t *from = last_of(s, symbol & ~WPP_RULE);
            uint32_t more = n_ends(s, symbol & ~WPP_RULE);

            while (more-- > 0 && n < most)
                out[most - ++n] = from[more];
        } else {
            out[most - ++n] = symbol;
        }
    }
    return n;
}

static void keep_ends(struct grams *s, uint32_t rule)
{
    const struct wpp_grammar *g = s->a->g;
    uint32_t n = n_ends(s, rule);

    put_first(s, g->body[rule], g->body[rule + 1], first_of(s, rule), n);
    put_last(s, g->body[rule], g->body[rule + 1], last_of(s, rule), n);
}

/* ---- Counting ------------------------------------------------------------------------ */

void grams_border(const struct grams *s, uint64_t at, uint64_t end, struct border *out)
{
    uint32_t symbol = s->a->g->symbols[at];

    if (symbol & WPP_RULE) {
        uint32_t rule = symbol & ~WPP_RULE;

        out->n_before = n_ends(s, rule);
        for (uint32_t i = 0; i < out->n_before; i++)
            out->text[i] = last_of(s, rule)[i];
    } else {
        out->n_before = 1;
        out->text[0] = symbol;
    }
    out->n = out->n_before + put_first(s, at + 1, end, out->text + out->n_before, s->length - 1);
}

static void charge(uint32_t *count, uint64_t frequency)
{
    *count = frequency < GRAM_MANY - *count ? *count + (uint32_t)frequency : GRAM_MANY;
}

/* Fetches all counts before the first is needed: few of them are in a cache. */
static void count_border(struct grams *s, const struct border *b, uint64_t frequency)
{
    uint32_t *counts[GRAM_MOST], n = 0;
    uint64_t hash;

    if (b->n < s->length || b->n_before == 0)
        return;
    hash = gram_hash(b->text, s->length);
    for (;;) {
        counts[n] = &s->count[gram_mix(hash) >> s->shift];
        __builtin_prefetch(counts[n], 1);
        n++;
        if (n == b->n_before || n - 1 + s->length == b->n)
            break;
        hash = gram_right(hash, s->power, b->text[n - 1], b->text[n - 1 + s->length]);
    }
    for (uint32_t i = 0; i < n; i++)
        charge(counts[i], frequency);
}

static void count_all(struct grams *s)
{
    const struct wpp_grammar *g = s->a->g;
    struct border border;

    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        if (!s->a->frequency[rule])
            continue;
        if (rule < g->n_rules)
            keep_ends(s, rule);
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            gram_prefetch(s, i + FETCH_AHEAD, g->body[rule + 1]);
            grams_border(s, i, g->body[rule + 1], &border);
            count_border(s, &border, s->a->frequency[rule]);
        }
    }
}

int grams_init(struct grams *s, const struct analysis *a)
{
    uint64_t symbols = a->g->body[rule_count(a->g)];
    unsigned bits = LEAST_BITS;

    *s = (struct grams){ .a = a };
    s->length = a->min_length < GRAM_MOST ? a->min_length : GRAM_MOST;
    s->power = gram_power(s->length);
    while (bits < MOST_BITS && UINT64_C(1) << bits < symbols / 2)
        bits++;
    s->shift = 64 - bits;
    s->count = calloc((size_t)1 << bits, sizeof *s->count);
    s->ends = malloc(((size_t)a->g->n_rules * 2 * (s->length - 1) + 1) * sizeof *s->ends);
    if (!s->count || !s->ends)
        return HOT_E_MEMORY;
    count_all(s);
    return HOT_OK;
}

void grams_clear(struct grams *s)
{
    free(s->count);
    free(s->ends);
    *s = (struct grams){ 0 };
}
