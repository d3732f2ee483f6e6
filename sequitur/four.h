/* SPDX-License-Identifier: MIT */
/* four.h - four terminals at once.  Private. */
#ifndef SEQUITUR_FOUR_H
#define SEQUITUR_FOUR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { FOUR = 4 };

typedef uint32_t four __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));

static inline four four_load(const uint32_t *p)
{
    four v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void four_store(uint32_t *p, four v)
{
    memcpy(p, &v, sizeof v);
}

/* Whether all lanes of a comparison's result are set; each lane is all ones or zero. */
static inline bool four_all(four v)
{
#ifdef __SSE2__
    return _mm_movemask_epi8((__m128i)v) == 0xffff;
#else
    two half = (two)v;
    return (half[0] & half[1]) == UINT64_MAX;
#endif
}

/* Bit i is the top bit of lane i, of 16 lanes in all. */
static inline unsigned four_top_bits(four a, four b, four c, four d)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(
        _mm_packs_epi32((__m128i)a, (__m128i)b), _mm_packs_epi32((__m128i)c, (__m128i)d)));
#else
    four all[] = {a, b, c, d};
    unsigned bits = 0;
    for (int i = 0; i < 4 * FOUR; i++)
        bits |= all[i / FOUR][i % FOUR] >> 31 << i;
    return bits;
#endif
}

/* Bit i is the top bit of lane i. */
static inline unsigned four_lanes(four v)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)v);
#else
    return v[0] >> 31 | v[1] >> 31 << 1 | v[2] >> 31 << 2 | v[3] >> 31 << 3;
#endif
}

/* Lanes 1 and 3 of a, then those of b. */
static inline four four_odd(four a, four b)
{
#ifdef __SSE2__
    return (four)_mm_shuffle_ps((__m128)a, (__m128)b, _MM_SHUFFLE(3, 1, 3, 1));
#else
    return (four){a[1], a[3], b[1], b[3]};
#endif
}

/* The products of the first two lanes and of the last two. */
static inline two four_products(four v)
{
#ifdef __SSE2__
    return (two)_mm_mul_epu32((__m128i)v, _mm_srli_epi64((__m128i)v, 32));
#else
    return ((two)v & UINT32_MAX) * ((two)v >> 32);
#endif
}

#endif
