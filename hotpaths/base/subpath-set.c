/* SPDX-License-Identifier: MIT */
/* subpath-set.c - the set of subpaths found by an analysis; see subpath-set.h. */
#include "hotpaths/base/subpath-set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"

#ifdef WPP_HOSTILE
enum { FIRST_TABLE = 2 };
#define HASH_MASK 3u        /* nearly everything collides */
#else
enum { FIRST_TABLE = 128 };
#define HASH_MASK UINT32_MAX
#endif

void subpath_set_init(struct subpath_set *f)
{
    memset(f, 0, sizeof *f);
}

void subpath_set_clear(struct subpath_set *f)
{
    free(f->entries);
    free(f->terminals);
    free(f->table);
    free(f->turns);
    subpath_set_init(f);
}

static uint32_t hash_of(const uint32_t *string, uint32_t length)
{
    uint64_t h = length;

    for (uint32_t i = 0; i < length; i++)
        h = (h ^ string[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
    return (uint32_t)(h >> 32) & HASH_MASK;
}

/* The slot that holds the string, or the empty one where it belongs. */
static size_t slot_of(const struct subpath_set *f, const uint32_t *string, uint32_t length,
                      uint32_t hash)
{
    size_t mask = f->table_size - 1;
    size_t slot = hash & mask;

    assert((f->table_size & mask) == 0 && f->n_entries < f->table_size);
    for (; f->table[slot]; slot = (slot + 1) & mask) {
        const struct subpath_entry *e = &f->entries[f->table[slot] - 1];

        if (e->hash == hash && e->length == length &&
            memcmp(f->terminals + e->first, string, length * sizeof *string) == 0)
            break;
    }
    return slot;
}

static int grow_table(struct subpath_set *f)
{
    size_t size = f->table_size ? 2 * f->table_size : FIRST_TABLE;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < f->n_entries; i++) {
        size_t slot = f->entries[i].hash & (size - 1);

        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = (uint32_t)i + 1;
    }
    free(f->table);
    f->table = table;
    f->table_size = size;
    return HOT_OK;
}

static int make_room(struct subpath_set *f, uint32_t length)
{
    if (f->n_entries >= UINT32_MAX - 1)
        return HOT_E_MEMORY;
    if (4 * (f->n_entries + 1) > 3 * f->table_size && grow_table(f) != HOT_OK)
        return HOT_E_MEMORY;
    if (GROW(f->entries, f->entries_size, f->n_entries + 1) != HOT_OK)
        return HOT_E_MEMORY;
    return GROW(f->terminals, f->terminals_size, f->n_terminals + length);
}

int subpath_set_add(struct subpath_set *f, const uint32_t *string, uint32_t length,
                    uint64_t unit_cost, uint64_t frequency)
{
    uint32_t hash = hash_of(string, length);
    size_t slot;
    struct subpath_entry *e;

    assert(length > 0);
    if (make_room(f, length) != HOT_OK)
        return HOT_E_MEMORY;
    slot = slot_of(f, string, length, hash);
    if (f->table[slot]) {
        e = &f->entries[f->table[slot] - 1];
        assert(e->unit_cost == unit_cost);
        e->frequency = saturating_add(e->frequency, frequency);
        return HOT_OK;
    }
    assert(f->n_entries < f->entries_size && f->n_terminals + length <= f->terminals_size);
    e = &f->entries[f->n_entries++];
    *e = (struct subpath_entry){ .first = f->n_terminals, .length = length, .hash = hash,
                               .frequency = frequency, .unit_cost = unit_cost,
                               .own_unit = unit_cost, .period = length, .rotations = 1 };
    memcpy(f->terminals + f->n_terminals, string, length * sizeof *string);
    f->n_terminals += length;
    f->table[slot] = (uint32_t)f->n_entries;
    return HOT_OK;
}

int subpath_set_append(struct subpath_set *f, const uint32_t *string, uint32_t length,
                       uint64_t unit_cost, uint64_t frequency)
{
    struct subpath_entry *last;

    assert(length > 0);
    if (f->n_entries >= UINT32_MAX - 1 ||
        GROW(f->entries, f->entries_size, f->n_entries + 1) != HOT_OK ||
        GROW(f->terminals, f->terminals_size, f->n_terminals + length) != HOT_OK)
        return HOT_E_MEMORY;
    last = f->n_entries ? &f->entries[f->n_entries - 1] : NULL;
    if (last && last->length < length &&
        memcmp(f->terminals + last->first, string, last->length * sizeof *string) == 0) {
        assert(last->first + last->length == f->n_terminals);
        f->n_terminals -= last->length;
        f->n_entries--;
    }
    f->entries[f->n_entries++] = (struct subpath_entry){
        .first = f->n_terminals, .length = length, .frequency = frequency, .unit_cost = unit_cost,
    };
    memcpy(f->terminals + f->n_terminals, string, length * sizeof *string);
    f->n_terminals += length;
    return HOT_OK;
}

static int compare(const void *pa, const void *pb, void *set)
{
    const struct subpath_set *f = set;
    const struct subpath_entry *a = pa, *b = pb;

    if (a->own_cost != b->own_cost)
        return a->own_cost > b->own_cost ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (uint32_t i = 0; i < a->length; i++) {
        uint32_t ta = f->terminals[a->first + i], tb = f->terminals[b->first + i];

        if (ta != tb)
            return ta < tb ? -1 : 1;
    }
    return 0;
}

void subpath_set_sort(struct subpath_set *f)
{
    if (f->n_entries)
        qsort_r(f->entries, f->n_entries, sizeof *f->entries, compare, f);
}

bool subpath_set_check(const struct subpath_set *f)
{
    size_t used = 0;

    if (f->table_size & (f->table_size - 1))
        return false;
    if (4 * f->n_entries > 3 * f->table_size)
        return false;
    for (size_t i = 0; i < f->table_size; i++) {
        used += f->table[i] != 0;
        if (f->table[i] > f->n_entries)
            return false;
    }
    if (used != f->n_entries)
        return false;
    for (size_t i = 0; i < f->n_entries; i++) {
        const struct subpath_entry *e = &f->entries[i];
        const uint32_t *string = f->terminals + e->first;

        if (!e->length || e->first + e->length > f->n_terminals)
            return false;
        if (e->hash != hash_of(string, e->length))
            return false;
        /* Strings differ and slots are reachable from their homes: one lookup tests both. */
        if (f->table[slot_of(f, string, e->length, e->hash)] != i + 1)
            return false;
    }
    return true;
}
