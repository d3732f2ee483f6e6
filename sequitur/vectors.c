/* SPDX-License-Identifier: MIT */
/* vectors.c - see vectors.h. */
#include "sequitur/vectors.h"
#include "sequitur/jumps.h"
#include "sequitur/sequitur.h"

__attribute__((always_inline))
static inline two add_fours(two sum, const uint32_t *keys, const uint32_t *in, int begin, int end)
{
#pragma GCC unroll 16
    for (int i = begin; i < end; i += FOUR)
        sum += four_products(four_load(in + i) + four_load(keys + i));
    return sum;
}

static void sum_plain(const uint32_t *keys, const uint32_t *in, int from, int to, two *sums)
{
    VECTORS_SUM(add_fours)
}

static void place_plain(const two *sums, int n, uint64_t rows, struct place *places)
{
    for (int i = 0; i < n; i++)
        places[i] = level_place(sums[i][0] + sums[i][1], rows);
}

static uint32_t ask_plain(const struct jump *table, const struct place *places, int n)
{
    uint32_t hits = 0;

    assert(n <= LEVELS_ASKED);
    for (int i = 0; i < n; i++)
        hits |= jump_ways(table, places[i], true) << WAYS * i;
    return hits;
}

static uint64_t common_plain(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t i = 0;

    for (; i + 4 * FOUR <= n; i += 4 * FOUR)
        if (!four_all((four_load(a + i) == four_load(b + i))
                      & (four_load(a + i + FOUR) == four_load(b + i + FOUR))
                      & (four_load(a + i + 2 * FOUR) == four_load(b + i + 2 * FOUR))
                      & (four_load(a + i + 3 * FOUR) == four_load(b + i + 3 * FOUR))))
            break;
    while (i + FOUR <= n && four_all(four_load(a + i) == four_load(b + i)))
        i += FOUR;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* Copies four terminals from before[0] on.  The top bits of the result tell which of in[0..4) equal
 * the one before, or are too large. */
static inline four copy_four(uint32_t *out, const uint32_t *before, const uint32_t *in)
{
    four a = four_load(before);
    four b = four_load(in);

    four_store(out, a);
    return (four)(a == b) | b | (b + b);
}

static size_t copy_single_plain(uint32_t *out, const uint32_t *in, size_t n)
{
    enum { AT_ONCE = 4 * FOUR };
    const uint32_t *before = in - 1;
    unsigned end = 0;
    size_t i = 0;

    for (; !end && i + AT_ONCE <= n; i += AT_ONCE) {
        __builtin_prefetch(in + i + VECTORS_FETCHED);
        four a = copy_four(out + i, before + i, in + i);
        four b = copy_four(out + i + FOUR, before + i + FOUR, in + i + FOUR);
        four c = copy_four(out + i + 2 * FOUR, before + i + 2 * FOUR, in + i + 2 * FOUR);
        four d = copy_four(out + i + 3 * FOUR, before + i + 3 * FOUR, in + i + 3 * FOUR);
        end = four_top_bits(a, b, c, d);
    }
    if (end)
        return i - AT_ONCE + (size_t)__builtin_ctz(end);
    for (; i < n && in[i] != before[i] && in[i] <= SEQ_TERMINAL_MAX; i++)
        out[i] = before[i];
    return i;
}

const struct vectors vectors_plain = {
    sum_plain, place_plain, ask_plain, common_plain, copy_single_plain,
};

const struct vectors *vectors_best(void)
{
#ifdef __x86_64__
    if (vectors_avx2 && __builtin_cpu_supports("avx2"))
        return vectors_avx2;
#endif
    return &vectors_plain;
}
