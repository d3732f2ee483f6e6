/* SPDX-License-Identifier: MIT */
/* count-copies.c - the threads' copies of counters: their memory, and which thread has which copy. */
#include "tracer/counts.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define FIRST_DISTANCE (INT64_C(1) << 40)
#define LAST_DISTANCE  (INT64_C(0x28) << 40)
#define HIGH           (UINT64_C(0x57) << 40)
#define WINDOW    (252 * WPP_PAGE_BYTES)    /* the most of one record */

WPP_EXPORT __thread unsigned char __wpp_counting;

struct copies *__wpp_copies;
uint64_t __wpp_counts_anchor;
static __thread struct copies *mine;
static int64_t next_distance = FIRST_DISTANCE;     /* without sign */
static struct copies *next_look;        /* where the search for ended threads goes on; or NULL */

/* ---- Memory ------------------------------------------------------------------------ */

bool __wpp_copies_map(char *at, size_t bytes)
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

/* The entry for the copy of a place, or of no place; NULL: there is none. */
size_t *__wpp_copies_kept(struct copies *c, const struct place *p)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (c->kept[i].place == p)
            return &c->kept[i].bytes;
    return NULL;
}

static size_t *new_kept(struct copies *c, const struct place *p)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (!c->kept[i].place) {
            c->kept[i].place = p;
            c->kept[i].bytes = 0;
            return &c->kept[i].bytes;
        }
    return NULL;
}

void __wpp_copies_forget(struct copies *c, const struct place *p)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (c->kept[i].place == p)
            c->kept[i].place = NULL;
}

static bool keep_next_window(const struct place *p, const struct copies *c, size_t *kept)
{
    size_t bytes = p->bytes - *kept < WINDOW ? p->bytes - *kept : WINDOW;
    struct wpp_counts counts = window_of(p, *kept, bytes, c->tid);

    if (__wpp_output_keep_counts(WPP_REC_COUNTS, p->module, at_distance(p, c) + *kept, bytes, &counts)
        == WPP_NOT_KEPT)
        return false;
    *kept += bytes;
    return true;
}

/* Makes a copy part of the trace, or as much of it as is possible. */
void __wpp_copies_keep(const struct place *p, struct copies *c)
{
    size_t *kept = NULL;

    if (__wpp_process.state != WPP_RECORDING)
        return;
    if (__wpp_output_keeps_pages() && !__wpp_sandboxed())
        kept = new_kept(c, p);
    while (kept && *kept < p->bytes && keep_next_window(p, c, kept))
        ;
    if (!kept || *kept < p->bytes)
        __wpp_counts_apart();
}

static void keep_all(struct copies *c)
{
    for (const struct place *p = __wpp_places; p; p = p->next)
        __wpp_copies_keep(p, c);
}

static void unmap_copies(const struct copies *c, const struct place *end)
{
    for (const struct place *p = __wpp_places; p != end; p = p->next)
        sys_unmap(at_distance(p, c), p->bytes);
}

/* Maps the copies of all places at the distance, or none. */
static bool map_copies(struct copies *c)
{
    for (const struct place *p = __wpp_places; p; p = p->next)
        if (!__wpp_copies_map(at_distance(p, c), p->bytes)) {
            unmap_copies(c, p);
            return false;
        }
    keep_all(c);
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
        c->distance = __wpp_counts_anchor < HIGH ? next_distance : -next_distance;
        if (map_copies(c)) {
            next_distance += SPAN;
            c->next = __wpp_copies;
            return __wpp_copies = c;
        }
    }
    sys_unmap(c, sizeof *c);
    return NULL;
}

/* Looks at a few copies each time: a program may have many threads. */
static struct copies *abandoned(uint32_t tid)
{
    enum { SOME = 32 };

    for (struct copies *c = __wpp_copies; c; c = c->next)
        if (c->tid == tid)
            return c;
    for (int i = 0; i < SOME && __wpp_copies; i++) {
        struct copies *c = next_look ? next_look : __wpp_copies;

        next_look = c->next;
        if (c->findable && sys3(SYS_tgkill, __wpp_process.pid, c->tid, 0) == -ESRCH)
            return c;
        if (!next_look)
            break;
    }
    return NULL;
}

/* Gives the calling thread counters of its own.  Without memory it keeps its creator's, and says so:
 * then increments may be lost. */
void __wpp_copies_begin(void)
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
    if (!mine)
        __wpp_counts_apart();
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
    if (!__wpp_counting && __wpp_places)
        __wpp_copies_begin();
    __wpp_leave(mask);
}

struct copies *__wpp_copies_mine(void)
{
    return mine;
}

/* ---- Forks ------------------------------------------------------------------------- */

/* The copies that the calling thread adds to: its own, or its creator's. */
static struct copies *used_copies(void)
{
    uint64_t distance = 0;
    struct copies *c = __wpp_copies;

    if (mine)
        return mine;
    if (!__wpp_places || sys3(SYS_arch_prctl, ARCH_GET_GS, (long)&distance, 0) != 0)
        return NULL;
    while (c && (uint64_t)c->distance != distance)
        c = c->next;
    return c;
}

void __wpp_copies_forked(void)
{
    struct copies *c = used_copies(), *next;

    for (struct copies *other = __wpp_copies; other; other = next) {
        next = other->next;
        if (other == c)
            continue;
        unmap_copies(other, NULL);
        sys_unmap(other, sizeof *other);
    }
    __wpp_copies = c;
    next_look = NULL;
    for (const struct place *p = __wpp_places; p; p = p->next)
        __wpp_counters_clear((uint64_t *)(p->home + p->at), p->count);
    if (!c)
        return;
    c->next = NULL;
    c->tid = sys_gettid();
    for (const struct place *p = __wpp_places; p; p = p->next) {
        __wpp_copies_forget(c, p);
        map_zeros(at_distance(p, c), p->bytes);
    }
    if (__wpp_process_ready())
        keep_all(c);
}
