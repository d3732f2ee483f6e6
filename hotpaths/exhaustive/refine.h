/* SPDX-License-Identifier: MIT */
/* refine.h - all minimal hot strings, from the texts around the filter's borders. */
#ifndef WPP_REFINE_H
#define WPP_REFINE_H

#include "hotpaths/exhaustive/border-filter.h"

/* Adds the strings that cost at least min_cost (at least 1) and begin with no other such string to
 * `out`, which is empty, with their frequencies.  HOT_OK or HOT_E_MEMORY. */
int refine_find(struct border_filter *filter, uint64_t min_cost, struct subpath_set *out);

#endif
