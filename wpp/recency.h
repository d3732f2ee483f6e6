/* SPDX-License-Identifier: MIT */
/* recency.h - symbols in order of their last use, asked for by rank.
 *
 *      position   0 1 2 3 4 5 6 ...  next
 *      symbol     . c . a b . d            rank of d is 0, of b 1, of a 2, of c 3
 *
 * Each use puts the symbol at the next position and empties its old one.  When
 * positions run out the symbols move down, in order, to the lowest ones: there
 * are at least twice as many positions as symbols, so that is rare.  `taken` has
 * a bit for each position with a symbol, and `counts` is a Fenwick tree over the
 * population counts of its words: both ways between rank and position take
 * O(log n) in a table 256 times smaller than the symbols.
 */
#ifndef WPP_RECENCY_H
#define WPP_RECENCY_H

#include <stdbool.h>
#include <stdint.h>

/* Symbols are WPP_RULE | number, or a terminal's number, as in wpp.h. */
struct wpp_recency {
    uint32_t n;                  /* symbols in it */
    uint32_t next;               /* position */
    uint32_t n_words;            /* 64 positions each */
    uint64_t *taken;
    uint32_t *counts;            /* counts[i], i from 1: of the i & -i words below word i */
    uint32_t *symbols;           /* by position */
    uint32_t *terminal_at, *rule_at;   /* positions by number */
};

/* For so many terminals and rules at most.  False: no memory. */
bool wpp_recency_init(struct wpp_recency *r, uint32_t n_terminals, uint32_t n_rules);
void wpp_recency_free(struct wpp_recency *r);

/* Puts a symbol in that is not there yet; it gets rank 0. */
void wpp_recency_add(struct wpp_recency *r, uint32_t symbol);
/* Uses a symbol that is there: returns the rank it had, and it gets rank 0. */
uint32_t wpp_recency_use(struct wpp_recency *r, uint32_t symbol);
/* The same, by rank (< n); returns the symbol. */
uint32_t wpp_recency_use_rank(struct wpp_recency *r, uint32_t rank);

#endif
