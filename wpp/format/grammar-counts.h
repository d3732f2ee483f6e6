/* SPDX-License-Identifier: MIT */
/* grammar-counts.h - how often a grammar derives each terminal, without expanding it. */
#ifndef WPP_GRAMMAR_COUNTS_H
#define WPP_GRAMMAR_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "wpp/wpp.h"

/* Rules as in struct wpp_grammar, and the symbols of all start rules, one behind the other. */
struct wpp_rules {
    uint32_t n_terminals, n_rules;
    const uint64_t *body;        /* n_rules + 1 */
    const uint32_t *symbols, *starts;
    uint64_t n_starts;
};

/* counts[t], room for n_terminals: how often terminal t is derived; *longest: events of the longest
 * rule.  Both stop at UINT64_MAX.  False: no memory. */
bool wpp_grammar_counts(const struct wpp_rules *r, uint64_t *counts, uint64_t *longest);

#endif
