/* SPDX-License-Identifier: MIT */
/* descending.h - a set of numbers that gives out its greatest.  It visits the symbols below a
 * symbol of a grammar, users before the symbols that they use.
 *
 *      level[0]   a bit for each number below n
 *      level[l]   a bit for each word of level[l - 1]: set if the word is not 0
 *
 * To add or take out a number costs at most one word of each level, however large n is.
 */
#ifndef WPP_DESCENDING_H
#define WPP_DESCENDING_H

#include <stdbool.h>
#include <stdint.h>

enum { DESCENDING_LEVELS = 6 };       /* 64^6 > 2^32 */

struct descending {
    unsigned levels;
    uint64_t *level[DESCENDING_LEVELS];
};

/* The empty set of numbers below n.  False without memory. */
bool descending_begin(struct descending *d, uint32_t n);
void descending_end(struct descending *d);

static inline void descending_put(struct descending *d, uint32_t x)
{
    for (unsigned l = 0; l < d->levels; l++, x /= 64) {
        uint64_t *word = &d->level[l][x / 64], before = *word;

        *word |= UINT64_C(1) << x % 64;
        if (before)
            return;
    }
}

/* Takes out the greatest number.  False: the set is empty. */
static inline bool descending_take(struct descending *d, uint32_t *out)
{
    uint32_t x = 0;

    if (d->level[d->levels - 1][0] == 0)
        return false;
    for (unsigned l = d->levels; l-- > 0;)
        x = 64 * x + 63 - (uint32_t)__builtin_clzll(d->level[l][x]);
    *out = x;
    for (unsigned l = 0; l < d->levels; l++, x /= 64)
        if ((d->level[l][x / 64] &= ~(UINT64_C(1) << x % 64)) != 0)
            break;
    return true;
}

#endif
