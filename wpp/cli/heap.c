/* SPDX-License-Identifier: MIT */
#include "wpp/cli/heap.h"

#include <malloc.h>

static void trim(void)
{
    malloc_trim(0);
}

const struct wpp_heap tool_heap = { trim };
