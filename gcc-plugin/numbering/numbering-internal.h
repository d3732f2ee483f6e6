/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbering-internal.h - declarations that the files of the numbering share. */
#ifndef WPP_NUMBERING_INTERNAL_H
#define WPP_NUMBERING_INTERNAL_H

#include "gcc-plugin/numbering/numbering.h"

#include <stdlib.h>

/* Sets inc and chord of all DAG edges; their Vals are known.  PN_OK or PN_E_NOMEM. */
int pn_place_increments(struct pn_graph *g);

/* n zeroed elements; never NULL for n == 0. */
static inline void *new_array(uint64_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

static inline int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

#endif
