/* SPDX-License-Identifier: MIT */
/* gather.h - more of the text around borders: what strings up to a length need.
 *
 * A border is of interest when something hot may begin in what was seen of it (its text
 * is near), or before that: where a string that is known to begin something hot, one of
 * `starts`, lies in the symbol that ends at the border.
 */
#ifndef WPP_GATHER_H
#define WPP_GATHER_H

#include "hotpaths/exhaustive/border-filter.h"
#include "hotpaths/exhaustive/prefix-set.h"

struct gathered_border {
    uint64_t at;            /* the symbol */
    uint32_t rule;
    uint32_t text;          /* in `texts`, or NO_TEXT */
    uint32_t first_text;    /* in the sieve's */
};

struct gathered {
    struct texts texts;
    struct gathered_border *border;
    size_t n, size;
};

void gathered_init(struct gathered *g);
void gathered_clear(struct gathered *g);

/* Those of the sieve's borders that are near, or of interest in a later round. */
int gathered_begin(struct gathered *g, const struct sieve *s);

/* Writes their texts anew, for strings of up to `longest` terminals that begin with one of
 * `starts`, and forgets those of no interest any more.  HOT_OK or HOT_E_MEMORY. */
int gathered_extend(struct gathered *g, const struct starts *starts, uint32_t longest,
                    const struct sieve *s, uint64_t min_cost);

#endif
