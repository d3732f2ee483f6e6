/* SPDX-License-Identifier: MIT */
/* token-sums.h - a number for each token, as records of a trace bring it in parts that add up.
 *
 * An entry may be about a token's path up to a block only: then `left` is the block.  It has a number
 * of its own. */
#ifndef WPP_TOKEN_SUMS_H
#define WPP_TOKEN_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_token_sum {
    uint32_t token, left;
    uint64_t sum;
};

struct wpp_token_sums {
    struct wpp_token_sum *list;      /* when settled: by token and `left`, each pair once */
    size_t n, capacity;
};

void wpp_token_sums_free(struct wpp_token_sums *s);

/* Makes room for `more` entries.  Entries of one token are added up before the list grows.  False
 * without memory. */
bool wpp_token_sums_reserve(struct wpp_token_sums *s, size_t more);

/* Adds to a token's sum; there must be room. */
void wpp_token_sums_add(struct wpp_token_sums *s, uint32_t token, uint64_t n);
void wpp_token_sums_add_left(struct wpp_token_sums *s, uint32_t token, uint32_t left, uint64_t n);

/* Sorts, and adds up the entries of each pair. */
void wpp_token_sums_settle(struct wpp_token_sums *s);

/* Of a settled list: the first entry whose token is not below this one; its index, at most n. */
size_t wpp_token_sums_from(const struct wpp_token_sums *s, uint64_t token);

/* Of a settled list: the token's sum, or 0. */
uint64_t wpp_token_sums_of(const struct wpp_token_sums *s, uint32_t token);

#endif
