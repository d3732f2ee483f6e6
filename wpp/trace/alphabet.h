/* SPDX-License-Identifier: MIT */
/* alphabet.h - maps tokens, any 32-bit words, to terminals 0, 1, 2, ... in order of first
 * appearance.
 *
 * Tokens of a trace are dense, and the mapping runs once for each.  So it is a two-level table,
 *
 *      pages[token >> 16][token & 65535]      1 + the terminal, or 0
 *
 * All pages without terminals are the same page of zeros, so the fast way has one branch.  Words
 * that are no trace may be spread over the whole range.  So a page is made only while pages hold
 * enough terminals; other tokens go to a hash table, on the slow way.  With a limit, pages
 * beyond it are made only where the hash table would take as much memory for their terminals.
 */
#ifndef WPP_ALPHABET_H
#define WPP_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_alphabet {
    uint32_t n;                  /* terminals */
    uint32_t *tokens;            /* token of each terminal; room for `capacity` */
    uint32_t capacity;
    uintptr_t *pages;            /* address of each page - none_page, so 0 means none_page */
    uint32_t *none_page;
    uint32_t *made, n_pages;     /* indices of pages other than none_page */
    uint32_t n_free_pages;       /* maximum number of pages, however few terminals they hold */
    uint32_t *slots;             /* 1 + terminal, 0 empty; n_slots a power of two or 0 */
    uint32_t n_slots, n_hashed;
    bool of_trace;               /* some words are no events: docs/trace-format.md, Tokens */
    uint64_t n_early;            /* of these: events of modules not registered yet */
};

bool wpp_alphabet_init(struct wpp_alphabet *a, bool of_trace);   /* false: no memory */
void wpp_alphabet_free(struct wpp_alphabet *a);

/* Pages are mapped, not from malloc(): sets a limit of their bytes, and returns their bytes. */
void wpp_alphabet_limit(struct wpp_alphabet *a, uint64_t bytes);
uint64_t wpp_alphabet_mapped(const struct wpp_alphabet *a);

enum { WPP_ALPHABET_NO_MEMORY = -1, WPP_ALPHABET_FULL = -2 };

/* Maps n little-endian words at `words` (any alignment) to out[0 ..].  Returns the number of
 * terminals: n less the words that are no events.  Negative: one of the above; FULL: more than
 * 2^30 different tokens. */
ptrdiff_t wpp_alphabet_map(struct wpp_alphabet *a, const void *words, size_t n, uint32_t *out);

#endif
