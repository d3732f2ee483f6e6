/* SPDX-License-Identifier: MIT */
/* texts.c - what stands around borders, equal texts once; see texts.h. */
#include "hotpaths/texts.h"

#include <stdlib.h>
#include <string.h>

#include "hotpaths/gram-hash.h"
#include "hotpaths/grow.h"
#include "hotpaths/saturate.h"

#ifdef WPP_HOSTILE
#define MIX_MASK UINT64_C(0xc000000000000000)     /* nearly everything collides */
#else
#define MIX_MASK UINT64_MAX
#endif

#define NUMBER(slot) ((uint32_t)(slot))
#define TAG(mixed)   ((mixed) >> 32 << 32)

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

/* Two symbols at a time: each step waits for the one before. */
uint64_t texts_hash(const struct text *x, const uint32_t *symbols)
{
    uint64_t hash = (uint64_t)x->n_before << 35 | (uint64_t)x->n << 3 | flags_of(x), pair;
    uint32_t i = 0;

    for (; i + 2 <= x->n; i += 2) {
        memcpy(&pair, symbols + i, sizeof pair);
        hash = (hash ^ pair) * GRAM_MULTIPLIER;
        hash ^= hash >> 32;
    }
    if (i < x->n)
        hash = (hash ^ symbols[i]) * GRAM_MULTIPLIER;
    return gram_mix(hash) & MIX_MASK;
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
    size_t mask = t->table_size - 1, slot = mixed >> 32 & mask;

    for (; t->table[slot]; slot = (slot + 1) & mask)
        if (TAG(t->table[slot]) == TAG(mixed) &&
            is_text(t, &t->entry[NUMBER(t->table[slot]) - 1], x, symbols))
            break;
    return slot;
}

static int grow_text_table(struct texts *t)
{
    size_t size = t->table_size ? 2 * t->table_size : GROW_FIRST;
    uint64_t *table = calloc(size, sizeof *table);

    if (!table)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < t->table_size; i++) {
        size_t slot = t->table[i] >> 32 & (size - 1);

        if (!t->table[i])
            continue;
        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = t->table[i];
    }
    free(t->table);
    t->table = table;
    t->table_size = size;
    return HOT_OK;
}

static void merge_text(struct text *e, const struct text *like)
{
    e->frequency = saturating_add(e->frequency, like->frequency);
    e->after = like->after > e->after ? like->after : e->after;
    e->missing = like->missing > e->missing ? like->missing : e->missing;
}

void texts_fetch_slot(const struct texts *t, uint64_t hash)
{
    if (t->table_size)
        __builtin_prefetch(&t->table[hash >> 32 & (t->table_size - 1)]);
}

void texts_fetch_entry(const struct texts *t, uint64_t hash)
{
    uint64_t slot = t->table_size ? t->table[hash >> 32 & (t->table_size - 1)] : 0;

    if (slot)
        __builtin_prefetch(&t->entry[NUMBER(slot) - 1]);
}

int texts_add(struct texts *t, const struct text *like, const uint32_t *symbols,
              uint32_t *number)
{
    return texts_add_hashed(t, like, symbols, texts_hash(like, symbols), number);
}

int texts_add_hashed(struct texts *t, const struct text *like, const uint32_t *symbols,
                     uint64_t mixed, uint32_t *number)
{
    size_t slot;

    while (2 * (t->n + 1) > t->table_size)
        if (grow_text_table(t) != HOT_OK)
            return HOT_E_MEMORY;
    slot = text_slot(t, like, symbols, mixed);
    if (t->table[slot]) {
        *number = NUMBER(t->table[slot]) - 1;
        merge_text(&t->entry[*number], like);
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
    t->table[slot] = TAG(mixed) | ++t->n;
    return HOT_OK;
}

bool texts_check(const struct texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct text *e = &t->entry[i];
        const uint32_t *symbols = t->symbols + e->at;

        if (e->n_before > e->n || e->at + e->n > t->n_symbols || e->n == 0)
            return false;
        if (NUMBER(t->table[text_slot(t, e, symbols, texts_hash(e, symbols))]) != i + 1)
            return false;
    }
    return 2 * t->n <= t->table_size;
}
