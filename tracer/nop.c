/* SPDX-License-Identifier: MIT */
/* nop.c - libwpp-rt-nop: the runtime's interface, doing nothing.  Each thread
 * writes its events into one chunk over and over.  What a program costs with it
 * is the cost of the emitted code alone, the baseline of every overhead figure. */
#include <pthread.h>
#include <stdbool.h>

#include "tracer/runtime.h"
#include "tracer/sys.h"

WPP_EXPORT __thread uint32_t *__wpp_cursor;
static __thread struct wpp_thread *self;
static pthread_key_t ended_key;
static bool have_key;
static int use_xsave;
static unsigned char shared[2 * WPP_CHUNK_BYTES];   /* without memory for an own one */

static void thread_ended(void *t)
{
    self = NULL;
    __wpp_cursor = NULL;
    sys_unmap((char *)t - WPP_CHUNK_BYTES, WPP_CHUNK_BYTES + sizeof(struct wpp_thread));
}

static void arm(void *t)
{
    pthread_setspecific(ended_key, t);
}

static struct wpp_thread *map_thread(void)
{
    size_t wanted = WPP_CHUNK_BYTES + sizeof(struct wpp_thread);
    char *map = sys_map(wanted + WPP_CHUNK_BYTES);
    size_t before;

    if (!map)
        return NULL;
    before = -(uintptr_t)map & (WPP_CHUNK_BYTES - 1);
    sys_unmap(map, before);
    return (struct wpp_thread *)(map + before + WPP_CHUNK_BYTES);
}

uint32_t *__wpp_refill_slow(void)
{
    uintptr_t chunk;

    if (!self && (self = map_thread()) && have_key)
        __wpp_keep_vectors(arm, self, self->vectors, use_xsave);
    chunk = self ? (uintptr_t)self - WPP_CHUNK_BYTES
                 : ((uintptr_t)shared + WPP_CHUNK_BYTES - 1) & -(uintptr_t)WPP_CHUNK_BYTES;
    return __wpp_cursor = (uint32_t *)(chunk + WPP_HEADER_BYTES);
}

void __wpp_module_load(struct wpp_module *module)
{
    uint32_t base = WPP_TOKEN_FIRST;

    for (struct wpp_unit *unit = module->begin; unit < module->end; unit++) {
        unit->base = base;
        base += unit->count;
    }
    module->base = WPP_TOKEN_FIRST;
    if (!have_key) {
        use_xsave = sys_has_xsave();
        have_key = pthread_key_create(&ended_key, thread_ended) == 0;
    }
}

void __wpp_module_unload(struct wpp_module *module)
{
    (void)module;
}
