/* SPDX-License-Identifier: MIT */
/* vectors.h - the loops over terminals and levels, for different processors.  Private.
 *
 * All variants give the same result, bit for bit: a grammar does not depend on the processor.
 *
 *   vectors.c       four terminals at once, as four.h has them anywhere
 *   vectors-avx2.c  eight, on x86-64 with AVX2 (most since 2013)
 */
#ifndef SEQUITUR_VECTORS_H
#define SEQUITUR_VECTORS_H

#include "sequitur/levels.h"

#include <assert.h>
#include <stddef.h>

struct jump;

/* How many levels are asked at once, from the top: more would wait for rows that are not needed. */
enum { LEVELS_ASKED = 4 };
/* How many terminals ahead the input is prefetched. */
enum { VECTORS_FETCHED = 512 };

struct vectors {
    /* Computes the sums of the wide levels from..to - 1 for the terminals at `in`, NARROW <= from <
     * to.  Those of the wide levels below are there. */
    void (*sum)(const uint32_t *keys, const uint32_t *in, int from, int to, two *sums);
    /* Computes the places of n sums in a table of `rows` rows. */
    void (*place)(const two *sums, int n, uint64_t rows, struct place *places);
    /* Which entries at n places, at most LEVELS_ASKED, name rules and have that place's hash: WAYS
     * bits for each. */
    uint32_t (*ask)(const struct jump *table, const struct place *places, int n);
    /* How many of the first n terminals at a and b are equal. */
    uint64_t (*common)(const uint32_t *a, const uint32_t *b, uint64_t n);
    /* Finds the first i of 0..n - 1 whose in[i] equals before[i] or is too large for a terminal, or
     * n; in = before + 1.  Copies before[0..i) to out, and may write to all of out[0..n).  Returns
     * i. */
    size_t (*copy_single)(uint32_t *out, const uint32_t *in, size_t n);
};

extern const struct vectors vectors_plain;
/* NULL if the compiler does not know AVX2. */
extern const struct vectors *const vectors_avx2;

/* The fastest variant for this processor. */
const struct vectors *vectors_best(void);

/* ---- The sums, for all variants -------------------------------------------------------- */

/* A case for each level, which goes on to the next one.  The number of terminals that a level adds
 * is a constant there; only the end is decided at run time. */
#define VECTORS_BEGIN(level) ((level) == NARROW ? 0 : (int)level_terminals((level) - 1))
#define VECTORS_LEVEL(level, add) \
    case level: \
        sum = add(sum, keys, in, VECTORS_BEGIN(level), (int)level_terminals(level)); \
        sums[level] = sum; \
        if (level + 1 >= to) \
            return; \
        __attribute__((fallthrough));
#define VECTORS_OCTAVE(level, add) \
    VECTORS_LEVEL(level, add) \
    VECTORS_LEVEL(level + 1, add) \
    VECTORS_LEVEL(level + 2, add) \
    VECTORS_LEVEL(level + 3, add)
/* The body of a `sum`; add(sum, keys, in, begin, end) adds the products of in[begin..end). */
#define VECTORS_SUM(add) \
    assert(NARROW <= from && from < to && to <= LEVELS); \
    two sum = from == NARROW ? (two){0, 0} : sums[from - 1]; \
    switch (from) { \
    VECTORS_LEVEL(10, add) \
    VECTORS_OCTAVE(11, add) \
    VECTORS_OCTAVE(15, add) \
    VECTORS_OCTAVE(19, add) \
    VECTORS_OCTAVE(23, add) \
    VECTORS_OCTAVE(27, add) \
    default: \
        return; \
    }

#endif
