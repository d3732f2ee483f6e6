/* SPDX-License-Identifier: MIT */
/* alphabet.h - from tokens, any 32-bit words, to terminals 0, 1, 2, ... in order
 * of first appearance.
 *
 * Tokens of a trace are dense, and this runs once for each: a two-level table,
 *
 *      pages[token >> 16][token & 65535]      1 + the terminal, or 0
 *
 * where pages without any terminal are all the same page of zeros, so the fast
 * way has one branch.  Words from elsewhere may be spread over the whole range;
 * a page is only made while pages hold terminals enough, and what has no page
 * is in a hash table, found on the slow way.  With a limit, pages beyond it are only
 * made where the hash table would take as much memory for what they hold.
 */
#ifndef WPP_ALPHABET_H
#define WPP_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_alphabet {
    uint32_t n;                  /* terminals */
    uint32_t *tokens;            /* of each; room for `capacity` */
    uint32_t capacity;
    uintptr_t *pages;            /* of each its address less none_page's, so that 0 is that one */
    uint32_t *none_page;
    uint32_t *made, n_pages;     /* numbers of those that are pages of their own */
    uint32_t n_free_pages;       /* that there may be, however few terminals they hold */
    uint32_t *slots;             /* 1 + terminal, 0 empty; n_slots a power of two or 0 */
    uint32_t n_slots, n_hashed;
    bool of_trace;               /* some words are no events: docs/trace-format.md, Tokens */
    uint64_t n_early;            /* of these: those of modules that were not registered yet */
};

bool wpp_alphabet_init(struct wpp_alphabet *a, bool of_trace);   /* false: no memory */
void wpp_alphabet_free(struct wpp_alphabet *a);

/* Pages are mapped, not malloc()'s: the most bytes of them, and how many they are. */
void wpp_alphabet_limit(struct wpp_alphabet *a, uint64_t bytes);
uint64_t wpp_alphabet_mapped(const struct wpp_alphabet *a);

enum { WPP_ALPHABET_NO_MEMORY = -1, WPP_ALPHABET_FULL = -2 };

/* Maps n little-endian words at `words` (any alignment) to out[0 ..] and returns
 * how many came out: n less the words skipped that are no events.  Negative: one of the above; FULL
 * is more than 2^30 different tokens. */
ptrdiff_t wpp_alphabet_map(struct wpp_alphabet *a, const void *words, size_t n, uint32_t *out);

#endif
