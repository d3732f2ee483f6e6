/* SPDX-License-Identifier: MIT */
/* border-texts.c - the texts around borders, each stored once; see border-texts.h. */
#include "hotpaths/exhaustive/border-texts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/rolling-hash.h"
#include "hotpaths/base/saturate.h"

void texts_init(struct texts *t)
{
    *t = (struct texts){ 0 };
}

void texts_clear(struct texts *t)
{
    free(t->entry);
    free(t->symbols);
    free(t->table);
    texts_init(t);
}

static uint64_t flags_of(const struct text *x)
{
    return (uint64_t)x->terminal | (uint64_t)x->left_open << 1 | (uint64_t)x->right_open << 2;
}

/* Takes two symbols at a time: each step waits for the one before. */
static uint64_t texts_hash(const struct text *x, const uint32_t *symbols)
{
    uint64_t hash = (uint64_t)x->n_before << 35 | (uint64_t)x->n << 3 | flags_of(x), pair;
    uint32_t i = 0;

    for (; i + 2 <= x->n; i += 2) {
        memcpy(&pair, symbols + i, sizeof pair);
        hash = (hash ^ pair) * ROLLING_MULTIPLIER;
        hash ^= hash >> 32;
    }
    if (i < x->n)
        hash = (hash ^ symbols[i]) * ROLLING_MULTIPLIER;
    return rolling_mix(hash) & SLOT_HASH;
}

static bool is_text(const struct texts *t, const struct text *e, const struct text *x,
                    const uint32_t *symbols)
{
    return e->n == x->n && e->n_before == x->n_before && flags_of(e) == flags_of(x) &&
           memcmp(t->symbols + e->at, symbols, x->n * sizeof *symbols) == 0;
}

/* The text's slot, or the empty one where it belongs. */
static size_t text_slot(const struct texts *t, const struct text *x, const uint32_t *symbols,
                      uint64_t mixed)
{
    size_t mask = t->table_size - 1, slot = SLOT_HOME(mixed) & mask;

    assert(t->n <= t->table_size / 2);
    for (; t->table[slot]; slot = (slot + 1) & mask)
        if (SLOT_TAG(t->table[slot]) == SLOT_TAG(mixed) &&
            is_text(t, &t->entry[SLOT_NUMBER(t->table[slot])], x, symbols))
            break;
    return slot;
}

void text_merge(struct text *e, const struct text *like)
{
    e->frequency = saturating_add(e->frequency, like->frequency);
    e->after = like->after > e->after ? like->after : e->after;
    e->missing = like->missing > e->missing ? like->missing : e->missing;
}

int texts_add(struct texts *t, const struct text *like, const uint32_t *symbols, uint32_t *number)
{
    uint64_t mixed = texts_hash(like, symbols);
    size_t slot;

    assert(like->n > 0 && like->n_before <= like->n);
    if (hash_table_grow(&t->table, &t->table_size, t->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    slot = text_slot(t, like, symbols, mixed);
    if (t->table[slot]) {
        *number = SLOT_NUMBER(t->table[slot]);
        text_merge(&t->entry[*number], like);
        return HOT_OK;
    }
    if (t->n >= NO_TEXT - 1 || GROW(t->entry, t->size, t->n + 1) != HOT_OK ||
        GROW(t->symbols, t->symbols_size, t->n_symbols + like->n) != HOT_OK)
        return HOT_E_MEMORY;
    *number = (uint32_t)t->n;
    t->entry[t->n] = *like;
    t->entry[t->n].at = t->n_symbols;
    memcpy(t->symbols + t->n_symbols, symbols, like->n * sizeof *symbols);
    t->n_symbols += like->n;
    t->table[slot] = SLOT_TAG(mixed) | ++t->n;
    return HOT_OK;
}

bool texts_check(const struct texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct text *e = &t->entry[i];
        const uint32_t *symbols = t->symbols + e->at;

        if (e->n_before > e->n || e->at + e->n > t->n_symbols || e->n == 0)
            return false;
        if (SLOT_NUMBER(t->table[text_slot(t, e, symbols, texts_hash(e, symbols))]) != i)
            return false;
    }
    return 2 * t->n <= t->table_size;
}
