/* SPDX-License-Identifier: MIT */
#include "wpp/base/descending.h"

#include <stdlib.h>

bool descending_begin(struct descending *d, uint32_t n)
{
    size_t words = n;

    *d = (struct descending){0};
    do {
        words = words / 64 + 1;
        d->level[d->levels] = calloc(words, sizeof *d->level[0]);
        if (!d->level[d->levels++]) {
            descending_end(d);
            return false;
        }
    } while (words > 1);
    return true;
}

void descending_end(struct descending *d)
{
    for (unsigned l = 0; l < d->levels; l++)
        free(d->level[l]);
    *d = (struct descending){0};
}
