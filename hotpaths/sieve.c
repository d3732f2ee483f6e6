/* SPDX-License-Identifier: MIT */
/* sieve.c - what is known of a grammar whatever the minimal cost is; see places.h. */
#include <stdlib.h>

#include "hotpaths/places.h"

int sieve_init(struct sieve *s, const struct analysis *a)
{
    *s = (struct sieve){ .a = a };
    if (outward_init(&s->outward, a->g, a->max_length - 1) != HOT_OK ||
        reach_init(&s->reach, a) != HOT_OK)
        return HOT_E_MEMORY;
    return grams_init(&s->grams, a);
}

void sieve_clear(struct sieve *s)
{
    grams_clear(&s->grams);
    outward_clear(&s->outward);
    reach_clear(&s->reach);
    free(s->border);
    *s = (struct sieve){ 0 };
}
