/* SPDX-License-Identifier: MIT */
/* chunk.c - the memory of a thread: the place of its chunk, and the processes that see it.
 *
 *   one region
 *   | nothing | buffer page | chunk 65536                    | page          |
 *             |  struct     | 64 bytes | token token 0 0 0 0 | struct thread |
 *             |  wpp_buffer |
 *              `------------ window ---------------------------'
 *
 * The window is part of the trace file or of the recorder's memory, if that is possible; its
 * events then outlive the process.  Otherwise the window is private.
 *
 * FORKS.  A child must not write into its parent's window.  libc's fork runs our handler, which
 * leaves the window.  A fork that libc does not see runs no handler, and the child goes on with
 * its parent's cursor.  Therefore:
 * - A shared window is not inherited.  The page above it grows downwards, like a stack: at the
 *   address of the parent's window, the child gets private zeros as soon as it writes.  The
 *   kernel lets the page grow that far because the region's first page is mapped without access.
 *   A limit of stacks or of address space may forbid it (thread.c: has_window()).
 * - A private window is zeros in the child as well, if the child's events count.
 *
 * So the child finds there only its own tokens.
 */
#include "tracer/runtime.h"

#include "tracer/sys.h"
#include "tracer/text.h"

#define REGION_BYTES (WPP_PAGE_BYTES + WPP_BUFFER_BYTES + WPP_PAGE_BYTES)

static struct wpp_thread *free_regions;

static bool map_private(char *at, size_t bytes, int flags)
{
    return sys_mmap(at, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags, -1, 0) != NULL;
}

/* Makes the window outlive the process, if the output can do that. */
static void keep(char *window)
{
    bool keeps = __wpp_process.state == WPP_RECORDING && __wpp_output_keeps();

    if (keeps && __wpp_output_keep(window)) {
        sys3(SYS_madvise, (long)window, WPP_BUFFER_BYTES, MADV_DONTFORK);
        return;
    }
    if (__wpp_settings.names_process || __wpp_others_record())
        sys3(SYS_madvise, (long)window, WPP_BUFFER_BYTES, MADV_WIPEONFORK);
    if (keeps)
        __wpp_record_no_buffer();
}

static struct wpp_thread *map_region(void)
{
    char *region = sys_mmap(NULL, REGION_BYTES, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct wpp_thread *t;
    char *window;

    if (!region)
        return NULL;
    window = region + WPP_PAGE_BYTES;
    t = (struct wpp_thread *)(window + WPP_BUFFER_BYTES);
    if (!map_private(window, WPP_BUFFER_BYTES, 0) ||
        !map_private((char *)t, WPP_PAGE_BYTES, MAP_GROWSDOWN)) {
        sys_unmap(region, REGION_BYTES);
        return NULL;
    }
    keep(window);
    return t;
}

struct wpp_thread *__wpp_region_take(void)
{
    struct wpp_thread *t = free_regions;

    if (!t)
        return map_region();
    free_regions = t->next;
    return t;
}

void __wpp_region_give(struct wpp_thread *t)
{
    __wpp_buffer_of(t)->tid = 0;
    t->next = free_regions;
    free_regions = t;
}

void __wpp_regions_free(void)
{
    while (free_regions) {
        struct wpp_thread *t = free_regions;

        free_regions = t->next;
        sys_unmap((char *)__wpp_buffer_of(t) - WPP_PAGE_BYTES, REGION_BYTES);
    }
}

void __wpp_regions_forked(void)
{
    free_regions = NULL;
}

void __wpp_chunk_clear(struct wpp_thread *t, uint64_t first)
{
    volatile struct wpp_buffer *buffer = __wpp_buffer_of(t);

    t->behind = UINT32_MAX;
    t->done = __wpp_chunk_start(t);
    words_clear(t->done, WPP_CHUNK_TOKENS / 2);
    buffer->first = first;
}

void __wpp_region_keep(struct wpp_thread *t)
{
    uint32_t *done = t->done;

    keep((char *)__wpp_buffer_of(t));
    __wpp_chunk_clear(t, 0);
    t->done = done;
    __wpp_chunk_goes_on(t);
}

void __wpp_chunk_goes_on(struct wpp_thread *t)
{
    volatile struct wpp_buffer *buffer = __wpp_buffer_of(t);

    buffer->first = t->first - (uint64_t)(t->done - __wpp_chunk_start(t));
}
