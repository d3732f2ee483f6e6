/* SPDX-License-Identifier: MIT */
/* failing-allocations.h - malloc, calloc and realloc that fail when they are told to.
 *
 * For libraries that have no allocator to pass: their sources are included behind this. */
#ifndef WPP_TEST_FAILING_ALLOCATIONS_H
#define WPP_TEST_FAILING_ALLOCATIONS_H

#include <stdbool.h>
#include <stdlib.h>

static long allocations_left = -1;      /* the one after these fails; negative: none */

static bool must_fail(void)
{
    return allocations_left >= 0 && allocations_left-- == 0;
}

static void *test_malloc(size_t size)
{
    return must_fail() ? NULL : malloc(size);
}

static void *test_calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : calloc(n, size);
}

static void *test_realloc(void *p, size_t size)
{
    return must_fail() ? NULL : realloc(p, size);
}

#define malloc test_malloc
#define calloc test_calloc
#define realloc test_realloc

#endif
