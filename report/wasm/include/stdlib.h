/* SPDX-License-Identifier: MIT */
/* stdlib.h - with qsort_r(), which wasi-libc lacks. */
#ifndef WPP_WASM_STDLIB_H
#define WPP_WASM_STDLIB_H

#include_next <stdlib.h>

void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *context);

#endif
