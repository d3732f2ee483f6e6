/* SPDX-License-Identifier: MIT */
/* frequencies.c - counts that follow from the grammar, without expanding it. */
#include <stdlib.h>
#include <string.h>

#include "wpp/read/reader.h"

/* Symbols are looked up in random order, so memory is fetched for those that soon come. */
enum { AHEAD = 24 };

static void add_saturating(uint64_t *sum, uint64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = UINT64_MAX;
}

/* In descending order the grammar is walked top-down: all uses of a rule are added before the
 * rule's own frequency is read. */
static void derive_frequencies(const struct wpp_grammar *g, uint64_t *out)
{
    memset(out, 0, ((size_t)g->n_rules + g->n_threads) * sizeof *out);
    for (uint32_t k = 0; k < g->n_threads; k++)
        out[g->n_rules + k] = 1;
    for (uint32_t r = g->n_rules + g->n_threads; r-- > 0;)
        for (uint64_t i = g->body[r + 1]; i-- > g->body[r];) {
            if (i >= AHEAD && (g->symbols[i - AHEAD] & WPP_RULE))
                __builtin_prefetch(&out[g->symbols[i - AHEAD] & ~WPP_RULE], 1);
            if (g->symbols[i] & WPP_RULE)
                add_saturating(&out[g->symbols[i] & ~WPP_RULE], out[r]);
        }
}

static uint64_t symbol_length(const void *grammar, uint32_t symbol)
{
    const struct wpp_grammar *g = grammar;

    return symbol & WPP_RULE ? g->length[symbol & ~WPP_RULE] : 1;
}

struct prefix_sums wpp_event_sums(const struct wpp *w)
{
    return (struct prefix_sums){w->grammar.symbols, w->sums, symbol_length, &w->grammar};
}

/* One pass, bottom-up: the sums, and how many rules are open at once. */
static void derive_sums(struct wpp *w, uint32_t *depth)
{
    const struct wpp_grammar *g = &w->grammar;
    uint64_t n = g->body[g->n_rules + g->n_threads], sum = 0;

    w->depth = 0;
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++) {
        uint32_t most = 0;

        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++) {
            uint32_t symbol = g->symbols[i], rule = symbol & ~WPP_RULE;

            if (n - i > AHEAD && (g->symbols[i + AHEAD] & WPP_RULE)) {
                __builtin_prefetch(&g->length[g->symbols[i + AHEAD] & ~WPP_RULE]);
                __builtin_prefetch(&depth[g->symbols[i + AHEAD] & ~WPP_RULE]);
            }
            if (i % PREFIX_SUM_STEP == 0)
                w->sums[i / PREFIX_SUM_STEP] = sum;
            sum += symbol & WPP_RULE ? g->length[rule] : 1;
            if ((symbol & WPP_RULE) && depth[rule] > most)
                most = depth[rule];
        }
        depth[r] = most + 1;
        w->depth = depth[r] > w->depth ? depth[r] : w->depth;
    }
    if (n % PREFIX_SUM_STEP == 0)
        w->sums[n / PREFIX_SUM_STEP] = sum;
}

static uint64_t longest(const struct wpp_grammar *g)
{
    uint64_t most = 0;

    for (uint32_t r = 0; r < g->n_rules; r++)
        most = g->length[r] > most ? g->length[r] : most;
    return most;
}

bool wpp_derive(struct wpp *w)
{
    const struct wpp_grammar *g = &w->grammar;
    size_t n = (size_t)g->n_rules + g->n_threads;
    uint64_t n_sums = prefix_sums_size(w->reading ? w->summary.rhs_symbols : g->body[n]);
    uint32_t *depth = malloc((n + 1) * sizeof *depth);

    if (!w->executed)
        w->frequencies = wpp_arena_alloc(&w->arena, n, sizeof *w->frequencies);
    if (!w->sums)
        w->sums = wpp_arena_alloc(&w->arena, n_sums, sizeof *w->sums);
    if (depth && !w->arena.failed) {
        if (w->frequencies)
            derive_frequencies(g, w->frequencies);
        if (!w->executed)
            w->summary.longest_rule = longest(g);
        derive_sums(w, depth);
    }
    free(depth);
    return depth && !w->arena.failed;
}

void wpp_rule_frequencies(const wpp *w, uint64_t *out)
{
    if (w->frequencies)
        memcpy(out, w->frequencies,
               ((size_t)w->grammar.n_rules + w->grammar.n_threads) * sizeof *out);
    else
        derive_frequencies(&w->grammar, out);
}

void wpp_terminal_counts(const wpp *w, uint64_t *out)
{
    const struct wpp_grammar *g = &w->grammar;

    if (w->counts || w->executed) {
        memcpy(out, w->counts ? w->counts : w->executed, g->n_terminals * sizeof *out);
        return;
    }
    memset(out, 0, g->n_terminals * sizeof *out);
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++)
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            if (!(g->symbols[i] & WPP_RULE))
                add_saturating(&out[g->symbols[i]], w->frequencies[r]);
}
