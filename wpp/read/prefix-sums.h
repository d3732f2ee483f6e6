/* SPDX-License-Identifier: MIT */
/* prefix-sums.h - sums over the right-hand sides of a grammar, and where in them a sum is reached.
 *
 * Each symbol has a value: the events that it derives, or those of them that somebody looks for.
 * One sum is kept for every PREFIX_SUM_STEP symbols of all right-hand sides:
 *
 *      symbols   s0 s1 ... s63 | s64 ... s127 | ...
 *      sums      0             | s0 + ... s63 | ...          modulo 2^64
 *
 * So a sum over a part of one right-hand side, whose true value is below 2^64, takes two of these and
 * at most 2 * PREFIX_SUM_STEP values, and a search in one of n symbols log n steps.
 */
#ifndef WPP_PREFIX_SUMS_H
#define WPP_PREFIX_SUMS_H

#include <stdint.h>

enum { PREFIX_SUM_STEP = 64 };

struct prefix_sums {
    const uint32_t *symbols;
    const uint64_t *sums;                           /* prefix_sums_size() */
    uint64_t (*value)(const void *owner, uint32_t symbol);
    const void *owner;
};

/* How many sums n symbols have. */
uint64_t prefix_sums_size(uint64_t n);

/* Fills `sums`, which is p's, for n symbols. */
void prefix_sums_fill(const struct prefix_sums *p, uint64_t n, uint64_t *sums);

/* The sum of symbols [begin, end). */
uint64_t prefix_sums_between(const struct prefix_sums *p, uint64_t begin, uint64_t end);

/* The index in [begin, end) of the symbol in which the running sum exceeds *rest, which is below that
 * of all of them; *rest becomes what is left of it within that symbol. */
uint64_t prefix_sums_find(const struct prefix_sums *p, uint64_t begin, uint64_t end, uint64_t *rest);

/* The same if *rest may be as much as all of them, `sum`, or more: then `end`, and *rest becomes 0. */
uint64_t prefix_sums_up_to(const struct prefix_sums *p, uint64_t begin, uint64_t end, uint64_t sum, uint64_t *rest);

#endif
