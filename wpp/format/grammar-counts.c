/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-counts.h"

#include <stdlib.h>
#include <string.h>

/* Symbols are looked up in random order, so memory is fetched for those that soon come. */
enum { AHEAD = 24 };

static void add_saturating(uint64_t *sum, uint64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = UINT64_MAX;
}

/* n more of these symbols, the last one first. */
static void add_all(const uint32_t *symbols, uint64_t n, uint64_t each, uint64_t *frequencies,
                    uint64_t *counts)
{
    while (n-- > 0) {
        uint32_t symbol = symbols[n];

        add_saturating(symbol & WPP_RULE ? &frequencies[symbol & ~WPP_RULE] : &counts[symbol],
                       each);
    }
}

static void fetch(const uint64_t *by_rule, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        __builtin_prefetch(&by_rule[symbol & ~WPP_RULE], 1);
}

/* From the last rule to the first: all uses of a rule are added before its own frequency is read. */
static void count(const struct wpp_rules *r, uint64_t *frequencies, uint64_t *counts)
{
    add_all(r->starts, r->n_starts, 1, frequencies, counts);
    for (uint32_t rule = r->n_rules; rule-- > 0;) {
        uint64_t begin = r->body[rule], end = r->body[rule + 1];

        for (uint64_t i = begin; i < end; i++)
            if (i >= AHEAD)
                fetch(frequencies, r->symbols[i - AHEAD]);
        add_all(r->symbols + begin, end - begin, frequencies[rule], frequencies, counts);
    }
}

static uint64_t find_longest(const struct wpp_rules *r, uint64_t *length)
{
    uint64_t longest = 0, n = r->body[r->n_rules];

    for (uint32_t rule = 0; rule < r->n_rules; rule++) {
        length[rule] = 0;
        for (uint64_t i = r->body[rule]; i < r->body[rule + 1]; i++) {
            uint32_t symbol = r->symbols[i];

            if (n - i > AHEAD)
                fetch(length, r->symbols[i + AHEAD]);
            add_saturating(&length[rule],
                           symbol & WPP_RULE ? length[symbol & ~WPP_RULE] : 1);
        }
        longest = length[rule] > longest ? length[rule] : longest;
    }
    return longest;
}

bool wpp_grammar_counts(const struct wpp_rules *r, uint64_t *counts, uint64_t *longest)
{
    uint64_t *by_rule = calloc(r->n_rules + (size_t)1, sizeof *by_rule);

    if (!by_rule)
        return false;
    memset(counts, 0, r->n_terminals * sizeof *counts);
    count(r, by_rule, counts);
    *longest = find_longest(r, by_rule);
    free(by_rule);
    return true;
}
