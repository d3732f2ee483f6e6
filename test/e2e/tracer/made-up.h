/* SPDX-License-Identifier: MIT */
/* made-up.h - path numbers that look random and that anyone can compute again. */
#ifndef WPP_TEST_MADE_UP_H
#define WPP_TEST_MADE_UP_H

#include <stdint.h>

#define MADE_UP_PATHS 1000000

/* The n-th path number of a thread. */
static inline uint32_t made_up(uint32_t thread, uint32_t n)
{
    uint64_t x = (uint64_t)thread << 32 | n;

    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 32) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) % MADE_UP_PATHS);
}

#endif
