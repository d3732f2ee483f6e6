/* SPDX-License-Identifier: MIT */
#include "wpp/read/prefix-sums.h"

#include <assert.h>

static uint64_t value_of(const struct prefix_sums *p, uint64_t i)
{
    return p->value(p->owner, p->symbols[i]);
}

uint64_t prefix_sums_size(uint64_t n)
{
    return n / PREFIX_SUM_STEP + 1;
}

void prefix_sums_fill(const struct prefix_sums *p, uint64_t n, uint64_t *sums)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (i % PREFIX_SUM_STEP == 0)
            sums[i / PREFIX_SUM_STEP] = sum;
        sum += value_of(p, i);
    }
    if (n % PREFIX_SUM_STEP == 0)
        sums[n / PREFIX_SUM_STEP] = sum;
}

/* The sum of all symbols before i, modulo 2^64. */
static uint64_t sum_before(const struct prefix_sums *p, uint64_t i)
{
    uint64_t sum = p->sums[i / PREFIX_SUM_STEP];

    for (uint64_t j = i - i % PREFIX_SUM_STEP; j < i; j++)
        sum += value_of(p, j);
    return sum;
}

uint64_t prefix_sums_between(const struct prefix_sums *p, uint64_t begin, uint64_t end)
{
    uint64_t sum = 0;

    assert(begin <= end);
    if (end - begin > PREFIX_SUM_STEP)
        return sum_before(p, end) - sum_before(p, begin);
    for (uint64_t i = begin; i < end; i++)
        sum += value_of(p, i);
    return sum;
}

/* The last index in [begin, end) that has a sum of its own and before which no more than `rest` was
 * reached; `begin` if there is none. */
static uint64_t last_step(const struct prefix_sums *p, uint64_t begin, uint64_t end, uint64_t base,
                          uint64_t rest)
{
    uint64_t i = begin;
    uint64_t low = begin / PREFIX_SUM_STEP + 1, high = (end - 1) / PREFIX_SUM_STEP + 1;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (p->sums[middle] - base <= rest) {
            i = middle * PREFIX_SUM_STEP;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return i;
}

uint64_t prefix_sums_find(const struct prefix_sums *p, uint64_t begin, uint64_t end, uint64_t *rest)
{
    uint64_t i = begin;

    assert(begin < end);
    if (end - begin > PREFIX_SUM_STEP) {
        uint64_t base = sum_before(p, begin);

        i = last_step(p, begin, end, base, *rest);
        if (i > begin)
            *rest -= p->sums[i / PREFIX_SUM_STEP] - base;
    }
    for (;; i++) {
        uint64_t value = value_of(p, i);

        assert(i < end);
        if (*rest < value)
            return i;
        *rest -= value;
    }
}

uint64_t prefix_sums_up_to(const struct prefix_sums *p, uint64_t begin, uint64_t end, uint64_t sum, uint64_t *rest)
{
    if (*rest < sum)
        return prefix_sums_find(p, begin, end, rest);
    *rest = 0;
    return end;
}
