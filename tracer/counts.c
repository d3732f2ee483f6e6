/* SPDX-License-Identifier: MIT */
/* counts.c - modules that count: where their counters are, what the trace gets of them at the end. */
#include "tracer/counts.h"

#include "tracer/sys.h"
#include "tracer/text.h"

#define LIBRARIES (UINT64_C(1) << 30)
#define NO_HOME   (UINT64_C(0x18) << 40)    /* stands for the executable's, if that has no counters */

struct place *__wpp_places;
static uint64_t next_home;      /* of the next library */
static bool told_of_threads;
static bool told_apart;         /* ... that some counters are in no record */
static struct touched_pages pages = { .fd = -1 };
static struct touched_pages any_page = { .fd = -1 };

static void check_place(const struct place *p)
{
    WPP_EXPECT(((uintptr_t)p->home & (WPP_PAGE_BYTES - 1)) == 0 && p->count > 0);
    WPP_EXPECT(p->at % 8 == 0 && p->at + UINT64_C(8) * p->count <= p->bytes);
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
    for (struct copies *c = __wpp_copies; c != end; c = c->next) {
        __wpp_copies_forget(c, p);
        sys_unmap(at_distance(p, c), p->bytes);
    }
}

/* Maps the new place for all threads, or for none. */
static bool map_place(const struct place *p)
{
    for (struct copies *c = __wpp_copies; c; c = c->next)
        if (!__wpp_copies_map(at_distance(p, c), p->bytes)) {
            unmap_place(p, c);
            return false;
        }
    for (struct copies *c = __wpp_copies; c; c = c->next)
        __wpp_copies_keep(p, c);
    return true;
}

/* Finds a home for a library's counters that all threads have room for at their distances. */
static bool find_home(struct place *p)
{
    for (uint64_t home = next_home ? next_home : __wpp_counts_anchor + LIBRARIES;
         home + p->bytes <= __wpp_counts_anchor + SPAN; home += 16 * WPP_PAGE_BYTES) {
        if (!__wpp_copies_map((char *)home, p->bytes))
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
    if (!__wpp_counts_anchor)
        __wpp_counts_anchor = p->moved ? NO_HOME : (uint64_t)p->home;
    return p->moved ? find_home(p) : map_place(p);
}

/* Moves what was counted before the module had copies. */
static void take_early(uint64_t *early, const struct place *p)
{
    enum { IN_PAGE = WPP_PAGE_BYTES / 8 };
    struct copies *mine = __wpp_copies_mine();
    uint64_t *to = mine ? (uint64_t *)(at_distance(p, mine) + p->at) : NULL;
    uint32_t end;

    __wpp_touched_begin(&pages);
    for (uint32_t i = 0; to && i < p->count; i = end) {
        end = i + IN_PAGE - ((uintptr_t)(early + i) / 8) % IN_PAGE;
        if (end > p->count)
            end = p->count;
        for (uint32_t k = i; __wpp_touched(&pages, (char *)(early + i)) && k < end; k++)
            if (early[k]) {
                to[k] += early[k];
                early[k] = 0;
            }
    }
    __wpp_touched_end(&pages);
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
    struct place *p = first ? sys_map(sizeof *p) : NULL, **link = &__wpp_places;
    uint64_t *early = first ? first->times : NULL;
    uintptr_t page = (uintptr_t)early & -(uintptr_t)WPP_PAGE_BYTES;

    if (!p || count_of(m) == 0)
        return;
    __wpp_process_ready();      /* a child without counters so far */
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
        __wpp_copies_begin();
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

void __wpp_counts_apart(void)
{
    if (told_apart || __wpp_process.state != WPP_RECORDING)
        return;
    told_apart = true;
    __wpp_record_no_counts();
    /* Nothing more can be written: if END can be nevertheless, it has to say it. */
    if (__wpp_process.state != WPP_RECORDING)
        __wpp_process.lost++;
}

static bool any_is_touched(struct touched_pages *t, const uint64_t *from, const uint64_t *to)
{
    const char *page = (const char *)((uintptr_t)from & -(uintptr_t)WPP_PAGE_BYTES);

    for (; page < (const char *)to; page += WPP_PAGE_BYTES)
        if (__wpp_touched(t, page))
            return true;
    return false;
}

/* The bytes of a copy, or of the home, from one page to another. */
struct part {
    const struct place *place;
    const char *copy;
    size_t from, to;
    uint32_t tid;
};

/* Writes counters from `from` to `end`, without those of 0 at both ends. */
static void write_some(uint16_t kind, const struct part *part, uint32_t from, uint32_t end)
{
    const uint64_t *at = (const uint64_t *)(part->copy + part->place->at);

    while (from < end && !at[from])
        from++;
    while (end > from && !at[end - 1])
        end--;
    if (from < end)
        __wpp_record_counts(kind, &(struct wpp_counts){part->place->token + from, end - from, 0, part->tid},
                            at + from);
}

static void write_part(uint16_t kind, const struct part *part, struct touched_pages *touched)
{
    enum { SOME = 4096 };
    const struct place *p = part->place;
    const uint64_t *at = (const uint64_t *)(part->copy + p->at);
    uint32_t from = part->from > p->at ? (uint32_t)((part->from - p->at) / 8) : 0;
    uint32_t end = part->to > p->at ? (uint32_t)((part->to - p->at) / 8) : 0;

    for (uint32_t next; from < end && from < p->count; from = next) {
        next = end - from < SOME ? end : from + SOME;
        if (next > p->count)
            next = p->count;
        if (any_is_touched(touched, at + from, at + next))
            write_some(kind, part, from, next);
    }
}

/* Writes what is not kept.  The home has what threads without copies counted. */
static void write_rest(uint16_t kind, const struct place *p)
{
    __wpp_touched_begin(&pages);
    for (struct copies *c = __wpp_copies; c; c = c->next) {
        size_t *kept = __wpp_copies_kept(c, p);

        write_part(kind, &(struct part){p, at_distance(p, c), kept ? *kept : 0, p->bytes, c->tid},
                   &pages);
    }
    write_part(kind, &(struct part){p, p->home, 0, p->bytes, 0}, &pages);
    __wpp_touched_end(&pages);
}

/* Writes what is kept.  The kernel tells only of the process's own use of such pages: it may have
 * moved them to the disk meanwhile. */
static void write_kept(uint16_t kind, const struct place *p)
{
    for (struct copies *c = __wpp_copies; c; c = c->next) {
        size_t *kept = __wpp_copies_kept(c, p);

        if (kept)
            write_part(kind, &(struct part){p, at_distance(p, c), 0, *kept, c->tid}, &any_page);
    }
}

void __wpp_counts_pause(void)
{
    if (__wpp_process.state != WPP_RECORDING)
        return;
    for (const struct place *p = __wpp_places; p; p = p->next) {
        write_kept(WPP_REC_PAUSE_COUNTS, p);
        write_rest(WPP_REC_PAUSE_COUNTS, p);
    }
}

void __wpp_counts_take(const struct wpp_module *m)
{
    struct place **link = &__wpp_places, *p;

    while (*link && (*link)->module != m)
        link = &(*link)->next;
    p = *link;
    if (!p)
        return;
    if (__wpp_process.state == WPP_RECORDING) {
        warn_of_threads(m);
        /* What was counted since recording was stopped does not count. */
        if (!__wpp_process.paused || __wpp_process.merged)
            write_rest(WPP_REC_COUNTS, p);
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
    const struct place *p = __wpp_places;

    while (p && !is_so(p->module, ctx))
        p = p->next;
    return p != NULL;
}

void __wpp_counts_forked(void)
{
    __wpp_left_forked();
    told_of_threads = true;         /* this process has had one thread so far */
    told_apart = false;
    __wpp_copies_forked();
}
