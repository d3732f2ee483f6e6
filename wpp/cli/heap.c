/* SPDX-License-Identifier: MIT */
#include "wpp/cli/heap.h"

#include <malloc.h>

static uint64_t held(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static void trim(void)
{
    malloc_trim(0);
}

const struct wpp_heap tool_heap = { held, trim };
