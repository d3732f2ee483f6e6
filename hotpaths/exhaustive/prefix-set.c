/* SPDX-License-Identifier: MIT */
/* prefix-set.c - strings that hot subpaths may begin with; see prefix-set.h. */
#include "hotpaths/exhaustive/prefix-set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/rolling-hash.h"
#include "hotpaths/base/saturate.h"

void starts_init(struct starts *s, uint32_t length)
{
    *s = (struct starts){ .length = length, .power = rolling_power(length) };
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
    size_t slot = SLOT_HOME(mixed) & mask;

    assert(s->n <= s->table_size / 2);
    for (; s->table[slot]; slot = (slot + 1) & mask) {
        size_t entry = SLOT_NUMBER(s->table[slot]);

        if (SLOT_TAG(s->table[slot]) == SLOT_TAG(mixed) &&
            memcmp(s->text + entry * s->length, text, s->length * sizeof *text) == 0)
            break;
    }
    return slot;
}

int starts_add(struct starts *s, const uint32_t *text, uint64_t hash, uint64_t frequency,
               uint64_t reach)
{
    uint64_t mixed = rolling_mix(hash) & SLOT_HASH;
    struct start *e;
    size_t slot;

    if (hash_table_grow(&s->table, &s->table_size, s->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    slot = start_slot(s, text, mixed);
    if (s->table[slot]) {
        e = &s->entry[SLOT_NUMBER(s->table[slot])];
        e->frequency = saturating_add(e->frequency, frequency);
        e->reach = reach > e->reach ? reach : e->reach;
        return HOT_OK;
    }
    if (s->n >= UINT32_MAX - 1 || GROW(s->entry, s->size, s->n + 1) != HOT_OK ||
        GROW(s->text, s->text_size, (s->n + 1) * s->length) != HOT_OK)
        return HOT_E_MEMORY;
    s->entry[s->n] = (struct start){ frequency, reach };
    memcpy(s->text + s->n * s->length, text, s->length * sizeof *text);
    s->table[slot] = SLOT_TAG(mixed) | ++s->n;
    return HOT_OK;
}

uint32_t starts_find(const struct starts *s, const uint32_t *text, uint64_t hash)
{
    uint64_t mixed = rolling_mix(hash) & SLOT_HASH;

    if (s->n == 0)
        return NO_START;
    return SLOT_NUMBER(s->table[start_slot(s, text, mixed)]);     /* an empty slot: NO_START */
}
