/* SPDX-License-Identifier: MIT */
/* levels.h - hashes of the terminals at a position, for many lengths.  Private, for jumps.c.
 *
 *   level          0  1  2  3  4  5  6   7   8   9  10  11  12  13  14  15 ..  30
 *   its terminals  2  3  4  5  6  7  8  10  12  14  16  20  24  28  32  40 .. 512
 *                  \_________ narrow __________/  \________ wide ____________/
 *
 * There are four levels from each length to its double.  A level's hash is made from all of its
 * terminals:
 *
 *   narrow  the sum of terminal * key;
 *   wide    the sum of (terminal + key) * (next terminal + next key), so that no product waits for
 *           another and several are computed at once; in two lanes, which are added at the end.
 *
 * The sum of a wide level continues that of the wide level below.  Sums are cheap and are computed
 * for all levels that may be asked; hashes are computed some at a time.  All narrow levels are
 * hashed together when the first of them is needed: few positions need only narrow ones.
 */
#ifndef SEQUITUR_LEVELS_H
#define SEQUITUR_LEVELS_H

#include "sequitur/four.h"

/* A hash has HASH_BITS bits and is never 0. */
enum { NARROW = 10, HASH_BITS = 30, WAYS = 4 };
#define LEVELS_GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#ifdef WPP_HOSTILE
enum { LEVELS = 15, HASH_MASK = 15 << (HASH_BITS - 4) };
#else
enum { LEVELS = 31, HASH_MASK = (1 << HASH_BITS) - 1 };
#endif
/* The terminals of the last narrow level; of the last level. */
enum { TERMINALS_NARROW = 14, TERMINALS_MOST = 512 };

struct levels {
    uint64_t narrow_keys[TERMINALS_NARROW];
    uint32_t keys[TERMINALS_MOST];
};

/* The place of a hash's entry in the table of jumps. */
struct place {
    uint32_t row;            /* its first entry: WAYS * (hash * rows / 2^HASH_BITS) */
    uint32_t top;            /* hash << (32 - HASH_BITS) */
};

void levels_init(struct levels *l);

static inline uint32_t level_terminals(int level)
{
    uint32_t k = (uint32_t)level - 2;

    return level < 2 ? k + 4 : (4 + (k & 3)) << (k >> 2);
}

/* How many levels are not longer than n. */
static inline int levels_within(uint64_t n)
{
    if (n >= level_terminals(LEVELS - 1))
        return LEVELS;
    if (n < 4)
        return n < 2 ? 0 : (int)n - 1;
    int octave = 63 - __builtin_clzll(n);
    return 4 * octave - 5 + (int)(n >> (octave - 2) & 3);
}

/* The place of the level that has this sum. */
static inline struct place level_place(uint64_t sum, uint64_t rows)
{
    uint32_t hash = (uint32_t)((sum ^ sum >> 29) * LEVELS_GOLDEN >> (64 - HASH_BITS));

    hash = (hash & HASH_MASK) | 1;
    return (struct place){(uint32_t)(hash * rows >> HASH_BITS) * WAYS, hash << (32 - HASH_BITS)};
}

/* Computes the places of the narrow levels 0..n - 1 for the terminals at `in`. */
void levels_place_narrow(const struct levels *l, const uint32_t *in, int n, uint64_t rows,
                         struct place *places);

#endif
