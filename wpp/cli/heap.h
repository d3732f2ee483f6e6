/* SPDX-License-Identifier: MIT */
/* heap.h - the compressors' request to libc's allocator. */
#ifndef WPP_HEAP_H
#define WPP_HEAP_H

#include "wpp/compress/compress.h"

extern const struct wpp_heap tool_heap;

#endif
