/* SPDX-License-Identifier: MIT */
/* array.h - arrays that double. */
#ifndef WPP_ARRAY_H
#define WPP_ARRAY_H

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hotpaths/hotpaths.h"

#ifdef WPP_HOSTILE
enum { GROW_FIRST = 1 };
#else
enum { GROW_FIRST = 256 };
#endif

/* Makes room for `wanted` elements in an array of *size.  HOT_OK or HOT_E_MEMORY;
 * then nothing has changed. */
static inline int grow_array(void **array, size_t *size, size_t wanted, size_t element)
{
    size_t larger = *size ? *size : GROW_FIRST;
    void *p;

    if (wanted <= *size)
        return HOT_OK;
    while (larger < wanted)
        larger *= 2;
    p = realloc(*array, larger * element);
    if (!p)
        return HOT_E_MEMORY;
    *array = p;
    *size = larger;
    return HOT_OK;
}

/* An array of `n` elements that is accessed at random.  A large one is in large pages, since
 * otherwise nearly each access would also wait for the page's address.  Freed by free. */
static inline void *scattered_array(size_t n, size_t element)
{
    enum { PAGE = 1 << 21 };
    size_t size = n * element;
    void *p = NULL;

    assert(n <= SIZE_MAX / element);
    if (size < 2 * (size_t)PAGE)
        return malloc(size);
    size = (size + PAGE - 1) / PAGE * PAGE;
    p = aligned_alloc(PAGE, size);
    if (p)
        madvise(p, size, MADV_HUGEPAGE);
    return p;
}

#define GROW(array, size, wanted) \
    grow_array((void **)&(array), &(size), (wanted), sizeof *(array))

#endif
