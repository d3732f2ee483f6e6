/* SPDX-License-Identifier: MIT */
/* prefix-set.c - strings that hot subpaths may begin with; see prefix-set.h. */
#include "hotpaths/exhaustive/prefix-set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/rolling-hash.h"
#include "hotpaths/base/saturate.h"

void prefix_set_init(struct prefix_set *s, uint32_t length)
{
    *s = (struct prefix_set){ .length = length, .power = rolling_power(length) };
}

void prefix_set_clear(struct prefix_set *s)
{
    free(s->entry);
    free(s->text);
    free(s->table);
    prefix_set_init(s, s->length);
}

/* The string's slot, or the empty one where it belongs. */
static size_t prefix_slot(const struct prefix_set *s, const uint32_t *text, uint64_t mixed)
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

int prefix_set_add(struct prefix_set *s, const uint32_t *text, uint64_t hash, uint64_t frequency,
                   uint64_t reach)
{
    uint64_t mixed = rolling_mix(hash) & SLOT_HASH;
    struct prefix *e;
    size_t slot;

    if (hash_table_grow(&s->table, &s->table_size, s->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    slot = prefix_slot(s, text, mixed);
    if (s->table[slot]) {
        e = &s->entry[SLOT_NUMBER(s->table[slot])];
        e->frequency = saturating_add(e->frequency, frequency);
        e->reach = reach > e->reach ? reach : e->reach;
        return HOT_OK;
    }
    if (s->n >= UINT32_MAX - 1 || GROW(s->entry, s->size, s->n + 1) != HOT_OK ||
        GROW(s->text, s->text_size, (s->n + 1) * s->length) != HOT_OK)
        return HOT_E_MEMORY;
    s->entry[s->n] = (struct prefix){ frequency, reach };
    memcpy(s->text + s->n * s->length, text, s->length * sizeof *text);
    s->table[slot] = SLOT_TAG(mixed) | ++s->n;
    return HOT_OK;
}

uint32_t prefix_set_find(const struct prefix_set *s, const uint32_t *text, uint64_t hash)
{
    uint64_t mixed = rolling_mix(hash) & SLOT_HASH;

    if (s->n == 0)
        return NO_PREFIX;
    return SLOT_NUMBER(s->table[prefix_slot(s, text, mixed)]);    /* an empty slot: NO_PREFIX */
}
