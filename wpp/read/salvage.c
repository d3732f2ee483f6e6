/* SPDX-License-Identifier: MIT */
#include "wpp/read/salvage.h"

#include "tracer/trace-abi.h"
#include "wpp/base/error.h"
#include "wpp/format/grammar-join.h"

typedef unsigned long long ull;      /* for printf */

#define NOT_MENDED UINT64_MAX

/* Where a segment begins in the file, and the offset of its mended byte. */
struct place { uint64_t begin, mended_at; };

struct pieces {
    struct wpp_segment_piece *piece;
    struct place *place;
    uint32_t n, n_lost;
};

/* ---- What is intact --------------------------------------------------------------------- */

/* The bytes of a segment, with one of them mended if necessary; a view of NULL if they are lost. */
static struct wpp_view find_piece(struct loading *l, const uint8_t *bytes, uint64_t n,
                                  uint64_t check, size_t *mended, bool *is_mended)
{
    uint8_t byte, *copy;

    *is_mended = false;
    if (wpp_fnv(WPP_FNV_START, bytes, n) == check)
        return wpp_view(bytes, n);
    if (!wpp_fnv_mend(bytes, n, check, mended, &byte))
        return (struct wpp_view){0};
    copy = wpp_arena_alloc(l->arena, n, 1);
    if (!copy)
        return (struct wpp_view){0};
    memcpy(copy, bytes, n);
    copy[*mended] = byte;
    *is_mended = true;
    return wpp_view(copy, n);
}

/* Reads the list's next entry, for the segment that begins at byte *at of the section. */
static bool get_piece(struct loading *l, const struct wpp_container *c, const struct wpp_entry *e,
                      struct wpp_view *v, uint64_t *at, struct pieces *p)
{
    struct wpp_segment_piece *piece = &p->piece[p->n];
    uint64_t n = wpp_get_varint_max(v, e->stored - *at), *events;
    const uint8_t *check = wpp_get_bytes(v, sizeof(uint64_t));
    uint64_t there = e->offset <= c->size ? c->size - e->offset : 0;
    bool is_mended;
    size_t mended;

    piece->size = n;
    piece->n_threads = (uint32_t)wpp_get_count(v, 1);
    piece->events = events = wpp_arena_alloc(l->arena, piece->n_threads, sizeof *events);
    if (v->failed || !check || !events)
        return false;
    for (uint32_t k = 0; k < piece->n_threads; k++)
        events[k] = wpp_get_varint(v);
    p->place[p->n] = (struct place){e->offset + *at, NOT_MENDED};
    if (*at <= there && n <= there - *at) {
        piece->code = find_piece(l, c->file + e->offset + *at, n, wpp_get_u64(check), &mended,
                                 &is_mended);
        if (is_mended)
            p->place[p->n].mended_at = e->offset + *at + mended;
    }
    p->n_lost += !piece->code.p;
    p->n++;
    *at += n;
    return !v->failed && !l->arena->failed;
}

static bool get_pieces(struct loading *l, const struct wpp_container *c,
                       const struct wpp_entry *e, struct wpp_view *v, struct pieces *p)
{
    enum { LEAST_BYTES = 1 + sizeof(uint64_t) + 1 };
    size_t n = wpp_get_count(v, LEAST_BYTES);
    uint64_t at = 0;

    *p = (struct pieces){.piece = wpp_arena_alloc(l->arena, n, sizeof *p->piece),
                         .place = wpp_arena_alloc(l->arena, n, sizeof *p->place)};
    while (!l->arena->failed && p->n < n)
        if (!get_piece(l, c, e, v, &at, p))
            return false;
    return !l->arena->failed && !v->failed && at == e->stored && p->n_lost < p->n;
}

/* ---- The open file ------------------------------------------------------------------------ */

/* The number of the terminal Gap; if there is none, the next free number. */
static uint32_t find_gap(const struct loading *l)
{
    uint32_t t = 0;

    while (t < l->w->n_terminals
           && !(l->w->terminals[t].control && l->w->terminals[t].token == WPP_GAP))
        t++;
    return t;
}

/* If the grammar has one terminal more than the file, that is Gap: get_terminals() has allocated an
 * entry for it. */
static void add_gap(struct loading *l)
{
    struct wpp *w = l->w;

    if (w->grammar.n_terminals == w->n_terminals || section_lacks(l, WPP_PART_TERMINALS))
        return;
    w->terminals[w->n_terminals] = (struct wpp_terminal){
        .token = WPP_GAP, .routine = WPP_NO_ROUTINE, .control = true,
    };
    w->summary.n_terminals = ++w->n_terminals;
    w->summary.n_controls++;
}

/* Adds up the events of thread k in all segments.  False: more than 2^64. */
static bool add_events(const struct pieces *p, uint32_t k, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (k < p->piece[i].n_threads
            && __builtin_add_overflow(*sum, p->piece[i].events[k], sum))
            return false;
    return true;
}

static uint64_t lost_events(const struct wpp_segment_piece *piece)
{
    uint64_t n = 0;

    for (uint32_t k = 0; k < piece->n_threads; k++)
        n += piece->events[k];
    return n;
}

/* Sets how many events each thread has now, from its start rule, and how many were recorded, from
 * the list.  If the file has a section of threads, that must agree with the list. */
static bool take_threads(struct loading *l, const struct pieces *p)
{
    struct wpp *w = l->w;
    const struct wpp_grammar *g = &w->grammar;
    bool named = !section_lacks(l, WPP_PART_THREADS);
    struct wpp_thread *threads = wpp_arena_alloc(l->arena, g->n_threads, sizeof *threads);

    if (!threads || (named && g->n_threads != w->n_threads))
        return false;
    w->summary.tokens = w->summary.recorded = 0;
    for (uint32_t k = 0; k < g->n_threads; k++) {
        uint64_t all;

        if (!add_events(p, k, &all) || (named && all != w->threads[k].tokens))
            return false;
        threads[k] = named ? w->threads[k] : (struct wpp_thread){.name = ""};
        threads[k].tokens = g->length[g->n_rules + k];
        threads[k].recorded = all;
        w->summary.tokens += threads[k].tokens;
        if (__builtin_add_overflow(w->summary.recorded, all, &w->summary.recorded))
            return false;
    }
    for (uint32_t i = 0; i < p->n; i++)
        w->summary.unread += p->piece[i].code.p ? 0 : lost_events(&p->piece[i]);
    w->threads = threads;
    w->summary.n_threads = w->n_threads = g->n_threads;
    return true;
}

/* ---- Findings ------------------------------------------------------------------------------- */

/* One line for each sequence of lost segments. */
static bool say_lost(struct loading *l, const struct pieces *p, const struct wpp_entry *e)
{
    for (uint32_t i = 0, first; i < p->n; i++) {
        const char *how = e->state == WPP_ENTRY_CUT ? "cut off" : "damaged";
        uint64_t events = 0;
        bool done;

        for (first = i; i < p->n && !p->piece[i].code.p; i++)
            events += lost_events(&p->piece[i]);
        if (i == first)
            continue;
        done = i == first + 1
            ? wpp_findings_add(&l->w->findings, 0, "segment %u of %u of the grammar is %s (section "
                               "%u at byte %llu): its %llu events are left out", i, p->n, how,
                               e->kind, (ull)p->place[first].begin, (ull)events)
            : wpp_findings_add(&l->w->findings, 0, "segments %u to %u of %u of the grammar are %s "
                               "(section %u at byte %llu): their %llu events are left out",
                               first + 1, i, p->n, how, e->kind, (ull)p->place[first].begin,
                               (ull)events);
        if (!done)
            return false;
    }
    return true;
}

static bool say_pieces(struct loading *l, const struct pieces *p, const struct wpp_entry *e)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->place[i].mended_at != NOT_MENDED
            && !wpp_findings_add(&l->w->findings, 0, "byte %llu, in the grammar, has changed; the "
                                 "checksum says what it was", (ull)p->place[i].mended_at))
            return false;
    return say_lost(l, p, e);
}

static bool take_pieces(struct loading *l, const struct pieces *p)
{
    struct wpp *w = l->w;
    struct wpp_grammar *g = &w->grammar;
    bool paths = !section_lacks(l, WPP_PART_TERMINALS);

    if (!wpp_grammar_join_pieces(p->piece, p->n, paths ? w->n_terminals : WPP_ANY,
                                 section_lacks(l, WPP_PART_THREADS) ? WPP_ANY : w->n_threads,
                                 paths ? find_gap(l) : WPP_ANY, g, l->error))
        return false;
    add_gap(l);
    w->summary.n_segments = p->n;
    w->summary.n_rules = g->n_rules;
    w->summary.rhs_symbols = g->body[g->n_rules + g->n_threads];
    return take_threads(l, p);
}

bool read_pieces(struct loading *l, const struct wpp_container *c, const struct wpp_entry *e)
{
    struct wpp_section list = {.kind = WPP_SECTION_SEGMENT_LIST};
    struct pieces p;
    struct wpp_view v;
    bool done;

    if (!wpp_container_load(c, &list, l->path, l->error))
        return false;
    v = wpp_view(list.content.data, list.content.size);
    done = get_pieces(l, c, e, &v, &p) && take_pieces(l, &p);
    wpp_bytes_free(&list.content);
    if (l->arena->failed || (done && !say_pieces(l, &p, e)))
        return wpp_fail_memory(l->error);
    return done;
}
