/* SPDX-License-Identifier: MIT */
/* sys/mman.h - for WebAssembly, which has no pages to map or advise on.  Only advice is asked for by the
 * code that the page contains. */
#ifndef WPP_WASM_MMAN_H
#define WPP_WASM_MMAN_H

#include <stddef.h>

#define MADV_HUGEPAGE 14

static inline int madvise(void *start, size_t size, int advice)
{
    (void)start, (void)size, (void)advice;
    return 0;
}

#endif
