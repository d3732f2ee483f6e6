/* SPDX-License-Identifier: MIT */
/* thread.c - a thread's chunk, from its first event to its last. */
#include "tracer/runtime.h"

#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "tracer/gthreads.h"
#include "tracer/sys.h"
#include "tracer/text.h"

#define HEADER_WORDS (int)(WPP_HEADER_BYTES / 4)

/* The cursor of a thread without a chunk points here; this slot and the word behind it are never
 * free. */
static uint32_t no_chunk[2] = { 1, 1 };

WPP_EXPORT __thread uint32_t *__wpp_cursor = no_chunk;
WPP_CURSOR_ALIAS;
WPP_EXPORT __thread uint32_t __wpp_frames;
static __thread struct wpp_thread *self;
static __thread uint64_t unkept;        /* tokens that went to `nowhere` */

struct wpp_thread *__wpp_threads;       /* the live ones */
static pthread_key_t ended_key;
static bool have_key;
static int use_xsave;

/* Events go here when there is no memory for a chunk.  All threads write at once, and nothing
 * reads it.  Its last word is never free. */
static uint32_t nowhere[WPP_CHUNK_TOKENS + 1] = { [WPP_CHUNK_TOKENS] = 1 };

struct wpp_thread *__wpp_self(void)
{
    return self;
}

/* ---- The chunk's geometry ---------------------------------------------------------- */

static bool in_chunk(const struct wpp_thread *t, const uint32_t *at)
{
    return t->done <= at && at <= __wpp_chunk_end(t);
}

/* The first free slot from `at` on; the chunk's end if there is none. */
static uint32_t *first_free(const struct wpp_thread *t, uint32_t *at)
{
    while (at < __wpp_chunk_end(t) && __atomic_load_n(at, __ATOMIC_ACQUIRE))
        at++;
    return at;
}

/* The number of tokens between `done` and the first 0.  Their thread may be adding more. */
static uint32_t pending(const struct wpp_thread *t)
{
    return (uint32_t)(first_free(t, t->done) - t->done);
}

static void check_thread(const struct wpp_thread *t)
{
    WPP_EXPECT(t->behind != 0);
    WPP_EXPECT(__wpp_chunk_start(t) <= t->done && t->done <= __wpp_chunk_end(t));
    WPP_EXPECT(t->tid != 0 && t->rounds <= PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void unlink_thread(struct wpp_thread *t)
{
    struct wpp_thread **link = &__wpp_threads;

    while (*link && *link != t)
        link = &(*link)->next;
    WPP_EXPECT(*link == t);
    if (*link)
        *link = t->next;
}

/* ---- Handing over ------------------------------------------------------------------------ */

/* Writes in place.  The header overwrites tokens that an old cursor may point at, so they are
 * restored. */
static void write_own(struct wpp_thread *t, uint32_t count)
{
    uint32_t before[HEADER_WORDS], *header = t->done - HEADER_WORDS;

    for (int i = 0; i < HEADER_WORDS; i++)
        before[i] = header[i];
    __wpp_record_tokens(t, count);
    for (int i = 0; i < HEADER_WORDS; i++)
        header[i] = before[i];
}

/* Tokens recorded while recording is stopped get no number in the stream. */
static void throw_away(struct wpp_thread *t, uint32_t count)
{
    __wpp_process.skipped += count;
    t->gap = true;
    t->done += count;
    __wpp_chunk_goes_on(t);
}

/* The `count` tokens at `done` go to the trace, or are counted as lost.  Another thread runs
 * meanwhile and must not find a header among its tokens, so its tokens are copied. */
static void hand_over_piece(struct wpp_thread *t, uint32_t count)
{
    if (__wpp_process.state == WPP_RECORDING) {
        if (t == self)
            write_own(t, count);
        else
            __wpp_record_thread(t, WPP_REC_TOKENS, t->done, 4 * count);
        if (__wpp_process.state == WPP_RECORDING)
            __wpp_process.written += count;
    }
    if (__wpp_process.state == WPP_STOPPED)
        __wpp_process.lost += count;
    t->first += count;
    t->done += count;
}

static void hand_over(struct wpp_thread *t, uint32_t count)
{
    const uint32_t most = t == self ? WPP_CHUNK_TOKENS : WPP_PAYLOAD_BYTES / 4;

    check_thread(t);
    if (__wpp_process.paused && count) {
        throw_away(t, count);
        return;
    }
    while (count) {
        uint32_t n = count < most ? count : most;

        hand_over_piece(t, n);
        count -= n;
    }
}

void __wpp_thread_flush(struct wpp_thread *t)
{
    hand_over(t, pending(t));
}

void __wpp_threads_flush(void)
{
    for (struct wpp_thread *t = __wpp_threads; t; t = t->next)
        if (t->begun)
            __wpp_thread_flush(t);
}

void __wpp_thread_show(struct wpp_thread *t)
{
    volatile struct wpp_buffer *buffer = __wpp_buffer_of(t);

    buffer->tid = __wpp_process.paused ? 0 : t->tid;
}

/* Writes a Gap where tokens are missing. */
void __wpp_thread_goes_on(struct wpp_thread *t)
{
    const uint32_t word = WPP_GAP;

    if (t->begun && t->gap && __wpp_process.state == WPP_RECORDING) {
        __wpp_record_thread(t, WPP_REC_TOKENS, &word, sizeof word);
        __wpp_process.written++;
        t->first++;
        __wpp_chunk_goes_on(t);
    }
    t->gap = false;
    __wpp_thread_show(t);
}

/* Writes a record with the calling thread's name. */
static void record_named(struct wpp_thread *t, uint16_t kind)
{
    char name[16];

    name[0] = '\0';
    sys3(SYS_prctl, PR_GET_NAME, (long)name, 0);
    name[15] = '\0';
    __wpp_record_thread(t, kind, name, (uint32_t)text_length(name));
}

/* Hands over everything of the thread and frees its regions.  If it is the calling thread, its
 * next event begins another stream. */
static void end_stream(struct wpp_thread *t)
{
    __wpp_thread_flush(t);
    if (t == self) {
        record_named(t, WPP_REC_THREAD_END);
        self = NULL;
        __wpp_cursor = no_chunk;
    } else {
        __wpp_record_thread(t, WPP_REC_THREAD_END, NULL, 0);
    }
    unlink_thread(t);
    while (t) {
        struct wpp_thread *outer = t->interrupted;

        t->interrupted = NULL;
        __wpp_region_give(t);
        t = outer;
    }
}

/* ---- Beginning ----------------------------------------------------------------------------- */

/* A thread that recorded after its last thread-specific destructor has left its stream open.  If
 * the kernel gives its number to a new thread, the old thread is gone. */
static void end_predecessor(const struct wpp_thread *t)
{
    struct wpp_thread *other = __wpp_threads;

    while (other && (other == t || other->tid != t->tid))
        other = other->next;
    if (other)
        end_stream(other);
}

/* Whether tgkill finds the thread.  It does not find a process made by vfork whose first event
 * began its parent's stream. */
static bool lives(const struct wpp_thread *t)
{
    return sys3(SYS_tgkill, __wpp_process.pid, t->tid, 0) == 0;
}

/* Ends streams of threads that have ended unnoticed: they recorded after our destructor, or libc
 * did not make them.  Otherwise a program that starts many such threads would run out of memory.
 * The search runs when the number of new threads exceeds the last count of live ones by SOME. */
static void end_the_dead(void)
{
    enum { SOME = 64 };
    static uint32_t begun, enough = SOME;
    struct wpp_thread *next;

    if (++begun < enough || __wpp_sandboxed())
        return;
    begun = 0;
    enough = SOME;
    for (struct wpp_thread *t = __wpp_threads; t; t = next) {
        next = t->next;
        if (t->findable && !lives(t))
            end_stream(t);
        else
            enough++;
    }
}

static void begin_stream(struct wpp_thread *t)
{
    t->tid = sys_gettid();
    t->findable = !__wpp_sandboxed() && lives(t);
    end_predecessor(t);
    t->sequence = 0;
    t->rounds = 0;
    t->begun = true;
    t->gap = false;
    record_named(t, WPP_REC_THREAD);
    if (unkept) {
        __wpp_record_thread(t, WPP_REC_LOST, &unkept, sizeof unkept);
        t->first += unkept;
        unkept = 0;
        __wpp_chunk_clear(t, t->first);
    }
    __wpp_thread_show(t);
}

static void arm(void *t)
{
    pthread_setspecific(ended_key, t);
}

/* libc may use vector registers, in which the emitted code has live values. */
static void arm_keeping_vectors(struct wpp_thread *t)
{
    if (have_key)
        __wpp_keep_vectors(arm, t, t->vectors, use_xsave);
}

/* Opens a stream at the thread's first event, or at the first after its last chunk went away.
 * NULL: there is no chunk. */
static uint32_t *open_thread(void)
{
    struct wpp_thread *t = self;

    if (!__wpp_process_ready())
        return NULL;
    if (!t) {
        end_the_dead();
        t = __wpp_region_take();
        if (!t)
            return NULL;
        t->findable = false;
        t->next = __wpp_threads;
        __wpp_threads = t;
        t->first = 0;
        t->begun = false;
        t->interrupted = NULL;
        t->left = false;
        __wpp_chunk_clear(t, 0);
        self = t;
    }
    if (!t->begun)
        begin_stream(t);
    if (t->done == __wpp_chunk_end(t))
        __wpp_chunk_clear(t, t->first);
    check_thread(t);
    return t->done;
}

/* Counts the slots of `nowhere` as lost when it gives them to a thread. */
static uint32_t *lose_a_chunk(uint32_t *at)
{
    static bool told;

    if (nowhere <= at && at < nowhere + WPP_CHUNK_TOKENS)
        for (; at < nowhere + WPP_CHUNK_TOKENS; at++)
            if (!*at)
                return at;
    if (!told)
        __wpp_complain_of_memory("a thread's events", "; they are lost");
    told = true;
    unkept += WPP_CHUNK_TOKENS;
    __wpp_process.lost += WPP_CHUNK_TOKENS;
    words_clear(nowhere, WPP_CHUNK_TOKENS / 2);
    return nowhere;
}

static uint32_t *next_chunk(void)
{
    hand_over(self, (uint32_t)(__wpp_chunk_end(self) - self->done));
    __wpp_chunk_clear(self, self->first);
    return self->done;
}

/* The first free slot of a thread that has a chunk.  `at` is the emitted code's cursor: often
 * the chunk's end, otherwise an old cursor. */
static uint32_t *go_on(uint32_t *at)
{
    if (!in_chunk(self, at))
        at = in_chunk(self, __wpp_cursor) ? __wpp_cursor : self->done;
    at = first_free(self, at);
    return at < __wpp_chunk_end(self) ? at : next_chunk();
}

/* Before recording begins each event comes here, so that the count is exact.  Maybe this runtime
 * is not relocated, libc has not begun, and the thread's variables will be set again.  So
 * nothing else is touched. */
static uint32_t *pass_early(void)
{
    __atomic_fetch_add(&__wpp_process.early, 1, __ATOMIC_RELAXED);
    return no_chunk;
}

/* Called by refill.S: the slot at `at` is taken. */
uint32_t *__wpp_refill_slow(uint32_t *at)
{
    uint64_t mask;
    bool opened = false;

    if (!__atomic_load_n(&__wpp_process.known, __ATOMIC_RELAXED))
        return pass_early();
    mask = __wpp_enter();
    if (self && self->begun) {
        at = go_on(at);
    } else {
        uint32_t *first;
        opened = !self;
        first = open_thread();
        if (!first)
            first = lose_a_chunk(at), opened = false;
        at = first;
    }
    __wpp_cursor = at;
    __wpp_unlock();
    /* Signals are still blocked: a thread cancelled here must already have its destructor. */
    if (opened)
        arm_keeping_vectors(self);
    __wpp_unblock(mask);
    return at;
}

/* Called by refill.S at the beginning of an IFUNC resolver.  While ld.so relocates, the thread's
 * variables exist but do not have their first values. */
void __wpp_resolver_slow(void)
{
    if (!__wpp_own_cursor)
        __wpp_own_cursor = no_chunk;
}

/* ---- Signal handlers -------------------------------------------------------------------------- */

/* The alternate stack that the caller is on, or NULL. */
static const char *alternate_stack(void)
{
    stack_t s = {.ss_flags = 0};

    sys3(SYS_sigaltstack, 0, (long)&s, 0);
    return s.ss_flags & SS_ONSTACK ? s.ss_sp : NULL;
}

/* Frees the regions of handlers that were left by siglongjmp; a program may do that again and
 * again.  A left handler's interrupted region is not needed if the handler before it has been
 * left as well.  A handler has been left if a new handler begins on the same stack at or above
 * its frame.  Programs with stacks of their own may mislead this test, so the last few handlers
 * are not judged. */
static void forget_left_handlers(const char *frame, const char *stack)
{
    enum { NOT_JUDGED = 8 };
    struct wpp_thread *t = self, *before;

    for (int i = 0; i < NOT_JUDGED && t->interrupted; i++)
        t = t->interrupted;
    for (; t->interrupted; t = before) {
        before = t->interrupted;
        t->left |= t->stack == stack && t->frame <= frame;
        while (t->left && before->left) {
            t->interrupted = before->interrupted;
            __wpp_region_give(before);
            before = t->interrupted;
        }
    }
}

/* The cursor, if it points outside the chunk, at a word that sends the next event to the
 * runtime.  The emitted code sets it so before a call that makes a process. */
static uint32_t *cursor_elsewhere(const struct wpp_thread *t)
{
    bool in_memory = __wpp_chunk_start(t) <= __wpp_cursor && __wpp_cursor <= __wpp_chunk_end(t);

    return in_memory ? NULL : __wpp_cursor;
}

static bool is_counting(const struct wpp_module *module, void *ctx)
{
    (void)module, (void)ctx;
    return true;
}

/* A process made by vfork or by an unseen system call has its parent's variables.  What counts paths
 * has no streams. */
struct wpp_thread *__wpp_thread_at_fault(void)
{
    if (self && self->begun)
        return self->tid == sys_gettid() ? self : NULL;
    if (sys_getpid() != __wpp_process.pid || __wpp_counts_any(is_counting, NULL))
        return NULL;
    return open_thread() ? self : NULL;
}

/* Hands over the thread's tokens, so that the handler's events follow them, and puts the
 * interrupted chunk aside. */
struct wpp_thread *__wpp_signal_begin_slow(void)
{
    uint64_t mask = __wpp_enter();
    struct wpp_thread *outer = self, *t = outer && outer->begun ? __wpp_region_take() : NULL;

    if (t) {
        t->frame = __builtin_frame_address(0);
        t->stack = alternate_stack();
        t->left = false;
        forget_left_handlers(t->frame, t->stack);
        hand_over(outer, pending(outer));
        outer->elsewhere = cursor_elsewhere(outer);
        __wpp_chunk_clear(t, outer->first);
        t->tid = outer->tid;
        t->sequence = outer->sequence;
        t->first = outer->first;
        t->rounds = outer->rounds;
        t->begun = true;
        t->findable = outer->findable;
        t->gap = outer->gap;
        t->interrupted = outer;
        t->next = __wpp_threads;
        __wpp_threads = t;
        unlink_thread(outer);
        __wpp_thread_show(t);
        self = t;
        __wpp_cursor = t->done;
    }
    __wpp_leave(mask);
    return t;
}

/* Whether the calling thread writes to `t`, or did when a handler interrupted it. */
static bool is_mine(const struct wpp_thread *t)
{
    const struct wpp_thread *mine = self;

    while (mine && mine != t)
        mine = mine->interrupted;
    return mine != NULL;
}

/* Ends the latest handler and restores the chunk that it interrupted. */
static void leave_handler(void)
{
    struct wpp_thread *t = self, *outer = t->interrupted;

    hand_over(t, pending(t));
    unlink_thread(t);
    outer->sequence = t->sequence;
    outer->first = t->first;
    outer->rounds = t->rounds;
    outer->gap = t->gap;
    outer->next = __wpp_threads;
    __wpp_threads = outer;
    t->interrupted = NULL;
    __wpp_region_give(t);
    __wpp_chunk_goes_on(outer);
    __wpp_thread_show(outer);
    self = outer;
    __wpp_cursor = outer->elsewhere ? outer->elsewhere : outer->done;
}

/* Handlers above `t` were left by a jump and did not come here: they end with `t`. */
void __wpp_signal_end_slow(struct wpp_thread *t)
{
    uint64_t mask = __wpp_enter();

    if (is_mine(t) && t->interrupted) {
        while (self != t)
            leave_handler();
        leave_handler();
    }
    __wpp_leave(mask);
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* The destructor of thread-specific data.  Other destructors may be traced code, so the stream
 * ends in the last round.  Later events open a new stream, which the end of the process hands
 * over. */
static void thread_ended(void *argument)
{
    struct wpp_thread *t = argument;
    uint64_t mask = __wpp_enter();
    bool again = false;

    if (is_mine(t)) {
        again = ++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS;
        if (!again) {
            while (self != t)
                leave_handler();
            end_stream(t);
        }
    }
    __wpp_leave(mask);
    if (again)
        pthread_setspecific(ended_key, t);
}

/* ---- Forks ------------------------------------------------------------------------------------ */

/* In a child: whether the window exists.  It is a growing stack there (chunk.c), and a limit may
 * prevent it from growing. */
static bool has_window(const struct wpp_thread *t)
{
    return sys_can_read(__wpp_chunk_start(t));
}

/* In a child whose chunk holds only its own tokens: the first of them, or the cursor. */
static uint32_t *first_of_child(const struct wpp_thread *t)
{
    uint32_t *at = __wpp_chunk_start(t);

    while (at < __wpp_chunk_end(t) && !*at)
        at++;
    return at < __wpp_chunk_end(t) || !in_chunk(t, __wpp_cursor) ? at : __wpp_cursor;
}

static void leave_others(void)
{
    __wpp_threads = NULL;
    unkept = 0;
    __wpp_regions_forked();
}

/* Leaves the parent's chunks alone: their windows are not mapped here.  Code that a handler
 * interrupted goes on with its cursor in a register, so no slot may be free where that points. */
void __wpp_threads_leave(void)
{
    for (const struct wpp_thread *t = self ? self->interrupted : NULL; t; t = t->interrupted)
        if (has_window(t))
            words_fill(__wpp_chunk_start(t), WPP_CHUNK_TOKENS / 2);
    self = NULL;
    __wpp_cursor = no_chunk;
    leave_others();
}

/* Goes on in the same chunks: the running code, and the code that a handler interrupted, may
 * have their cursors in registers. */
static void take_chunks(uint32_t *begin)
{
    self->done = begin;
    self->first = 0;
    self->next = NULL;
    self->begun = false;
    leave_others();
    __wpp_threads = self;
    __wpp_process_ready();
    begin_stream(self);
    hand_over(self, pending(self));
    __wpp_region_keep(self);
    __wpp_thread_show(self);
    for (struct wpp_thread *t = self->interrupted; t; t = t->interrupted) {
        t->tid = self->tid;
        t->findable = self->findable;
        __wpp_region_keep(t);
    }
}

void __wpp_threads_forked(bool by_libc)
{
    uint32_t *begin = self && self->begun && has_window(self) ? first_of_child(self) : NULL;

    if (begin && begin < __wpp_chunk_end(self) && (*begin || !by_libc))
        take_chunks(begin);
    else
        __wpp_threads_leave();
}

void __wpp_threads_start(void)
{
    have_key = !__wpp_others_apart() && !__wpp_others_record()
               && pthread_key_create(&ended_key, thread_ended) == 0;
    use_xsave = sys_has_xsave();
}

/* The calling thread unloads the last module.  If the process ends, other threads may still run
 * in one. */
void __wpp_threads_free(void)
{
    struct wpp_thread *next;

    for (struct wpp_thread *t = __wpp_threads; t; t = next) {
        next = t->next;
        if (t->begun && !t->interrupted && (t == self || (t->findable && !lives(t))))
            end_stream(t);
    }
    __wpp_regions_free();
}
