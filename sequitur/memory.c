/* SPDX-License-Identifier: MIT */
/* memory.c - the caller's allocator, and arrays that grow. */
#include "sequitur/grammar.h"

void *seq_memory(seq *s, void *p, size_t old_size, size_t size)
{
    if (!p && !size)
        return NULL;
    assert(p ? s->memory >= old_size : old_size == 0);
    p = s->realloc(s->realloc_ctx, p, old_size, size);
    if (size && !p)
        return NULL;
    s->memory += size - old_size;
    if (s->memory_peak < s->memory)
        s->memory_peak = s->memory;
    return p;
}

/* Arrays grow by a sixteenth, since slack is unused memory.  Large ones grow by less, because then
 * pages are moved, not bytes (pages.c). */
enum { LARGE = 4 << 20 };

uint64_t seq_growth(uint64_t size, size_t each)
{
    return size / (size * each < LARGE ? 16 : 64);
}

int seq_grow(seq *s, void **array, uint32_t *size, size_t each, uint64_t need, uint64_t max)
{
    uint64_t bigger = *size + seq_growth(*size, each);

    if (need > max)
        return SEQ_E_RANGE;
    if (bigger < need)
        bigger = need;
    if (bigger > max)
        bigger = max;
    assert(bigger >= *size && bigger <= UINT32_MAX);
    void *p = seq_memory(s, *array, *size * each, bigger * each);
    if (!p)
        return SEQ_E_NOMEM;
    *array = p;
    *size = (uint32_t)bigger;
    return SEQ_OK;
}
