/* SPDX-License-Identifier: MIT */
/* nop.c - libwpp-rt-nop: the runtime's interface without recording.  Each thread writes its
 * events into one chunk over and over.  A program with it costs only the emitted code: the
 * baseline of every overhead figure. */
#include <pthread.h>
#include <stdbool.h>

#include "tracer/runtime.h"
#include "tracer/gthreads.h"
#include "tracer/sys.h"
#include "tracer/text.h"

/* Tells a recorder why it gets no trace. */
__asm__(".pushsection .note.wpp, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 8, 3\n"           /* WPP_NOTE_NOP */
        ".ascii \"wpp\\0\"\n"
        ".quad 0\n"
        ".popsection\n");

static uint32_t no_chunk = 1;
WPP_EXPORT __thread uint32_t *__wpp_cursor = &no_chunk;
WPP_CURSOR_ALIAS;
WPP_EXPORT __thread uint32_t __wpp_frames;
WPP_EXPORT __thread uint64_t __wpp_time;
WPP_EXPORT __thread unsigned char __wpp_counting;
static __thread struct wpp_thread *self;
static pthread_key_t ended_key;
static bool have_key;
static int use_xsave;
static uint32_t shared[WPP_CHUNK_TOKENS + 1] = { [WPP_CHUNK_TOKENS] = 1 };   /* threads without
                                                                                memory */

static void thread_ended(void *t)
{
    self = NULL;
    __wpp_cursor = &no_chunk;
    sys_unmap((char *)t - WPP_CHUNK_BYTES, WPP_CHUNK_BYTES + sizeof(struct wpp_thread));
}

static void arm(void *t)
{
    pthread_setspecific(ended_key, t);
}

static struct wpp_thread *map_thread(void)
{
    char *map = sys_map(WPP_CHUNK_BYTES + sizeof(struct wpp_thread));
    struct wpp_thread *t = (struct wpp_thread *)(map + WPP_CHUNK_BYTES);

    if (!map)
        return NULL;
    t->behind = UINT32_MAX;
    return t;
}

void __wpp_resolver_slow(void)
{
    if (!__wpp_own_cursor)
        __wpp_own_cursor = &no_chunk;
}

void __wpp_count_thread_slow(void)
{
    __wpp_counting = 1;
}

void __wpp_leaving_slow(const void *env, const struct wpp_frame *caller)
{
    (void)env, (void)caller;
}

_Unwind_Reason_Code __wpp_personality(int version, _Unwind_Action actions,
                                      _Unwind_Exception_Class kind,
                                      struct _Unwind_Exception *exception,
                                      struct _Unwind_Context *context)
{
    (void)version, (void)actions, (void)kind, (void)exception, (void)context;
    return _URC_CONTINUE_UNWIND;
}

static __typeof(__wpp_personality) *own_personality;     /* of C++ */

_Unwind_Reason_Code __wpp_personality_cxx(int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class kind,
                                          struct _Unwind_Exception *exception,
                                          struct _Unwind_Context *context)
{
    return own_personality(version, actions, kind, exception, context);
}

uint32_t *__wpp_refill_slow(uint32_t *at)
{
    if (!self && (self = map_thread()) && have_key)
        __wpp_keep_vectors(arm, self, self->vectors, use_xsave);
    at = self ? (uint32_t *)((char *)self - WPP_CHUNK_BYTES + WPP_HEADER_BYTES) : shared;
    words_clear(at, WPP_CHUNK_TOKENS / 2);
    return __wpp_own_cursor = at;
}

struct wpp_thread *__wpp_signal_begin_slow(void)
{
    return NULL;
}

void __wpp_signal_end_slow(struct wpp_thread *t)
{
    (void)t;
}

void __wpp_start(void)
{
}

void __wpp_stop(void)
{
}

void __wpp_module_load(struct wpp_module *module)
{
    uint32_t base = WPP_TOKEN_FIRST;

    for (struct wpp_unit *unit = module->begin; unit < module->end; unit++) {
        if (!(unit->flags & WPP_UNIT_LINKED))
            unit->base = base;
        base += unit->count;
        if ((unit->flags & WPP_UNIT_COUNTS) && module->personality)
            own_personality = (__typeof(own_personality))*module->personality;
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
