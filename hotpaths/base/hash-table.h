/* SPDX-License-Identifier: MIT */
/* hash-table.h - the hash table of a set whose elements are numbered.
 *
 *      slot   upper half of the hash | number + 1        0 is empty; open addressing
 *
 * The half of the hash determines the home of a slot, so the table grows without reading the
 * elements. At most half of the slots are in use.
 */
#ifndef WPP_HASH_TABLE_H
#define WPP_HASH_TABLE_H

#include "hotpaths/base/array.h"

#ifdef WPP_HOSTILE
#define SLOT_HASH UINT64_C(0xc000000000000000)     /* nearly everything collides */
#else
#define SLOT_HASH UINT64_MAX
#endif

#define SLOT_TAG(hash)      ((hash) >> 32 << 32)
#define SLOT_HOME(hash)     ((size_t)((hash) >> 32))
#define SLOT_NUMBER(slot)   ((uint32_t)(slot) - 1)        /* of an empty slot UINT32_MAX */

static inline uint64_t hash_table_hash(uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

    return (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93) & SLOT_HASH;
}

/* Makes room for `n` elements.  HOT_OK or HOT_E_MEMORY; then nothing has changed. */
static inline int hash_table_grow(uint64_t **table, size_t *size, size_t n)
{
    size_t larger = *size ? *size : GROW_FIRST;
    uint64_t *grown;

    assert((larger & (larger - 1)) == 0);
    if (2 * n <= *size)
        return HOT_OK;
    while (larger < 2 * n)
        larger *= 2;
    grown = calloc(larger, sizeof *grown);
    if (!grown)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < *size; i++) {
        size_t slot = SLOT_HOME((*table)[i]) & (larger - 1);

        if (!(*table)[i])
            continue;
        while (grown[slot])
            slot = (slot + 1) & (larger - 1);
        grown[slot] = (*table)[i];
    }
    free(*table);
    *table = grown;
    *size = larger;
    assert(2 * n <= *size);      /* so a search ends at an empty slot */
    return HOT_OK;
}

#endif
