/* SPDX-License-Identifier: MIT */
/* gather.h - extends the texts around borders as far as strings up to a length need.
 *
 * A border is needed when a hot subpath may begin in its known text (the text is near), or before
 * that: where one of `prefixes`, a string with which hot subpaths may begin, lies in the symbol
 * that ends at the border.
 */
#ifndef WPP_GATHER_H
#define WPP_GATHER_H

#include "hotpaths/exhaustive/border-filter.h"
#include "hotpaths/exhaustive/prefix-set.h"

struct gathered_border {
    uint64_t at;            /* the symbol */
    uint32_t rule;
    uint32_t text;          /* in `texts`, or NO_TEXT */
    uint32_t first_text;    /* in the filter's */
};

struct gathered {
    struct texts texts;
    struct gathered_border *border;
    size_t n, size;
};

void gathered_init(struct gathered *g);
void gathered_clear(struct gathered *g);

/* Takes those of the filter's borders that are near, or needed in a later round. */
int gathered_begin(struct gathered *g, const struct border_filter *s);

/* Writes their texts anew, for strings of up to `longest` terminals that begin with one of
 * `prefixes`, and removes borders that are no longer needed.  HOT_OK or HOT_E_MEMORY. */
int gathered_extend(struct gathered *g, const struct prefix_set *prefixes, uint32_t longest,
                    const struct border_filter *s, uint64_t min_cost);

#endif
