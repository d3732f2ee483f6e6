/* SPDX-License-Identifier: MIT */
/* gram-filter.h - the counts that are large enough to matter, close together.
 *
 * Something hot can hold but few of all grams.  Their counts lie in a cache, where those of
 * all grams do not:
 *
 *      bits    0 1 0 0 1 1 0 ...     a bit for each count there is: it is among them
 *      before  0 ...  7 ...  9       for each 64 of these: how many are among those before
 *      count   c c c c c c c ...     what is among them, in order
 */
#ifndef WPP_GRAM_FILTER_H
#define WPP_GRAM_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frequent {
    uint64_t *bits;
    uint32_t *before;
    uint32_t *count;
};

/* A count of so much says: so much or more. */
#define COUNT_MANY UINT32_MAX

/* Those of the n counts that are `least` or more, or COUNT_MANY.  HOT_OK or HOT_E_MEMORY;
 * frequent_clear either way. */
int frequent_init(struct frequent *f, const uint32_t *count, size_t n, uint64_t least);
void frequent_clear(struct frequent *f);

/* Whether each count is among them exactly where it should be. */
bool frequent_check(const struct frequent *f, const uint32_t *count, size_t n, uint64_t least);

static inline bool is_frequent(const struct frequent *f, uint64_t slot)
{
    return f->bits[slot / 64] >> slot % 64 & 1;
}

/* How many bits are set (the processors that are compiled for need not have an instruction). */
static inline uint32_t bits_set(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The count, UINT64_MAX for COUNT_MANY; 0: it is not among them. */
static inline uint64_t frequent_count(const struct frequent *f, uint64_t slot)
{
    uint64_t bits = f->bits[slot / 64] << (63 - slot % 64);
    uint32_t count;

    if (!(bits >> 63))
        return 0;
    count = f->count[f->before[slot / 64] + bits_set(bits) - 1];
    return count == COUNT_MANY ? UINT64_MAX : count;
}

#endif
