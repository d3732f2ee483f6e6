/* SPDX-License-Identifier: MIT */
/* string.h - with sigabbrev_np(), which wasi-libc lacks: signals have no names there. */
#ifndef WPP_WASM_STRING_H
#define WPP_WASM_STRING_H

#include_next <string.h>

static inline const char *sigabbrev_np(int number)
{
    (void)number;
    return NULL;
}

#endif
