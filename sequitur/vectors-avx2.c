/* SPDX-License-Identifier: MIT */
/* vectors-avx2.c - see vectors.h.  Compiled for AVX2 where the compiler knows it. */
#include "sequitur/vectors.h"
#include "sequitur/jumps.h"
#include "sequitur/sequitur.h"

#include <assert.h>

#ifndef __AVX2__
const struct vectors *const vectors_avx2 = NULL;
#else
#include <immintrin.h>

enum { EIGHT = 8 };

static inline __m256i eight_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

__attribute__((always_inline))
static inline two add_eights(two sum, const uint32_t *keys, const uint32_t *in, int begin, int end)
{
    if (end - begin < EIGHT)
        return sum + four_products(four_load(in + begin) + four_load(keys + begin));
    __m256i pairs = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int i = begin; i < end; i += EIGHT) {
        __m256i x = _mm256_add_epi32(eight_load(in + i), eight_load(keys + i));
        pairs = _mm256_add_epi64(pairs, _mm256_mul_epu32(x, _mm256_srli_epi64(x, 32)));
    }
    return sum + (two)_mm256_castsi256_si128(pairs) + (two)_mm256_extracti128_si256(pairs, 1);
}

static void sum_avx2(const uint32_t *keys, const uint32_t *in, int from, int to, two *sums)
{
    VECTORS_SUM(add_eights)
}

/* The lower halves of four products of 64 bits each. */
static inline __m256i low_products(__m256i a, uint64_t b)
{
    __m256i low = _mm256_set1_epi64x((long long)(b & UINT32_MAX));
    __m256i high = _mm256_set1_epi64x((long long)(b >> 32));
    __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(a, high),
                                     _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low));

    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(cross, 32));
}

/* level_place() of four levels. */
static inline void place_four(const two *sums, uint64_t rows, struct place *places)
{
    __m256i a = eight_load(sums);
    __m256i b = eight_load(sums + 2);
    __m256i sum = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    __m256i mixed = _mm256_xor_si256(sum, _mm256_srli_epi64(sum, 29));
    __m256i hash = _mm256_srli_epi64(low_products(mixed, LEVELS_GOLDEN), 64 - HASH_BITS);
    hash = _mm256_and_si256(hash, _mm256_set1_epi64x(HASH_MASK));
    hash = _mm256_or_si256(hash, _mm256_set1_epi64x(1));
    __m256i row = _mm256_mul_epu32(hash, _mm256_set1_epi64x((long long)rows));
    row = _mm256_mullo_epi32(_mm256_srli_epi64(row, HASH_BITS), _mm256_set1_epi32(WAYS));
    __m256i top = _mm256_slli_epi64(hash, 64 - HASH_BITS);
    /* So far the order is 0, 2, 1, 3. */
    __m256i place = _mm256_permute4x64_epi64(_mm256_or_si256(row, top), _MM_SHUFFLE(3, 1, 2, 0));
    _mm256_storeu_si256((__m256i *)places, place);
}

static void place_avx2(const two *sums, int n, uint64_t rows, struct place *places)
{
    int i = 0;

    for (; i + FOUR <= n; i += FOUR)
        place_four(sums + i, rows, places + i);
    for (; i < n; i++)
        places[i] = level_place(sums[i][0] + sums[i][1], rows);
}

/* An entry's upper half, apart from its bit of `more`, is the hash, unless it is a marker. */
static inline uint32_t ask_row(const struct jump *table, struct place place)
{
    static_assert(WAYS * sizeof *table == sizeof(__m256i), "a row is a vector");
    __m256i row = eight_load(table + place.row);
    __m256i top = _mm256_and_si256(row, _mm256_set1_epi32(~1));
    __m256i like = _mm256_cmpeq_epi32(top, _mm256_set1_epi32((int)place.top));

    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(like));
}

static uint32_t ask_avx2(const struct jump *table, const struct place *places, int n)
{
    uint32_t hits = 0;

    assert(n <= LEVELS_ASKED);
    if (n == LEVELS_ASKED) {
#pragma GCC unroll 4
        for (int i = 0; i < LEVELS_ASKED; i++)
            hits |= ask_row(table, places[i]) << WAYS * i;
        return hits;
    }
    for (int i = 0; i < n; i++)
        hits |= ask_row(table, places[i]) << WAYS * i;
    return hits;
}

/* Bit i says whether a[i] and b[i] differ, i < 8. */
static inline uint32_t differ(const uint32_t *a, const uint32_t *b)
{
    __m256i same = _mm256_cmpeq_epi32(eight_load(a), eight_load(b));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) ^ 0xff;
}

/* The last vector overlaps the one before it: the terminals that both compare are equal. */
static uint64_t common_avx2(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t i = 0;
    uint32_t d;

    if (n < EIGHT) {
        while (i < n && a[i] == b[i])
            i++;
        return i;
    }
    for (; i + 2 * EIGHT <= n; i += 2 * EIGHT) {
        d = differ(a + i, b + i) | differ(a + i + EIGHT, b + i + EIGHT) << EIGHT;
        if (d)
            return i + (uint64_t)__builtin_ctz(d);
    }
    if (i + EIGHT < n && (d = differ(a + i, b + i)) != 0)
        return i + (uint64_t)__builtin_ctz(d);
    d = differ(a + n - EIGHT, b + n - EIGHT);
    return d ? n - EIGHT + (uint64_t)__builtin_ctz(d) : n;
}

/* Copies eight terminals from in[-1] on.  The top bits of the result tell which of in[0..8) equal
 * the one before, or are too large. */
static inline __m256i copy_eight(uint32_t *out, const uint32_t *in)
{
    __m256i a = eight_load(in - 1);
    __m256i b = eight_load(in);

    static_assert(SEQ_TERMINAL_MAX == (1 << 30) - 1, "what is too large has one of two bits");
    _mm256_storeu_si256((__m256i *)out, a);
    return _mm256_or_si256(_mm256_cmpeq_epi32(a, b), _mm256_or_si256(b, _mm256_add_epi32(b, b)));
}

static inline unsigned top_bits(__m256i v)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

static size_t copy_single_avx2(uint32_t *out, const uint32_t *in, size_t n)
{
    enum { AT_ONCE = 2 * EIGHT };
    const uint32_t *before = in - 1;
    size_t i = 0;

    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        __builtin_prefetch(in + i + VECTORS_FETCHED);
        __m256i a = copy_eight(out + i, in + i);
        __m256i b = copy_eight(out + i + EIGHT, in + i + EIGHT);
        unsigned end = top_bits(a) | top_bits(b) << EIGHT;
        if (end)
            return i + (size_t)__builtin_ctz(end);
    }
    for (; i < n && in[i] != before[i] && in[i] <= SEQ_TERMINAL_MAX; i++)
        out[i] = before[i];
    return i;
}

static const struct vectors avx2 = {
    sum_avx2, place_avx2, ask_avx2, common_avx2, copy_single_avx2,
};
const struct vectors *const vectors_avx2 = &avx2;

#endif
