/* SPDX-License-Identifier: MIT */
/* subpath-set.h - the set of subpaths found by an analysis.
 *
 * Equal strings are one entry; adding one again adds its frequency.
 *
 *      table     open addressing, entry number + 1, 0 is empty
 *        |
 *      entries   {first, length, hash, frequency, unit cost}
 *        |
 *      terminals all strings end to end
 *
 * Invariants (subpath_set_check): strings differ pairwise; each entry is reachable from its hash's
 * home slot without crossing an empty one; the table is at most three quarters full; its size is a
 * power of two.
 */
#ifndef WPP_SUBPATH_SET_H
#define WPP_SUBPATH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subpath_entry {
    uint64_t first;         /* of its string in terminals[] */
    uint32_t length;
    uint32_t hash;
    uint64_t frequency;
    uint64_t unit_cost;
    uint64_t own_unit;      /* of the first `period` terminals */
    uint64_t own_cost, pieces;      /* of all its occurrences together */
    uint32_t period;
    uint32_t leader, rotations, turn;       /* hotpaths/strings/rotations.h; so is `cycle` */
    uint64_t cycle;
};

struct subpath_set {
    struct subpath_entry *entries;
    size_t n_entries, entries_size;
    uint32_t *terminals;
    size_t n_terminals, terminals_size;
    uint32_t *table;        /* invalid after subpath_set_sort */
    size_t table_size;
    uint32_t *turns;        /* hotpaths/strings/rotations.h */
};

void subpath_set_init(struct subpath_set *f);
/* Frees everything; f is as after subpath_set_init. */
void subpath_set_clear(struct subpath_set *f);

/* HOT_OK or HOT_E_MEMORY; then nothing has changed. */
int subpath_set_add(struct subpath_set *f, const uint32_t *string, uint32_t length,
                    uint64_t unit_cost, uint64_t frequency);

/* The same for a set that is only read from end to end: equal strings may be several entries.  If
 * the next string begins with the last one, it replaces that.  HOT_OK or HOT_E_MEMORY. */
int subpath_set_append(struct subpath_set *f, const uint32_t *string, uint32_t length,
                       uint64_t unit_cost, uint64_t frequency);

/* Sorts the entries by own_cost.  Nothing can be added afterwards. */
void subpath_set_sort(struct subpath_set *f);

/* True when the invariants hold; before subpath_set_sort only.  */
bool subpath_set_check(const struct subpath_set *f);

#endif
