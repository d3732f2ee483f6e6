/* SPDX-License-Identifier: MIT */
/* saturate.h - sums and products that stop at UINT64_MAX. */
#ifndef WPP_SATURATE_H
#define WPP_SATURATE_H

#include <stdint.h>

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
