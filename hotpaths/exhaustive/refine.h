/* SPDX-License-Identifier: MIT */
/* refine.h - all minimal hot strings, by the texts around the sieve's borders. */
#ifndef WPP_REFINE_H
#define WPP_REFINE_H

#include "hotpaths/exhaustive/border-filter.h"

/* Adds to `out`, which is empty, those that cost min_cost (at least 1) or more and begin with no
 * other, each with its frequency.  HOT_OK or HOT_E_MEMORY. */
int rounds_find(struct sieve *sieve, uint64_t min_cost, struct found *out);

#endif
