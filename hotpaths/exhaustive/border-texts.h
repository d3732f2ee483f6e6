/* SPDX-License-Identifier: MIT */
/* border-texts.h - the texts around borders, each stored once.
 *
 *      table     open addressing, entry number + 1 and half of the hash; 0 is empty
 *        |
 *      entries   {frequency, at, n_before, n, ...}
 *        |
 *      symbols   text i: symbols[at .. at + n), the border behind the first n_before
 *
 * The frequency of a text is the sum of those of the rules in whose right-hand sides it occurs
 * around a border.  Texts with different continuations beyond an open end are different.
 */
#ifndef WPP_BORDER_TEXTS_H
#define WPP_BORDER_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_TEXT UINT32_MAX

struct text {
    uint64_t frequency;
    size_t at;
    uint32_t n_before, n;
    bool terminal;          /* the symbol that ends at the border is a terminal */
    bool left_open;         /* a hot subpath may begin before the text */
    bool right_open;        /* a hot subpath may end behind it */
    bool near;              /* a hot subpath may begin in it */
    uint32_t missing;       /* at most this many; see struct border */
    uint64_t after;
};

struct texts {
    struct text *entry;
    size_t n, size;
    uint32_t *symbols;
    size_t n_symbols, symbols_size;
    uint64_t *table;
    size_t table_size;
};

void texts_init(struct texts *t);
void texts_clear(struct texts *t);

/* Adds like->frequency to the text that `like` describes (all except `at`) and that is at
 * `symbols`.  Its number in *number.  HOT_OK or HOT_E_MEMORY. */
int texts_add(struct texts *t, const struct text *like, const uint32_t *symbols, uint32_t *number);

/* Adds further borders of a text, with the frequency, `after` and `missing` of `like`. */
void text_merge(struct text *t, const struct text *like);

/* True when each text is found by its own hash only. */
bool texts_check(const struct texts *t);

#endif
