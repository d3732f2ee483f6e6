/* SPDX-License-Identifier: MIT */
/* rounds.h - the strings that are hot by the texts around the sieve's borders. */
#ifndef WPP_HOT_ROUNDS_H
#define WPP_HOT_ROUNDS_H

#include "hotpaths/sieve.h"

/* Adds to `out`, which is empty, those that cost min_cost or more and begin with none that
 * costs `enough` (at least min_cost): if that is min_cost, the minimal ones; else those that others
 * begin with may be missing, and some may be there twice (found_append).  Frequencies are sums over
 * the borders of the sieve's sample.  HOT_OK or HOT_E_MEMORY. */
int rounds_find(struct sieve *sieve, uint64_t min_cost, uint64_t enough, struct found *out);

#endif
