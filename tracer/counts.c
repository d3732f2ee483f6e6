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

/* A thread's copies of all places.  What is not in the trace's file is written at the end, and
 * nothing twice: so each copy knows how much of it is there. */
enum { MOST_KEPT = 250 };
struct copies {
    struct copies *next;
    int64_t distance;
    uint32_t tid;               /* of its last thread */
    bool findable;              /* tgkill finds the thread as long as it lives */
    struct {
        const struct place *place;      /* NULL: free */
        size_t bytes;                   /* the first ones of the copy are in the file */
    } kept[MOST_KEPT];
};
_Static_assert(sizeof(struct copies) <= WPP_PAGE_BYTES, "copies fit a page");

/* Most pages of a large table are never touched, and reading one would map it.  The kernel tells
 * which are, as long as the program may ask it. */
struct touched_pages {
    int fd;                     /* -1: any page may be touched */
    uint64_t first;             /* number of the page of flags[0] */
    size_t n;
    uint64_t flags[512];
};

WPP_EXPORT __thread unsigned char __wpp_counting;

static __thread struct copies *mine;
static struct place *places;
static struct copies *all;
static uint64_t anchor;         /* the executable's home */
static uint64_t next_home;      /* of the next library */
static int64_t next_distance = FIRST_DISTANCE;     /* without sign */
static struct copies *next_look;        /* where the search for ended threads goes on; or NULL */
static bool told_of_threads;
static struct touched_pages pages = { .fd = -1 };

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

static void touched_begin(struct touched_pages *t)
{
    t->fd = __wpp_sandboxed() ? -1 : (int)sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    t->n = 0;
}

static void touched_end(struct touched_pages *t)
{
    if (t->fd >= 0)
        sys_close(t->fd);
    t->fd = -1;
}

static bool is_touched(struct touched_pages *t, const char *at)
{
    uint64_t page = (uintptr_t)at / WPP_PAGE_BYTES;

    if (t->fd >= 0 && (page < t->first || page >= t->first + t->n)) {
        long n = sys4(SYS_pread64, t->fd, (long)t->flags, sizeof t->flags, (long)(8 * page));

        t->first = page;
        t->n = n > 0 ? (size_t)n / 8 : 0;
        if (t->n == 0)
            touched_end(t);
    }
    return t->fd < 0 || t->flags[page - t->first] >> 62 != 0;      /* in memory, or swapped */
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
static size_t *kept_bytes(struct copies *c, const struct place *p)
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

static void forget_kept(struct copies *c, const struct place *p)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (c->kept[i].place == p)
            c->kept[i].place = NULL;
}

/* Makes a copy part of the trace's file, or as much of it as is possible. */
static void keep(const struct place *p, struct copies *c)
{
    size_t *kept;

    if (__wpp_process.state != WPP_RECORDING || !__wpp_output_keeps_pages() || __wpp_sandboxed())
        return;
    kept = new_kept(c, p);
    while (kept && *kept < p->bytes) {
        size_t bytes = p->bytes - *kept < WINDOW ? p->bytes - *kept : WINDOW;
        struct wpp_counts counts = window_of(p, *kept, bytes, c->tid);

        if (!__wpp_output_keep_pages(WPP_REC_COUNTS, at_distance(p, c) + *kept, bytes, &counts))
            return;
        *kept += bytes;
    }
}

static void keep_all(struct copies *c)
{
    for (const struct place *p = places; p; p = p->next)
        keep(p, c);
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
        if (!map_free(at_distance(p, c), p->bytes)) {
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

    for (struct copies *c = all; c; c = c->next)
        if (c->tid == tid)
            return c;
    for (int i = 0; i < SOME && all; i++) {
        struct copies *c = next_look ? next_look : all;

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

static void unmap_place(const struct place *p, const struct copies *end)
{
    for (struct copies *c = all; c != end; c = c->next) {
        forget_kept(c, p);
        sys_unmap(at_distance(p, c), p->bytes);
    }
}

/* Maps the new place for all threads, or for none. */
static bool map_place(const struct place *p)
{
    for (struct copies *c = all; c; c = c->next)
        if (!map_free(at_distance(p, c), p->bytes)) {
            unmap_place(p, c);
            return false;
        }
    for (struct copies *c = all; c; c = c->next)
        keep(p, c);
    return true;
}

/* Finds a home for a library's counters that all threads have room for at their distances. */
static bool find_home(struct place *p)
{
    for (uint64_t home = next_home ? next_home : anchor + LIBRARIES;
         home + p->bytes <= anchor + SPAN; home += 16 * WPP_PAGE_BYTES) {
        if (!map_free((char *)home, p->bytes))
            continue;
        p->home = (char *)home;
        if (map_place(p)) {
            next_home = home + p->bytes;
            return true;
        }
        sys_unmap(p->home, p->bytes);
    }
    return false;
}

/* The code of a library finds its counters by their address. */
static void move_units(const struct place *p, struct wpp_module *m)
{
    uint64_t *at = (uint64_t *)(p->home + p->at);

    for (struct wpp_unit *unit = m->begin; unit < m->end; at += unit++->count)
        unit->times = at;
}

/* Gives the counters a home, and all threads copies. */
static bool settle(struct place *p)
{
    p->moved = !__wpp_program_has(p->home + p->at);
    if (!anchor)
        anchor = p->moved ? NO_HOME : (uint64_t)p->home;
    return p->moved ? find_home(p) : map_place(p);
}

/* Moves what was counted before the module had copies. */
static void take_early(uint64_t *early, const struct place *p)
{
    enum { IN_PAGE = WPP_PAGE_BYTES / 8 };
    uint64_t *to = mine ? (uint64_t *)(at_distance(p, mine) + p->at) : NULL;
    uint32_t end;

    touched_begin(&pages);
    for (uint32_t i = 0; to && i < p->count; i = end) {
        end = i + IN_PAGE - ((uintptr_t)(early + i) / 8) % IN_PAGE;
        if (end > p->count)
            end = p->count;
        for (uint32_t k = i; is_touched(&pages, (char *)(early + i)) && k < end; k++)
            if (early[k]) {
                to[k] += early[k];
                early[k] = 0;
            }
    }
    touched_end(&pages);
}

static uint32_t count_of(const struct wpp_module *m)
{
    uint32_t count = 0;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        count += unit->count;
    return count;
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
    if (!settle(p)) {
        __wpp_complain_of_memory("a module's counters", "; its counts are lost");
        __wpp_process.lost++;
        sys_unmap(p, sizeof *p);
        return;
    }
    if (p->moved)
        move_units(p, m);
    while (*link)
        link = &(*link)->next;
    *link = p;
    __wpp_left_add(m);
    if (!__wpp_counting)
        begin_thread();
    take_early(early, p);
}

/* Threads that begin in a routine that does not look have their creator's counters. */
static void warn_of_threads(const struct wpp_module *m)
{
    extern char __libc_single_threaded __attribute__((weak));
    bool all_look = true;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        all_look &= (unit->flags & WPP_UNIT_LOOKS) != 0;
    if (told_of_threads || all_look || !&__libc_single_threaded || __libc_single_threaded)
        return;
    told_of_threads = true;
    __wpp_complain("the program had threads, but not all of its files were compiled with -pthread: "
                   "counts of threads that begin in such a file may be too small", NULL, NULL);
}

static bool any_is_touched(const uint64_t *from, const uint64_t *to)
{
    const char *page = (const char *)((uintptr_t)from & -(uintptr_t)WPP_PAGE_BYTES);

    for (; page < (const char *)to; page += WPP_PAGE_BYTES)
        if (is_touched(&pages, page))
            return true;
    return false;
}

/* Writes the counters that lie `from_byte` behind the begin of a copy, or of the home, or later. */
static void write_counters(const struct place *p, const char *copy, size_t from_byte, uint32_t tid)
{
    enum { SOME = 4096 };
    const uint64_t *at = (const uint64_t *)(copy + p->at);
    uint32_t begin = from_byte > p->at ? (uint32_t)((from_byte - p->at) / 8) : 0;

    for (uint32_t from = begin; from < p->count; from += SOME) {
        uint32_t n = p->count - from < SOME ? p->count - from : SOME, first = 0, end = n;

        if (!any_is_touched(at + from, at + from + n))
            continue;
        while (first < n && !at[from + first])
            first++;
        while (end > first && !at[from + end - 1])
            end--;
        if (first < end)
            __wpp_record_counts(&(struct wpp_counts){p->token + from + first, end - first, 0, tid},
                                at + from + first);
    }
}

/* Writes what is not in the file.  The home has what threads without copies counted. */
static void write_place(const struct place *p)
{
    touched_begin(&pages);
    for (struct copies *c = all; c; c = c->next) {
        size_t *kept = kept_bytes(c, p);

        write_counters(p, at_distance(p, c), kept ? *kept : 0, c->tid);
    }
    write_counters(p, p->home, 0, 0);
    touched_end(&pages);
}

void __wpp_counts_take(const struct wpp_module *m)
{
    struct place **link = &places, *p;

    while (*link && (*link)->module != m)
        link = &(*link)->next;
    p = *link;
    if (!p)
        return;
    if (__wpp_process.state == WPP_RECORDING) {
        warn_of_threads(m);
        write_place(p);
    }
    *link = p->next;
    __wpp_left_take(m);
    /* While the process ends, other threads may still run in the module. */
    if (__wpp_process.exiting)
        return;
    unmap_place(p, NULL);
    if (p->moved) {
        sys_unmap(p->home, p->bytes);
        next_home = 0;
    }
    sys_unmap(p, sizeof *p);
}

bool __wpp_counts_any(bool (*is_so)(const struct wpp_module *module, void *ctx), void *ctx)
{
    const struct place *p = places;

    while (p && !is_so(p->module, ctx))
        p = p->next;
    return p != NULL;
}

/* ---- Forks ------------------------------------------------------------------------- */

/* The copies that the calling thread adds to: its own, or its creator's. */
static struct copies *used_copies(void)
{
    uint64_t distance = 0;
    struct copies *c = all;

    if (mine)
        return mine;
    if (!places || sys3(SYS_arch_prctl, ARCH_GET_GS, (long)&distance, 0) != 0)
        return NULL;
    while (c && (uint64_t)c->distance != distance)
        c = c->next;
    return c;
}

void __wpp_counts_forked(void)
{
    struct copies *c = used_copies(), *next;

    __wpp_left_forked();
    for (struct copies *other = all; other; other = next) {
        next = other->next;
        if (other == c)
            continue;
        unmap_copies(other, NULL);
        sys_unmap(other, sizeof *other);
    }
    all = c;
    next_look = NULL;
    told_of_threads = true;         /* this process has had one thread so far */
    for (const struct place *p = places; p; p = p->next)
        __wpp_counters_clear((uint64_t *)(p->home + p->at), p->count);
    if (!c)
        return;
    c->next = NULL;
    c->tid = sys_gettid();
    for (const struct place *p = places; p; p = p->next) {
        forget_kept(c, p);
        map_zeros(at_distance(p, c), p->bytes);
    }
    if (__wpp_process_ready())
        keep_all(c);
}
