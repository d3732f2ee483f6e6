/* SPDX-License-Identifier: MIT */
/* counts.c - the counters of modules whose paths are counted (trace-abi.h, COUNTERS).
 *
 *            the module's own           copies, at the distance that a thread's %gs base says
 *     place  | counters at home | - - - | home + distance 1 | - - - | home + distance 2 | - -
 *
 * A copy belongs to one thread at a time: nobody else adds to its counters.  It lies in the trace's
 * file if that is possible, in COUNTS records, and is complete there at any time, however the
 * process ends.  A copy whose thread has ended goes to the next new thread as it is, for counts
 * only add up.
 *
 * The distances are the same for all modules.  An executable's counters have their home where the
 * linker put them.  A library's get one near the executable's, so that the copies of both lie near
 * each other, and far from anything else.
 *
 *     home of the executable, LIBRARIES behind it: homes of libraries, within SPAN
 *     FIRST_DISTANCE behind that: the copies, one SPAN each
 *
 * An executable that lies high (a static position-independent one; or ld.so was told to run it) has
 * its copies below.  Such a distance is negative, which only the processor's own instruction takes.
 */
#include "tracer/runtime.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define SPAN      (UINT64_C(1) << 32)
#define LIBRARIES (UINT64_C(1) << 30)
#define FIRST_DISTANCE (INT64_C(1) << 40)
#define LAST_DISTANCE  (INT64_C(0x28) << 40)
#define HIGH           (UINT64_C(0x57) << 40)
#define NO_HOME   (UINT64_C(0x18) << 40)    /* stands for the executable's, if that has no counters */
#define WINDOW    (252 * WPP_PAGE_BYTES)    /* the most of one record */

/* The counters of a module. */
struct place {
    struct place *next;
    const struct wpp_module *module;
    char *home;                 /* the page of the first counter */
    size_t bytes;               /* pages */
    uint32_t token, count;      /* of the first counter; counters */
    uint32_t at;                /* bytes from `home` to the first counter */
    bool moved;                 /* home is memory of ours: a library's */
};

/* A thread's copies of all places. */
struct copies {
    struct copies *next;
    int64_t distance;
    uint32_t tid;               /* of its last thread */
    bool findable;              /* tgkill finds the thread as long as it lives */
    bool unkept;                /* some of it is not in the trace's file */
};

WPP_EXPORT __thread unsigned char __wpp_counting;

static __thread struct copies *mine;
static struct place *places;
static struct copies *all;
static uint64_t anchor;         /* the executable's home */
static uint64_t next_home;      /* of the next library */
static int64_t next_distance = FIRST_DISTANCE;     /* without sign */

static char *at_distance(const struct place *p, const struct copies *c)
{
    return p->home + c->distance;
}

static void check_place(const struct place *p)
{
    WPP_EXPECT(((uintptr_t)p->home & (WPP_PAGE_BYTES - 1)) == 0 && p->count > 0);
    WPP_EXPECT(p->at % 8 == 0 && p->at + UINT64_C(8) * p->count <= p->bytes);
}

/* ---- Memory ------------------------------------------------------------------------ */

static bool map_free(char *at, size_t bytes)
{
    char *got = sys_mmap(at, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (got && got != at)
        sys_unmap(got, bytes);      /* a kernel before 4.17 takes the address for a wish */
    return got == at;
}

static void map_zeros(char *at, size_t bytes)
{
    sys_mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The counters of `p` in the window that begins `from` bytes behind a copy's first. */
static struct wpp_counts window_of(const struct place *p, size_t from, size_t bytes, uint32_t tid)
{
    size_t first = from > p->at ? (from - p->at) / 8 : 0;
    size_t end = (from + bytes - p->at) / 8;

    return (struct wpp_counts){
        p->token + (uint32_t)first,
        (uint32_t)((end < p->count ? end : p->count) - first),
        from > p->at ? 0 : p->at, tid
    };
}

/* Makes a copy part of the trace's file. */
static bool keep(const struct place *p, const struct copies *c)
{
    if (__wpp_process.state != WPP_RECORDING || !__wpp_output_keeps_pages() || __wpp_sandboxed())
        return false;
    for (size_t from = 0; from < p->bytes; from += WINDOW) {
        size_t bytes = p->bytes - from < WINDOW ? p->bytes - from : WINDOW;
        struct wpp_counts counts = window_of(p, from, bytes, c->tid);

        if (!__wpp_output_keep_pages(at_distance(p, c) + from, bytes, &counts))
            return false;
    }
    return true;
}

static bool map_copy(const struct place *p, struct copies *c)
{
    if (!map_free(at_distance(p, c), p->bytes))
        return false;
    if (!keep(p, c))
        c->unkept = true;
    return true;
}

static void unmap_copies(const struct copies *c, const struct place *end)
{
    for (const struct place *p = places; p != end; p = p->next)
        sys_unmap(at_distance(p, c), p->bytes);
}

/* Maps the copies of all places at the distance, or none. */
static bool map_copies(struct copies *c)
{
    for (const struct place *p = places; p; p = p->next)
        if (!map_copy(p, c)) {
            unmap_copies(c, p);
            return false;
        }
    return true;
}

/* ---- Threads ------------------------------------------------------------------------- */

/* False: the kernel has not allowed that instruction. */
static bool set_distance(int64_t distance)
{
    enum { FSGSBASE = 2 };

    if (distance >= 0)
        return sys3(SYS_arch_prctl, ARCH_SET_GS, (long)distance, 0) == 0;
    if (!(getauxval(AT_HWCAP2) & FSGSBASE))
        return false;
    __asm__ volatile("wrgsbase %0" : : "r"(distance));
    return true;
}

static struct copies *new_copies(uint32_t tid)
{
    struct copies *c = sys_map(sizeof *c);

    if (!c)
        return NULL;
    c->tid = tid;
    for (; next_distance <= LAST_DISTANCE; next_distance += SPAN) {
        c->distance = anchor < HIGH ? next_distance : -next_distance;
        if (map_copies(c)) {
            next_distance += SPAN;
            c->next = all;
            return all = c;
        }
    }
    sys_unmap(c, sizeof *c);
    return NULL;
}

/* Looks at a few copies each time: a program may have many threads. */
static struct copies *abandoned(uint32_t tid)
{
    enum { SOME = 32 };
    static struct copies *next;

    for (struct copies *c = all; c; c = c->next)
        if (c->tid == tid)
            return c;
    for (int i = 0; i < SOME && all; i++) {
        struct copies *c = next ? next : all;

        next = c->next;
        if (c->findable && sys3(SYS_tgkill, __wpp_process.pid, c->tid, 0) == -ESRCH)
            return c;
        if (!next)
            break;
    }
    return NULL;
}

/* Gives the calling thread counters of its own.  Without memory it keeps its creator's, and says so:
 * then increments may be lost. */
static void begin_thread(void)
{
    uint32_t tid = sys_gettid();
    struct copies *c = abandoned(tid);
    static bool told;

    if (!c)
        c = new_copies(tid);
    if (c) {
        c->tid = tid;
        c->findable = !__wpp_sandboxed() && sys3(SYS_tgkill, __wpp_process.pid, tid, 0) == 0;
        if (set_distance(c->distance))
            mine = c;
    }
    if (!mine && !told) {
        __wpp_complain_of_memory("a thread's counters", "; it shares those of another thread, and "
                                 "counts may be too small");
        told = true;
    }
    __wpp_counting = 1;
}

/* Called by refill.S.  Before the runtime knows the process, the thread's variables may not be its
 * own yet, and counters at home are right. */
void __wpp_count_thread_slow(void)
{
    uint64_t mask;

    if (!__atomic_load_n(&__wpp_process.known, __ATOMIC_RELAXED))
        return;
    mask = __wpp_enter();
    if (!__wpp_counting && places)
        begin_thread();
    __wpp_leave(mask);
}

/* ---- Modules ----------------------------------------------------------------------- */

static const struct wpp_unit *first_counting(const struct wpp_module *m)
{
    const struct wpp_unit *unit = m->begin;

    while (unit < m->end && !(unit->flags & WPP_UNIT_COUNTS))
        unit++;
    return unit < m->end ? unit : NULL;
}

const char *__wpp_counts_objection(const struct wpp_module *m)
{
    const struct wpp_unit *first = first_counting(m);
    const uint64_t *at = first ? first->times : NULL;

    for (const struct wpp_unit *unit = m->begin; first && unit < m->end; unit++) {
        if (!(unit->flags & WPP_UNIT_COUNTS))
            return ": some of its objects are traced, in others paths are counted; "
                   "compile all with the same -fplugin-arg-wpp-mode";
        if (unit->times != at)
            return ": the linker has put its counters into another order than its units";
        at += unit->count;
    }
    return NULL;
}

/* Gives a library's counters a home within reach. */
static bool move_home(struct place *p, struct wpp_module *m)
{
    uint64_t *at;

    if (next_home == 0)
        next_home = anchor + LIBRARIES;
    for (;; next_home += 16 * WPP_PAGE_BYTES) {
        if (next_home + p->bytes > anchor + SPAN)
            return false;
        if (map_free((char *)next_home, p->bytes))
            break;
    }
    p->home = (char *)next_home;
    p->moved = true;
    next_home += p->bytes;
    at = (uint64_t *)(p->home + p->at);
    for (struct wpp_unit *unit = m->begin; unit < m->end; at += unit++->count)
        unit->times = at;
    return true;
}

/* What was counted before the module had copies. */
static void take_early(uint64_t *early, const struct place *p)
{
    uint64_t *to = mine ? (uint64_t *)(at_distance(p, mine) + p->at) : NULL;

    for (uint32_t i = 0; to && i < p->count; i++)
        if (early[i]) {
            to[i] += early[i];
            early[i] = 0;
        }
}

static uint32_t count_of(const struct wpp_module *m)
{
    uint32_t count = 0;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        count += unit->count;
    return count;
}

/* Maps the new place for all threads. */
static void map_place(struct place *p)
{
    for (struct copies *c = all; c; c = c->next)
        if (!map_copy(p, c))
            __wpp_broken(__FILE__, __LINE__);
}

void __wpp_counts_add(struct wpp_module *m)
{
    const struct wpp_unit *first = first_counting(m);
    struct place *p = first ? sys_map(sizeof *p) : NULL, **link = &places;
    uint64_t *early = first ? first->times : NULL;
    uintptr_t page = (uintptr_t)early & -(uintptr_t)WPP_PAGE_BYTES;

    if (!p || count_of(m) == 0)
        return;
    p->module = m;
    p->home = (char *)page;
    p->at = (uint32_t)((uintptr_t)early - page);
    p->token = m->base;
    p->count = count_of(m);
    p->bytes = (p->at + UINT64_C(8) * p->count + WPP_PAGE_BYTES - 1) & -(size_t)WPP_PAGE_BYTES;
    check_place(p);
    if (!anchor)
        anchor = __wpp_program_has(early) ? page : NO_HOME;
    if (!__wpp_program_has(early) && !move_home(p, m)) {
        __wpp_complain_of_memory("a library's counters", "; its counts are lost");
        return;
    }
    while (*link)
        link = &(*link)->next;
    *link = p;
    map_place(p);
    if (!__wpp_counting)
        begin_thread();
    take_early(early, p);
}

/* Threads that begin in a routine that does not look have their creator's counters. */
static void warn_of_threads(const struct wpp_module *m)
{
    extern char __libc_single_threaded __attribute__((weak));
    static bool told;
    bool all_look = true;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        all_look &= (unit->flags & WPP_UNIT_LOOKS) != 0;
    if (told || all_look || !&__libc_single_threaded || __libc_single_threaded)
        return;
    told = true;
    __wpp_complain("the program had threads, but not all of its files were compiled with -pthread: "
                   "counts of threads that begin in such a file may be too small", NULL, NULL);
}

/* The homes keep what threads without copies counted, which is little: they are written at the
 * end. */
static void write_counters(const struct place *p, const uint64_t *at, uint32_t tid)
{
    enum { SOME = 4096 };

    for (uint32_t from = 0; from < p->count; from += SOME) {
        uint32_t n = p->count - from < SOME ? p->count - from : SOME, first = 0, end = n;

        while (first < n && !at[from + first])
            first++;
        while (end > first && !at[from + end - 1])
            end--;
        if (first < end)
            __wpp_record_counts(&(struct wpp_counts){p->token + from + first, end - first, 0, tid},
                                at + from + first);
    }
}

static void write_place(const struct place *p)
{
    for (const struct copies *c = all; c; c = c->next)
        if (c->unkept)
            write_counters(p, (const uint64_t *)(at_distance(p, c) + p->at), c->tid);
    write_counters(p, (const uint64_t *)(p->home + p->at), 0);
}

void __wpp_counts_take(const struct wpp_module *m)
{
    struct place **link = &places;

    while (*link && (*link)->module != m)
        link = &(*link)->next;
    if (!*link)
        return;
    if (__wpp_process.state == WPP_RECORDING) {
        warn_of_threads(m);
        write_place(*link);
    }
    *link = (*link)->next;
}

static void clear_home(const struct place *p)
{
    uint64_t *home = (uint64_t *)(p->home + p->at);

    for (uint32_t i = 0; i < p->count; i++)
        if (home[i])
            home[i] = 0;
}

void __wpp_counts_forked(void)
{
    struct copies *c = mine;

    if (!places)
        return;
    for (struct copies *other = all; other; other = other->next)
        if (other != c)
            unmap_copies(other, NULL);
    all = c;
    for (const struct place *p = places; p; p = p->next)
        clear_home(p);
    if (!c)
        return;
    c->next = NULL;
    c->tid = sys_gettid();
    c->unkept = false;
    for (const struct place *p = places; p; p = p->next)
        map_zeros(at_distance(p, c), p->bytes);
    if (!__wpp_process_ready())
        return;
    for (const struct place *p = places; p; p = p->next)
        if (!keep(p, c))
            c->unkept = true;
}
