/* SPDX-License-Identifier: MIT */
/* gram-filter.c - see gram-filter.h. */
#include "hotpaths/exhaustive/gram-filter.h"

#include <stdlib.h>

#include "hotpaths/hotpaths.h"

static bool matters(uint32_t count, uint64_t least)
{
    return count >= least || count == COUNT_MANY;
}

int gram_filter_init(struct gram_filter *f, const uint32_t *count, size_t n, uint64_t least)
{
    uint32_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += matters(count[i], least);
    *f = (struct gram_filter){ .bits = calloc(n / 64 + 1, sizeof *f->bits),
                               .before = calloc(n / 64 + 1, sizeof *f->before),
                               .count = malloc((found + (size_t)1) * sizeof *f->count) };
    if (!f->bits || !f->before || !f->count)
        return HOT_E_MEMORY;
    found = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % 64 == 0)
            f->before[i / 64] = found;
        if (!matters(count[i], least))
            continue;
        f->bits[i / 64] |= UINT64_C(1) << i % 64;
        f->count[found++] = count[i];
    }
    return HOT_OK;
}

void gram_filter_clear(struct gram_filter *f)
{
    free(f->bits);
    free(f->before);
    free(f->count);
    *f = (struct gram_filter){ 0 };
}

bool gram_filter_check(const struct gram_filter *f, const uint32_t *count, size_t n, uint64_t least)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t right = count[i] == COUNT_MANY ? UINT64_MAX : count[i];

        if (gram_filter_has(f, i) != matters(count[i], least) ||
            gram_filter_count(f, i) != (matters(count[i], least) ? right : 0))
            return false;
    }
    return true;
}
