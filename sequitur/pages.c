/* SPDX-License-Identifier: MIT */
/* pages.c - the default allocator: the C library's, but large blocks lie in huge pages of their
 * own.
 *
 * The engine accesses its memory at random.  With pages of 4 kB each access also misses the
 * processor's table of pages, and the first access to each page costs a fault.
 */
#include "sequitur/grammar.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef WPP_HOSTILE
enum { HUGE = 1 << 12 };
#else
enum { HUGE = 1 << 21 };
#endif
static_assert((HUGE & (HUGE - 1)) == 0, "sizes are rounded by a mask");

static size_t whole_pages(size_t size)
{
    return (size + HUGE - 1) & ~(size_t)(HUGE - 1);
}

/* Reserves addresses for `size` bytes, whole pages, beginning at a huge page. */
static void *reserve(size_t size)
{
    assert(size > 0 && size % HUGE == 0);
    char *p = mmap(NULL, size + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    size_t before = whole_pages((size_t)p) - (size_t)p;
    if (before)
        munmap(p, before);
    if (before < HUGE)
        munmap(p + before + size, HUGE - before);
    assert(before < HUGE && (size_t)(p + before) % HUGE == 0);
    return p + before;
}

static void *large_new(size_t size)
{
    void *p = reserve(whole_pages(size));

    if (!p)
        return NULL;
    if (mprotect(p, whole_pages(size), PROT_READ | PROT_WRITE) != 0) {
        munmap(p, whole_pages(size));
        return NULL;
    }
    madvise(p, whole_pages(size), MADV_HUGEPAGE);
    return p;
}

/* Moves pages, not bytes. */
static void *large_resize(void *p, size_t old_size, size_t size)
{
    assert((size_t)p % HUGE == 0);
    if (whole_pages(old_size) == whole_pages(size))
        return p;
    void *to = reserve(whole_pages(size));
    if (!to)
        return NULL;
    void *moved = mremap(p, whole_pages(old_size), whole_pages(size),
                         MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (moved != MAP_FAILED)
        return moved;
    munmap(to, whole_pages(size));
    return NULL;
}

static void release(void *p, size_t size)
{
    if (size >= HUGE)
        munmap(p, whole_pages(size));
    else
        free(p);
}

void *seq_pages(void *ctx, void *p, size_t old_size, size_t size)
{
    (void)ctx;
    if (!size) {
        release(p, old_size);
        return NULL;
    }
    if (p && old_size >= HUGE && size >= HUGE)
        return large_resize(p, old_size, size);
    if (old_size < HUGE && size < HUGE)
        return realloc(p, size);
    void *to = size >= HUGE ? large_new(size) : malloc(size);
    if (to && p) {
        memcpy(to, p, old_size < size ? old_size : size);
        release(p, old_size);
    }
    return to;
}
