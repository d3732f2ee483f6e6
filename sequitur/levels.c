/* SPDX-License-Identifier: MIT */
/* levels.c - see levels.h. */
#include "sequitur/levels.h"

#include <assert.h>

/* The keys are the numbers of a known generator, splitmix64. */
static uint64_t next_key(uint64_t *state)
{
    uint64_t x = *state += LEVELS_GOLDEN;

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

void levels_init(struct levels *l)
{
    uint64_t state = 0;

    for (int i = 0; i < TERMINALS_NARROW; i++)
        l->narrow_keys[i] = next_key(&state) | 1;
    for (int i = 0; i < TERMINALS_MOST; i++)
        l->keys[i] = (uint32_t)next_key(&state);
}

void levels_place_narrow(const struct levels *l, const uint32_t *in, int n, uint64_t rows,
                         struct place *places)
{
    uint64_t sum = 0;

    assert(n <= NARROW);
#pragma GCC unroll 10
    for (int i = 0; i < NARROW; i++) {
        if (i >= n)
            return;
        for (uint32_t k = i ? level_terminals(i - 1) : 0; k < level_terminals(i); k++)
            sum += in[k] * l->narrow_keys[k];
        places[i] = level_place(sum, rows);
    }
}
