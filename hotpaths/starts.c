/* SPDX-License-Identifier: MIT */
/* starts.c - strings that hot subpaths may begin with; see starts.h. */
#include "hotpaths/starts.h"

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

void starts_init(struct starts *s, uint32_t length)
{
    *s = (struct starts){ .length = length, .power = gram_power(length) };
}

void starts_clear(struct starts *s)
{
    free(s->entry);
    free(s->text);
    free(s->table);
    starts_init(s, s->length);
}

/* The string's slot, or the empty one where it belongs. */
static size_t start_slot(const struct starts *s, const uint32_t *text, uint64_t mixed)
{
    size_t mask = s->table_size - 1;
    size_t slot = mixed >> 32 & mask;

    for (; s->table[slot]; slot = (slot + 1) & mask) {
        size_t entry = NUMBER(s->table[slot]) - 1;

        if (TAG(s->table[slot]) == TAG(mixed) &&
            memcmp(s->text + entry * s->length, text, s->length * sizeof *text) == 0)
            break;
    }
    return slot;
}

static int grow_start_table(struct starts *s)
{
    size_t size = s->table_size ? 2 * s->table_size : GROW_FIRST;
    uint64_t *table = calloc(size, sizeof *table);

    if (!table)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < s->table_size; i++) {
        size_t slot = s->table[i] >> 32 & (size - 1);

        if (!s->table[i])
            continue;
        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = s->table[i];
    }
    free(s->table);
    s->table = table;
    s->table_size = size;
    return HOT_OK;
}

int starts_add(struct starts *s, const uint32_t *text, uint64_t hash, uint64_t frequency,
               uint64_t reach)
{
    uint64_t mixed = gram_mix(hash) & MIX_MASK;
    struct start *e;
    size_t slot;

    while (2 * (s->n + 1) > s->table_size)
        if (grow_start_table(s) != HOT_OK)
            return HOT_E_MEMORY;
    slot = start_slot(s, text, mixed);
    if (s->table[slot]) {
        e = &s->entry[NUMBER(s->table[slot]) - 1];
        e->frequency = saturating_add(e->frequency, frequency);
        e->reach = reach > e->reach ? reach : e->reach;
        return HOT_OK;
    }
    if (s->n >= UINT32_MAX - 1 || GROW(s->entry, s->size, s->n + 1) != HOT_OK ||
        GROW(s->text, s->text_size, (s->n + 1) * s->length) != HOT_OK)
        return HOT_E_MEMORY;
    s->entry[s->n] = (struct start){ frequency, reach };
    memcpy(s->text + s->n * s->length, text, s->length * sizeof *text);
    s->table[slot] = TAG(mixed) | ++s->n;
    return HOT_OK;
}

uint32_t starts_find(const struct starts *s, const uint32_t *text, uint64_t hash)
{
    uint64_t mixed = gram_mix(hash) & MIX_MASK;

    if (s->n == 0)
        return NO_START;
    return NUMBER(s->table[start_slot(s, text, mixed)]) - 1;     /* an empty slot: NO_START */
}
