/* SPDX-License-Identifier: MIT */
/* gram-filter.h - the counts that are large enough to matter, close together.
 *
 * Hot subpaths can hold only few of all grams.  The counts of these fit into a cache, unlike those
 * of all grams:
 *
 *      bits    0 1 0 0 1 1 0 ...     a bit for each count: whether it is large enough
 *      before  0 ...  7 ...  9       for each 64 of these: how many large ones come before
 *      count   c c c c c c c ...     the large counts, in order
 */
#ifndef WPP_GRAM_FILTER_H
#define WPP_GRAM_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gram_filter {
    uint64_t *bits;
    uint32_t *before;
    uint32_t *count;
};

/* This count stands for all that are at least as large. */
#define COUNT_MANY UINT32_MAX

/* Keeps those of the n counts that are at least `least`, or COUNT_MANY.  HOT_OK or HOT_E_MEMORY;
 * gram_filter_clear either way. */
int gram_filter_init(struct gram_filter *f, const uint32_t *count, size_t n, uint64_t least);
void gram_filter_clear(struct gram_filter *f);

/* Whether exactly the right counts are kept, each in its place. */
bool gram_filter_check(const struct gram_filter *f, const uint32_t *count, size_t n,
                       uint64_t least);

static inline bool gram_filter_has(const struct gram_filter *f, uint64_t slot)
{
    return f->bits[slot / 64] >> slot % 64 & 1;
}

/* How many bits are set (the processors that we compile for need not have an instruction for
 * it). */
static inline uint32_t bits_set(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The count, UINT64_MAX for COUNT_MANY; 0: it is not kept. */
static inline uint64_t gram_filter_count(const struct gram_filter *f, uint64_t slot)
{
    uint64_t bits = f->bits[slot / 64] << (63 - slot % 64);
    uint32_t count;

    if (!(bits >> 63))
        return 0;
    count = f->count[f->before[slot / 64] + bits_set(bits) - 1];
    return count == COUNT_MANY ? UINT64_MAX : count;
}

#endif
