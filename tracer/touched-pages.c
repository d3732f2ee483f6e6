/* SPDX-License-Identifier: MIT */
/* touched-pages.c - which pages of the process hold anything. */
#include "tracer/counts.h"

#include "tracer/sys.h"

void __wpp_touched_begin(struct touched_pages *t)
{
    t->fd = __wpp_sandboxed() ? -1 : (int)sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    t->n = 0;
}

void __wpp_touched_end(struct touched_pages *t)
{
    if (t->fd >= 0)
        sys_close(t->fd);
    t->fd = -1;
}

bool __wpp_touched(struct touched_pages *t, const char *at)
{
    uint64_t page = (uintptr_t)at / WPP_PAGE_BYTES;

    if (t->fd >= 0 && (page < t->first || page >= t->first + t->n)) {
        long n = sys4(SYS_pread64, t->fd, (long)t->flags, sizeof t->flags, (long)(8 * page));

        t->first = page;
        t->n = n > 0 ? (size_t)n / 8 : 0;
        if (t->n == 0)
            __wpp_touched_end(t);
    }
    return t->fd < 0 || t->flags[page - t->first] >> 62 != 0;      /* in memory, or swapped */
}
