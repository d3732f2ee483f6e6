/* SPDX-License-Identifier: MIT */
/* rolling-hash.h - hashes of a window of fixed length that moves along a text.
 *
 * The hash of x1 ... xn is the sum of (xi + 1) M^(n - i), modulo 2^64.  A window moves to the right
 * by a multiplication by M, to the left by one by 1 / M.
 */
#ifndef WPP_ROLLING_HASH_H
#define WPP_ROLLING_HASH_H

#include <assert.h>
#include <stdint.h>

#define ROLLING_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)
#define ROLLING_INVERSE    UINT64_C(0xf1de83e19937733d)

/* M to the power of length - 1: the factor of the first symbol. */
static inline uint64_t rolling_power(uint32_t length)
{
    uint64_t power = 1;

    assert(length > 0);
    while (length-- > 1)
        power *= ROLLING_MULTIPLIER;
    return power;
}

static inline uint64_t rolling_hash(const uint32_t *text, uint32_t length)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < length; i++)
        hash = hash * ROLLING_MULTIPLIER + text[i] + 1;
    return hash;
}

/* Moves the window to the right: `in` enters it, `out` was its first symbol. */
static inline uint64_t rolling_right(uint64_t hash, uint64_t power, uint32_t out, uint32_t in)
{
    return (hash - (out + UINT64_C(1)) * power) * ROLLING_MULTIPLIER + in + 1;
}

/* Moves the window to the left: `in` enters it, `out` was its last symbol. */
static inline uint64_t rolling_left(uint64_t hash, uint64_t power, uint32_t in, uint32_t out)
{
    return (hash - out - 1) * ROLLING_INVERSE + (in + UINT64_C(1)) * power;
}

/* Mixes all bits of the hash into the upper ones. */
static inline uint64_t rolling_mix(uint64_t hash)
{
    return (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

#endif
