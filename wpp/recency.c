/* SPDX-License-Identifier: MIT */
#include "wpp/recency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/wpp.h"

bool wpp_recency_init(struct wpp_recency *r, uint32_t n_terminals, uint32_t n_rules)
{
    uint64_t n = (uint64_t)n_terminals + n_rules;
    uint64_t n_words = 2 * n / 64 + 1;

    *r = (struct wpp_recency){.n_words = (uint32_t)n_words};
    r->taken = calloc(n_words, sizeof *r->taken);
    r->counts = calloc(n_words + 1, sizeof *r->counts);
    r->symbols = malloc(n_words * 64 * sizeof *r->symbols);
    r->terminal_at = malloc(((size_t)n_terminals + 1) * sizeof *r->terminal_at);
    r->rule_at = malloc(((size_t)n_rules + 1) * sizeof *r->rule_at);
    /* Positions have 32 bits. */
    if (n_words <= UINT32_MAX / 64 && r->taken && r->counts && r->symbols && r->terminal_at &&
        r->rule_at)
        return true;
    wpp_recency_free(r);
    return false;
}

void wpp_recency_free(struct wpp_recency *r)
{
    free(r->taken);
    free(r->counts);
    free(r->symbols);
    free(r->terminal_at);
    free(r->rule_at);
    *r = (struct wpp_recency){0};
}

static uint32_t *position_of(struct wpp_recency *r, uint32_t symbol)
{
    return symbol & WPP_RULE ? &r->rule_at[symbol & ~WPP_RULE] : &r->terminal_at[symbol];
}

/* ---- The Fenwick tree ------------------------------------------------------------ */

static void add_count(struct wpp_recency *r, uint32_t word, uint32_t delta)
{
    for (uint32_t i = word + 1; i <= r->n_words; i += i & -i)
        r->counts[i] += delta;
}

/* Symbols in all words before this one. */
static uint32_t count_before(const struct wpp_recency *r, uint32_t word)
{
    uint32_t sum = 0;

    for (uint32_t i = word; i > 0; i -= i & -i)
        sum += r->counts[i];
    return sum;
}

/* The position of the symbol with `before` others at lower positions. */
static uint32_t select_position(const struct wpp_recency *r, uint32_t before)
{
    uint32_t word = 0, step = UINT32_C(1) << 31;
    uint64_t bits;

    while (step > r->n_words)
        step >>= 1;
    for (; step > 0; step >>= 1) {
        if (word + step <= r->n_words && r->counts[word + step] <= before) {
            word += step;
            before -= r->counts[word];
        }
    }
    assert(word < r->n_words);
    for (bits = r->taken[word]; before > 0; before--)
        bits &= bits - 1;
    assert(bits != 0);
    return 64 * word + (uint32_t)__builtin_ctzll(bits);
}

/* ---- Moving symbols ---------------------------------------------------------------- */

static void put(struct wpp_recency *r, uint32_t symbol)
{
    r->taken[r->next / 64] |= UINT64_C(1) << r->next % 64;
    add_count(r, r->next / 64, 1);
    r->symbols[r->next] = symbol;
    *position_of(r, symbol) = r->next++;
}

static void take_out(struct wpp_recency *r, uint32_t position)
{
    r->taken[position / 64] &= ~(UINT64_C(1) << position % 64);
    add_count(r, position / 64, UINT32_MAX);
}

static void make_room(struct wpp_recency *r)
{
    uint32_t end = r->next;

    if (r->next < 64 * r->n_words)
        return;
    memset(r->counts, 0, ((size_t)r->n_words + 1) * sizeof *r->counts);
    r->next = 0;
    for (uint32_t p = 0; p < end; p++) {
        if (!(r->taken[p / 64] >> p % 64 & 1))
            continue;
        r->taken[p / 64] &= ~(UINT64_C(1) << p % 64);
        put(r, r->symbols[p]);
    }
    assert(r->next == r->n && r->next < 64 * r->n_words);
}

void wpp_recency_add(struct wpp_recency *r, uint32_t symbol)
{
    make_room(r);
    r->n++;
    put(r, symbol);
}

uint32_t wpp_recency_use(struct wpp_recency *r, uint32_t symbol)
{
    uint32_t position, rank;
    uint64_t below;

    make_room(r);
    position = *position_of(r, symbol);
    assert(r->symbols[position] == symbol && (r->taken[position / 64] >> position % 64 & 1));
    below = r->taken[position / 64] & ((UINT64_C(1) << position % 64) - 1);
    rank = r->n - 1 - count_before(r, position / 64) - (uint32_t)__builtin_popcountll(below);
    take_out(r, position);
    put(r, symbol);
    return rank;
}

uint32_t wpp_recency_use_rank(struct wpp_recency *r, uint32_t rank)
{
    uint32_t position, symbol;

    assert(rank < r->n);
    make_room(r);
    position = select_position(r, r->n - 1 - rank);
    symbol = r->symbols[position];
    take_out(r, position);
    put(r, symbol);
    return symbol;
}
