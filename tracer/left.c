/* SPDX-License-Identifier: MIT */
/* left.c - activations that are left in a call (trace-abi.h, LEFT CALLS).
 *
 * When activations are about to be left, the frames of the thread's stack are looked at:
 *
 *     frame    address behind its call, stack pointer, registers that calls keep
 *
 * A frame whose address has an entry in a module's `wpp_left` was on a path that nobody will count.
 * How many were left where is kept in windows of slots, which are hash tables by token and block:
 *
 *     windows -> | header | slot slot slot ... |  -> the next one, for when three quarters are full
 *
 * A window lies in the trace's file or in the recorder's memory if that is possible, as a LEFT record,
 * and is complete there at any time.  Otherwise it is written before END.
 *
 * The unwinder takes locks of libc's, so it runs without the runtime's.  frame-walk.c is for longjmp.
 */
#include "tracer/runtime.h"

#include <errno.h>

#include "tracer/sys.h"
#include "tracer/text.h"

enum { SLOTS = 2048, MOST_USED = SLOTS / 4 * 3 };

struct window {
    struct window *next;
    struct wpp_left *slots;     /* SLOTS of them */
    uint32_t used;
    uint64_t generation;        /* of the modules that its slots are about, if it is another process's */
    enum wpp_kept kept;         /* in the trace's file */
};

enum { SP = 2 };                /* of struct wpp_frame */

/* Frames of a stack, the innermost first. */
struct frames {
    struct wpp_frame *at;
    size_t n, room;
    bool mapped;                /* `at` is memory of its own */
    bool full;                  /* there were more, but no memory for them */
    uint64_t end;               /* stack pointer of the first frame that stays; 0: none stays */
};

/* The entries of a module, sorted when they are first needed. */
struct table {
    struct table *next;
    const struct wpp_module *module;
    size_t n;
    uint64_t from;              /* 2 GB below the entries' section: no address of code is below */
    uint64_t sorted[];
};

/* What was counted for the frame with this address the last time: programs that jump do so again and
 * again from the same places.  Each thread has its own, so no lock is needed; the slots are shared. */
enum { KNOWN = 256 };
struct known {
    uint64_t address;
    const struct wpp_left_call *call;   /* NULL: the frame is of no such call */
    struct wpp_left *slot;
    uint64_t generation;        /* of the modules, or the entry is too old */
    uint32_t number;            /* within the unit */
};

static struct window *windows;
static struct table *tables;
static bool any_calls;          /* there has been a module with entries */
static uint64_t generation;
static __thread struct known *known;
static __thread bool all_left;  /* all frames of this thread's stack are counted */

/* ---- Slots --------------------------------------------------------------------------- */

static void keep_window(struct window *w)
{
    struct wpp_counts head = { 0, SLOTS, 0, 0 };

    if (__wpp_process.state == WPP_RECORDING && __wpp_output_keeps_pages() && !__wpp_sandboxed())
        w->kept = __wpp_output_keep_counts(WPP_REC_LEFT, NULL, w->slots,
                                           SLOTS * sizeof *w->slots, &head);
    for (uint32_t i = 0; w->kept == WPP_TAKEN_OVER && i < SLOTS; i++)
        w->used += w->slots[i].count > 0;
    w->generation = generation;
    if (w->kept == WPP_NOT_KEPT)
        __wpp_counts_apart();
}

static struct window *new_window(void)
{
    struct window *w = sys_map(sizeof *w);

    if (!w)
        return NULL;
    w->slots = sys_map(SLOTS * sizeof *w->slots);
    if (!w->slots) {
        sys_unmap(w, sizeof *w);
        return NULL;
    }
    keep_window(w);
    return w;
}

static void free_windows(void)
{
    struct window *next;

    for (struct window *w = windows; w; w = next) {
        next = w->next;
        sys_unmap(w->slots, SLOTS * sizeof *w->slots);
        sys_unmap(w, sizeof *w);
    }
    windows = NULL;
}

/* The slot of the token and block in a window, or the free one for them; NULL: it is full. */
static struct wpp_left *slot_in(struct window *w, uint32_t token, uint32_t block)
{
    uint32_t i = (token * UINT32_C(0x9E3779B1)) ^ (block * UINT32_C(0x85EBCA77));

    for (i = i >> 8;; i++) {
        struct wpp_left *slot = &w->slots[i % SLOTS];

        if (slot->count > 0 && (slot->token != token || slot->block != block))
            continue;
        if (slot->count == 0 && w->used == MOST_USED)
            return NULL;
        w->used += slot->count == 0;
        return slot;
    }
}

static struct wpp_left *count_left(uint32_t token, uint32_t block)
{
    struct window **link = &windows;
    struct wpp_left *slot = NULL;

    while (!slot) {
        if (!*link && !(*link = new_window()))
            break;
        if ((*link)->kept != WPP_TAKEN_OVER || (*link)->generation == generation)
            slot = slot_in(*link, token, block);
        link = &(*link)->next;
    }
    if (!slot) {
        __wpp_process.lost++;
        return NULL;
    }
    slot->token = token;
    slot->block = block;
    __atomic_fetch_add(&slot->count, 1, __ATOMIC_RELAXED);
    return slot;
}

/* ---- Entries --------------------------------------------------------------------------- */

static uint64_t address_of(const struct wpp_left_call *call)
{
    return (uint64_t)((const char *)&call->address + call->address);
}

/* The number within the unit. */
static uint32_t number_of(const struct wpp_frame *f, const struct wpp_left_call *call)
{
    uint64_t sum = call->number;

    WPP_EXPECT(call->reg < WPP_FRAME_REGISTERS);
    if (call->how == WPP_LEFT_REGISTER)
        sum += f->reg[call->reg];
    else if (call->how == WPP_LEFT_MEMORY)
        sum += *(const uint64_t *)(f->reg[call->reg] + (uint64_t)(int64_t)call->offset);
    return (uint32_t)sum;
}

/* A wrong frame must not become a wrong count. */
static struct wpp_left *take_frame(const struct wpp_frame *f, const struct wpp_left_call *call)
{
    const struct wpp_unit *unit = (const struct wpp_unit *)((const char *)&call->unit + call->unit);
    uint32_t number = number_of(f, call);

    if (call->how == WPP_LEFT_UNKNOWN || number >= unit->count)
        return count_left(0, 0);
    return count_left(unit->base + number, call->block);
}

/* Sorts by insertion into longer and longer parts (Shell). */
static void sort_words(uint64_t *at, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            uint64_t word = at[i];
            size_t to = i;

            for (; to >= gap && at[to - gap] > word; to -= gap)
                at[to] = at[to - gap];
            at[to] = word;
        }
}

/* The first of n sorted words that is not below this one. */
static size_t word_from(const uint64_t *at, size_t n, uint64_t word)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (at[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The module's entries by address: distance of the address from the table << 32 | number. */
static struct table *table_of(const struct wpp_module *m)
{
    struct table *t = tables;
    size_t n = (size_t)(m->left_end - m->left);

    while (t && t->module != m)
        t = t->next;
    if (t || n == 0)
        return t;
    t = sys_map(sizeof *t + n * sizeof *t->sorted);
    if (!t)
        return NULL;
    *t = (struct table){ tables, m, n, address_of(m->left) - (UINT64_C(1) << 31) };
    for (size_t i = 0; i < n; i++)
        t->sorted[i] = (address_of(&m->left[i]) - t->from) << 32 | i;
    sort_words(t->sorted, n);
    return tables = t;
}

static const struct wpp_left_call *find_call(const struct wpp_module *m, uint64_t address)
{
    const struct table *t = table_of(m);
    uint64_t distance = t ? address - t->from : 0;
    size_t i = t ? word_from(t->sorted, t->n, distance << 32) : 0;

    if (!t || distance >> 32 || i == t->n || t->sorted[i] >> 32 != distance)
        return NULL;
    return &m->left[(uint32_t)t->sorted[i]];
}

struct search {
    uint64_t address;
    const struct wpp_left_call *call;
};

static bool has_call(const struct wpp_module *m, void *search)
{
    struct search *s = search;

    s->call = find_call(m, s->address);
    return s->call != NULL;
}

/* ---- Known frames ----------------------------------------------------------------------- */

static struct known *known_at(uint64_t address)
{
    return &known[address * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

/* Counts the frame, if it is known.  A signal handler may change the entry meanwhile. */
static bool count_known(const struct wpp_frame *f)
{
    struct known *kept = known ? known_at(f->address) : NULL, k;

    if (!kept)
        return false;
    k = *kept;
    __asm__ volatile("" ::: "memory");
    if (k.address != f->address || k.generation != generation || kept->address != k.address
        || kept->slot != k.slot || kept->number != k.number || kept->call != k.call)
        return false;
    if (k.call && (!k.slot || number_of(f, k.call) != k.number))
        return false;
    if (k.call)
        __atomic_fetch_add(&k.slot->count, 1, __ATOMIC_RELAXED);
    return true;
}

/* Counts the frame with the lock, and remembers how. */
static void count_frame(const struct wpp_frame *f)
{
    struct search s = { f->address, NULL };
    struct wpp_left *slot = NULL;

    __wpp_counts_any(has_call, &s);
    if (s.call)
        slot = take_frame(f, s.call);
    if (!known)
        known = sys_map(KNOWN * sizeof *known);
    if (known)
        *known_at(f->address) = (struct known){
            f->address, s.call, slot, generation, s.call ? number_of(f, s.call) : 0
        };
}

static void change_modules(void)
{
    generation++;
    if (windows)
        __wpp_merge_keep_left();
}

static __typeof(__wpp_personality) *own_personality;     /* of C++ */

void __wpp_left_add(const struct wpp_module *m)
{
    any_calls |= m->left < m->left_end;
    if (m->personality)
        own_personality = (__typeof(own_personality))*m->personality;
    change_modules();
}

void __wpp_left_ready(void)
{
    if (any_calls)
        __wpp_frames_ready();
}

void __wpp_left_take(const struct wpp_module *m)
{
    struct table **link = &tables, *t;

    change_modules();
    while (*link && (*link)->module != m)
        link = &(*link)->next;
    t = *link;
    if (!t)
        return;
    *link = t->next;
    sys_unmap(t, sizeof *t + t->n * sizeof *t->sorted);
}

/* ---- Stacks ------------------------------------------------------------------------------ */

static bool make_room(struct frames *f)
{
    size_t room = 4 * f->room;
    struct wpp_frame *at = sys_map(room * sizeof *at);

    f->full = !at;
    if (!at)
        return false;
    bytes_copy(at, f->at, f->n * sizeof *at);
    if (f->mapped)
        sys_unmap(f->at, f->room * sizeof *at);
    f->mapped = true;
    f->at = at;
    f->room = room;
    return true;
}

static _Unwind_Reason_Code take_context(struct _Unwind_Context *context, void *to)
{
    struct frames *f = to;
    struct wpp_frame frame;

    if (!__wpp_frame_of(context, &frame) || (f->end && frame.reg[SP] >= f->end))
        return _URC_NORMAL_STOP;
    if (f->n == f->room && !make_room(f))
        return _URC_NORMAL_STOP;
    f->at[f->n++] = frame;
    return _URC_NO_REASON;
}

/* Takes the frames from this one up to `end`.  False: one of them is not so simple. */
static bool walk(struct frames *f, const struct wpp_frame *first)
{
    struct wpp_frame frame = *first;

    while (frame.reg[SP] < f->end) {
        if (f->n == f->room && !make_room(f))
            return false;
        f->at[f->n++] = frame;
        if (!__wpp_frame_caller(&frame))
            return false;
    }
    return true;
}

/* Whether the unwinder did not come to the end: without memory, or because code has no description.
 * Then the last frame is of that code.  Behind the outermost frame there is one with address 0.  Static programs do not
 * describe the code at their entry, which is the outermost one. */
static bool is_cut(const struct frames *f)
{
    enum { START_BYTES = 64 };
    extern const char _start[] __attribute__((weak));
    const struct wpp_frame *last = f->n > 0 ? &f->at[f->n - 1] : NULL;

    return f->full || !last || (last->address && last->address - (uint64_t)_start > START_BYTES
                     && !__wpp_frame_is_described(last));
}

/* Counts the frames that are known. */
static void drop_known(struct frames *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        if (!count_known(&f->at[i]))
            f->at[n++] = f->at[i];
    f->n = n;
}

/* Counts the frames of the calling thread's stack below `end`; `first` may be NULL. */
static void count_stack(const struct wpp_frame *first, uint64_t end)
{
    enum { FEW = 16 };
    struct wpp_frame few[FEW];
    struct frames f = { few, 0, FEW, false, false, end };
    uint64_t mask;
    bool found = first && end && walk(&f, first);

    if (!found) {
        f.n = 0;
        found = __wpp_frames_each(take_context, &f) && !is_cut(&f);
    }
    drop_known(&f);
    if (!found || f.n > 0) {
        mask = __wpp_enter();
        if (!found)
            count_left(0, 0);
        for (size_t i = 0; i < f.n; i++)
            count_frame(&f.at[i]);
        __wpp_leave(mask);
    }
    if (f.mapped)
        sys_unmap(f.at, f.room * sizeof *f.at);
}

/* ---- Leaving ----------------------------------------------------------------------------- */

enum { MOST_STACK = 1 << 30 };

/* The stack pointer in a jmp_buf.  glibc turns it and adds a secret of the thread's to it. */
static uint64_t stack_pointer_in(const void *env)
{
    enum { AT = 6 };
    uint64_t word = ((const uint64_t *)env)[AT], here = (uint64_t)__builtin_frame_address(0);
    uint64_t secret;

    __asm__("movq %%fs:0x30, %0" : "=r"(secret));
    if (word > here && word - here < MOST_STACK)
        return word;
    word = (word >> 17 | word << 47) ^ secret;
    return word > here && word - here < MOST_STACK ? word : 0;
}

/* Called by refill.S when the emitted code says that activations are about to be left: those below
 * the stack pointer in the jmp_buf, or all of the thread.  If a handler of SIGABRT jumps out of
 * abort(), those that it jumps to have been counted nevertheless. */
void __wpp_leaving_slow(const void *env, const struct wpp_frame *caller)
{
    int error = errno;
    uint64_t end = env ? stack_pointer_in(env) : 0;
    uint64_t mask;

    /* A child of vfork leaves its parent's frames, which stay. */
    if (all_left || !any_calls || (!env && sys_getpid() != __wpp_process.pid))
        return;
    all_left = !env;
    if (!env || end) {
        count_stack(caller, end);
    } else {
        mask = __wpp_enter();
        count_left(0, 0);
        __wpp_leave(mask);
    }
    errno = error;
}

struct words { uint64_t at[512]; size_t n; };

static bool has_a_word(const struct wpp_module *m, void *words)
{
    const struct words *w = words;

    for (const struct wpp_left_call *call = m->left; call < m->left_end; call++) {
        size_t i = word_from(w->at, w->n, address_of(call));

        if (i < w->n && w->at[i] == address_of(call))
            return true;
    }
    return false;
}

/* Whether the stack may have a frame of an instrumented routine.  Mostly main has returned, and
 * libc's few frames are all that is left: then no unwinder is needed. */
static bool may_have_frames(void)
{
    extern void *__libc_stack_end __attribute__((weak));
    const uint64_t *at = __builtin_frame_address(0);
    const uint64_t *end = &__libc_stack_end ? __libc_stack_end : NULL;
    struct words words = { .n = 0 };
    uint64_t mask;
    bool found;

    if (at >= end || (size_t)(end - at) > sizeof words.at / sizeof *words.at)
        return true;
    while (at < end)
        words.at[words.n++] = *at++;
    sort_words(words.at, words.n);
    mask = __wpp_enter();
    found = __wpp_counts_any(has_a_word, &words);
    __wpp_leave(mask);
    return found;
}

void __wpp_left_at_exit(void)
{
    int error = errno;

    if (!all_left && any_calls && sys_getpid() == __wpp_process.pid && may_have_frames())
        count_stack(NULL, 0);
    all_left = true;
    errno = error;
}

/* ---- Exceptions --------------------------------------------------------------------------- */

static void take_passed(struct _Unwind_Context *context)
{
    struct wpp_frame frame;
    uint64_t mask;

    if (!__wpp_frame_of(context, &frame) || count_known(&frame))
        return;
    mask = __wpp_enter();
    count_frame(&frame);
    __wpp_leave(mask);
}

/* The personality of routines that have no other: an exception, or the end of a thread, passes. */
_Unwind_Reason_Code __wpp_personality(int version, _Unwind_Action actions,
                                      _Unwind_Exception_Class kind,
                                      struct _Unwind_Exception *exception,
                                      struct _Unwind_Context *context)
{
    (void)version, (void)kind, (void)exception;
    if (actions & _UA_CLEANUP_PHASE)
        take_passed(context);
    return _URC_CONTINUE_UNWIND;
}

/* That of routines of C++: some of its calls may have no handler. */
_Unwind_Reason_Code __wpp_personality_cxx(int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class kind,
                                          struct _Unwind_Exception *exception,
                                          struct _Unwind_Context *context)
{
    _Unwind_Reason_Code code = own_personality(version, actions, kind, exception, context);

    if (code == _URC_CONTINUE_UNWIND && (actions & _UA_CLEANUP_PHASE))
        take_passed(context);
    return code;
}

/* ---- The trace ----------------------------------------------------------------------------- */

void __wpp_left_pause(void)
{
    for (struct window *w = windows; w; w = w->next)
        __wpp_record_left(WPP_REC_PAUSE_LEFT, w->slots, SLOTS);
}

void __wpp_left_end(void)
{
    for (struct window *w = windows; w; w = w->next)
        if (w->kept == WPP_NOT_KEPT)
            __wpp_record_left(WPP_REC_LEFT, w->slots, SLOTS);
}

void __wpp_left_forked(void)
{
    generation++;
    free_windows();
}
