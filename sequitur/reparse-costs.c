/* SPDX-License-Identifier: MIT */
/* reparse-costs.c - what naming a symbol costs, with the current bodies.
 *
 * The numbers of uses tell how likely a symbol is among those that begin with its first terminal,
 * and how likely a terminal is behind another.  All numbers are whole, so that equal grammars give
 * equal files on every machine.
 */
#include "sequitur/reparse.h"

#include <string.h>

/* Each symbol costs readers of the grammar some work, which is rated at two bits. */
enum { EACH_SYMBOL = 2 * BIT };
/* The steps of the code that mark the end of a body. */
enum { EACH_BODY = 3 * BIT };

struct pair_cost {
    uint64_t pair;           /* a + 1 in the upper half, b in the lower; 0: free */
    uint64_t n;              /* how often it occurs; later its cost */
};

/* 256 times the binary logarithm, with an error of at most 2. */
static uint32_t log_of(uint64_t n)
{
    unsigned log = 63 - (unsigned)__builtin_clzll(n | 1);
    uint32_t above = (uint32_t)((log > 8 ? n >> (log - 8) : n << (8 - log)) - BIT);

    return log * BIT + above + (above * (BIT - above) * 88 >> 16);
}

/* ---- Pairs of terminals ---------------------------------------------------------- */

static struct pair_cost *pair_of(const struct costs *c, uint32_t a, uint32_t b)
{
    assert((c->pairs_size & (c->pairs_size - 1)) == 0);
    assert(a < c->f->terminals && b < c->f->terminals);
    uint64_t pair = ((uint64_t)a + 1) << 32 | b;
    uint64_t at = pair * UINT64_C(0x9E3779B97F4A7C15) >> 24;

    for (;; at++) {
        struct pair_cost *p = &c->pairs[at & (c->pairs_size - 1)];

        if (p->pair == pair || p->pair == 0)
            return p;
    }
}

uint32_t costs_pair(const struct costs *c, uint32_t a, uint32_t b)
{
    if (!c->pairs)
        return 0;
    const struct pair_cost *p = pair_of(c, a, b);

    return p->pair ? (uint32_t)p->n : c->rare[a];
}

static uint64_t count_pairs(struct costs *c, uint64_t *behind)
{
    const struct flat *f = c->f;
    uint64_t pairs = 0;

    for (uint32_t r = 0; r < f->rules + f->starts; r++)
        for (uint64_t i = f->body[r]; i + 1 < f->body[r + 1]; i++) {
            uint32_t a = flat_derived(f, f->symbols[i]).last;
            uint32_t b = flat_derived(f, f->symbols[i + 1]).first;
            struct pair_cost *p = pair_of(c, a, b);

            pairs += p->pair == 0;
            p->pair = ((uint64_t)a + 1) << 32 | b;
            p->n++;
            behind[a]++;
            if (2 * pairs > c->pairs_size)
                return pairs;
        }
    return pairs;
}

static bool new_pairs(struct costs *c, uint64_t size)
{
    c->pairs = seq_memory(c->f->s, NULL, 0, size * sizeof *c->pairs);
    c->pairs_size = size;
    if (c->pairs)
        memset(c->pairs, 0, size * sizeof *c->pairs);
    return c->pairs != NULL;
}

static void drop_pairs(struct costs *c)
{
    seq_memory(c->f->s, c->pairs, c->pairs_size * sizeof *c->pairs, 0);
    c->pairs = NULL;
}

/* Makes a table that is at most half full.  If one pair in eight is a new one, as in random words,
 * a terminal does not predict the next one: then there is no table, and pairs cost nothing. */
static bool find_pairs(struct costs *c, uint64_t *behind)
{
    uint64_t most = flat_end(c->f) / 8 + 512, pairs;

    for (uint64_t size = 1 << 10; new_pairs(c, size); size *= 2) {
        memset(behind, 0, c->f->terminals * sizeof *behind);
        pairs = count_pairs(c, behind);
        if (2 * pairs <= size && pairs <= most)
            return true;
        drop_pairs(c);
        if (pairs > most)
            return true;
    }
    return false;
}

/* Each pair gets half an occurrence more, at most four for each terminal. */
static void price_pairs(struct costs *c, const uint64_t *behind)
{
    for (uint64_t i = 0; c->pairs && i < c->pairs_size; i++) {
        struct pair_cost *p = &c->pairs[i];

        if (p->pair)
            p->n = log_of(2 * behind[(p->pair >> 32) - 1] + 4) - log_of(2 * p->n + 1);
    }
    for (uint32_t a = 0; a < c->f->terminals; a++)
        c->rare[a] = log_of(2 * behind[a] + 4);
}

/* ---- Symbols ------------------------------------------------------------------------ */

/* Rates each symbol by its frequency among those that begin with the same terminal. */
static void price_symbols(struct costs *c, uint64_t *family, const uint32_t *uses)
{
    const struct flat *f = c->f;

    memset(family, 0, f->terminals * sizeof *family);
    for (uint32_t i = 0; i < f->terminals; i++)
        family[i] += uses[i];
    for (uint32_t r = 0; r < f->rules; r++)
        family[f->derived[r].first] += uses[f->terminals + r];
    for (uint32_t i = 0; i < f->terminals + f->rules; i++) {
        uint32_t first = i < f->terminals ? i : f->derived[i - f->terminals].first;
        uint32_t log = log_of(10 * family[first] + 10), less = log_of(10 * (uint64_t)uses[i] + 3);

        c->symbol[i] = EACH_SYMBOL + (log > less ? log - less : 0);
    }
}

static uint64_t cost_of_body(const struct costs *c, uint32_t rule)
{
    const struct flat *f = c->f;
    uint64_t cost = EACH_BODY;

    for (uint64_t i = f->body[rule]; i < f->body[rule + 1]; i++) {
        cost += c->symbol[flat_index(f, f->symbols[i])];
        if (i > f->body[rule])
            cost += costs_pair(c, flat_derived(f, f->symbols[i - 1]).last,
                               flat_derived(f, f->symbols[i]).first);
    }
    return cost;
}

/* Limits a cost to 32 bits; long bodies are expensive enough. */
static uint32_t at_most(uint64_t cost)
{
    return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

/* A body stands once in the code, at the first use of its rule; each use gets its share of that
 * cost.  So a rule that is not worth its body loses uses until it has none. */
static void share_bodies(struct costs *c, const uint32_t *uses)
{
    const struct flat *f = c->f;

    for (uint32_t r = 0; r < f->rules; r++) {
        uint32_t *own = &c->symbol[f->terminals + r];
        uint64_t n = uses[f->terminals + r], body = cost_of_body(c, r);

        if (n > 0 && body > *own)
            *own = at_most(((n - 1) * *own + body) / n);
    }
}

static void count_symbols(const struct flat *f, uint32_t *uses)
{
    memset(uses, 0, ((size_t)f->terminals + f->rules) * sizeof *uses);
    for (uint64_t i = 0; i < flat_end(f); i++)
        uses[flat_index(f, f->symbols[i])]++;
}

int costs_find(struct costs *c, struct flat *f)
{
    size_t symbols = ((size_t)f->terminals + f->rules + 1) * sizeof(uint32_t);
    size_t terminals = ((size_t)f->terminals + 1) * sizeof(uint64_t);

    *c = (struct costs){.f = f};
    uint32_t *uses = seq_memory(f->s, NULL, 0, symbols);
    uint64_t *sums = seq_memory(f->s, NULL, 0, terminals);
    c->symbol = seq_memory(f->s, NULL, 0, symbols);
    c->rare = seq_memory(f->s, NULL, 0, terminals);
    bool done = uses && sums && c->symbol && c->rare && find_pairs(c, sums);

    if (done) {
        price_pairs(c, sums);
        count_symbols(f, uses);
        price_symbols(c, sums, uses);
        share_bodies(c, uses);
    }
    if (uses)
        seq_memory(f->s, uses, symbols, 0);
    if (sums)
        seq_memory(f->s, sums, terminals, 0);
    return done ? SEQ_OK : SEQ_E_NOMEM;
}

/* To be called while f has as many rules as in costs_find(). */
void costs_free(struct costs *c)
{
    if (c->symbol)
        seq_memory(c->f->s, c->symbol,
                   ((size_t)c->f->terminals + c->f->rules + 1) * sizeof(uint32_t), 0);
    if (c->rare)
        seq_memory(c->f->s, c->rare, ((size_t)c->f->terminals + 1) * sizeof(uint64_t), 0);
    if (c->pairs)
        drop_pairs(c);
}
