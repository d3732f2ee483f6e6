/* SPDX-License-Identifier: MIT */
/* prefix-set.h - the set of strings of one length that hot subpaths may begin with.
 *
 *      table     open addressing, entry number + 1 and half of the hash; 0 is empty
 *        |
 *      entries   {frequency, reach}, entry i's string is text[i * length ...]
 *
 * Hashes are those of gram-counts.h for this length, so that a walk along a text can
 * move them on instead of computing them anew.
 */
#ifndef WPP_PREFIX_SET_H
#define WPP_PREFIX_SET_H

#include <stddef.h>
#include <stdint.h>

#define NO_PREFIX UINT32_MAX

struct prefix {
    uint64_t frequency;     /* of the string */
    uint64_t reach;         /* no hot subpath that begins with it costs more */
};

struct prefix_set {
    uint32_t length;
    uint64_t power;         /* see rolling_left */
    struct prefix *entry;
    size_t n, size;
    uint32_t *text;
    size_t text_size;
    uint64_t *table;
    size_t table_size;
};

void prefix_set_init(struct prefix_set *s, uint32_t length);
void prefix_set_clear(struct prefix_set *s);

/* Adds `frequency` to that of the string at `text`; its reach is the largest of all that were
 * added.  HOT_OK or HOT_E_MEMORY. */
int prefix_set_add(struct prefix_set *s, const uint32_t *text, uint64_t hash, uint64_t frequency,
                   uint64_t reach);

/* The number of its entry, or NO_PREFIX. */
uint32_t prefix_set_find(const struct prefix_set *s, const uint32_t *text, uint64_t hash);

#endif
