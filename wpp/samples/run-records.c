/* SPDX-License-Identifier: MIT */
#include "wpp/samples/run-records.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/events.h"

/* A block of the layout: instructions, a call, a jump, each of some bytes. */
enum { FIRST_ADDRESS = 0x1000, BYTES_OF_INSN = 4, CALL_BYTES = 6, BACK_BYTES = 4, JUMP_BYTES = 2, TAIL = 8 };

/* ---- The map --------------------------------------------------------------------------------- */

static uint32_t flags_of(const struct wpp_routine *r, uint32_t b)
{
    uint32_t flags = 0;

    for (uint32_t i = 0; i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];
        if (e->src != b)
            continue;
        if (e->kind == WPP_EDGE_REAL && e->dst == 1)
            flags |= MAP_RETURNS;
        if (e->kind == WPP_EDGE_END_CALL)
            flags |= MAP_CALLS;
        if ((e->kind == WPP_EDGE_REAL ? e->dst : e->to) == b + 1)
            flags |= MAP_FALLS;
    }
    return flags | MAP_MAY_CALL;
}

static bool place_routine(struct address_map *m, uint32_t number, uint64_t *address)
{
    struct map_routine *out = &m->routine[number];
    uint32_t *place = wpp_arena_alloc(&m->arena, out->r.n_blocks, sizeof *place);

    if (!place)
        return false;
    place[0] = place[1] = MAP_NONE;
    for (uint32_t b = 2; b < out->r.n_blocks; b++) {
        struct map_block *block = &m->block[m->n_blocks];

        block->begin = *address;
        *address = block->end = *address + TAIL + BYTES_OF_INSN * (uint64_t)out->r.blocks[b].insns;
        block->routine = number;
        block->block = b;
        block->flags = flags_of(&out->r, b);
        block->next = (block->flags & MAP_FALLS) && b + 1 < out->r.n_blocks ? m->n_blocks + 1 : MAP_NONE;
        place[b] = m->n_blocks++;
    }
    out->place = place;
    return address_map_find_arcs(m, out);
}

bool run_map_new(struct address_map *m, const wpp *w, struct wpp_error *error)
{
    struct wpp_summary run;
    uint64_t address = FIRST_ADDRESS;
    size_t n_blocks = 0;

    *m = (struct address_map){0};
    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++)
        n_blocks += wpp_routine(w, i)->n_blocks;
    if (n_blocks == 0 || n_blocks >= MAP_NONE)
        return wpp_fail(error, WPP_E_ARGUMENT, "the run has no routines");
    m->routine = calloc(run.n_routines, sizeof *m->routine);
    m->block = calloc(n_blocks, sizeof *m->block);
    for (uint32_t i = 0; m->routine && m->block && i < run.n_routines; i++) {
        m->routine[i] = (struct map_routine){.r = *wpp_routine(w, i), .compiler = "", .source = ""};
        m->n_routines++;
        if (!place_routine(m, i, &address))
            break;
    }
    if (m->routine && m->block && m->n_routines == run.n_routines)
        return true;
    address_map_free(m);
    return wpp_fail_memory(error);
}

/* ---- Taken branches --------------------------------------------------------------------------- */

struct running {
    const wpp *w;
    const struct address_map *m;
    struct run_sampling *sampling;
    size_t n;
    struct block_trail truth;
    uint64_t branches;
    struct branch_record ring[MOST_DEPTH];      /* record k is at k % MOST_DEPTH */
    struct events *events;
};

static uint64_t random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void choose_next(struct run_sampling *s)
{
    uint64_t spread = s->period / 8;

    s->next += s->period - spread / 2 + (spread ? random_number(&s->seed) % (spread + 1) : 0);
}

static void take_sample(struct running *r, struct run_sampling *s)
{
    struct branch_record record[MOST_DEPTH];
    struct records_figures ignored = {0};
    uint64_t n = r->branches < s->depth ? r->branches : s->depth;

    for (uint64_t i = 0; i < n; i++)
        record[i] = r->ring[(r->branches - n + i) % MOST_DEPTH];
    records_follow(&s->split, record, n, 0, &ignored);
    records_follow(&s->whole, record, n, 0, &s->figures);
    choose_next(s);
}

static void taken(struct running *r, uint64_t from, uint64_t to)
{
    r->ring[r->branches++ % MOST_DEPTH] = (struct branch_record){from, to};
    for (size_t i = 0; i < r->n; i++)
        if (r->branches >= r->sampling[i].next)
            take_sample(r, &r->sampling[i]);
}

static const struct map_block *top_block(const struct running *r)
{
    struct block_trail_frame top = block_trail_top(&r->truth);

    return top.routine == PATH_NONE ? NULL : &r->m->block[r->m->routine[top.routine].place[top.block]];
}

static const struct map_block *block_of(const struct running *r, uint32_t routine, uint32_t block)
{
    return &r->m->block[r->m->routine[routine].place[block]];
}

/* ---- Events --------------------------------------------------------------------------------------- */

static void go(struct running *r, uint32_t routine, uint32_t block)
{
    const struct map_block *a = top_block(r), *b = block_of(r, routine, block);

    if (a && a->routine == routine && block_trail_go(&r->truth, block)) {
        if (a->next == MAP_NONE || &r->m->block[a->next] != b)
            taken(r, a->end - JUMP_BYTES, b->begin);
    } else {
        block_trail_land(&r->truth, routine, block);
    }
}

static void enter(struct running *r, uint32_t routine)
{
    const struct map_block *a = top_block(r);

    block_trail_call(&r->truth, routine);
    if (a)
        taken(r, a->end - CALL_BYTES, block_of(r, routine, 2)->begin);
}

static void leave(struct running *r)
{
    const struct map_block *from = top_block(r), *to;

    block_trail_leave(&r->truth);
    to = top_block(r);
    if (from && to)
        taken(r, from->end - JUMP_BYTES, to->end - BACK_BYTES);
}

static bool take_event(struct running *r, const struct wpp_terminal *t)
{
    const struct wpp_routine *routine = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(r->w, t->routine);
    struct events_step step;
    uint32_t i = 0;

    if (!events_next(r->events, t, routine, &step))
        return false;
    for (uint32_t k = 0; k < step.left; k++)
        block_trail_drop(&r->truth);
    if (!routine || t->n_blocks == 0)
        return true;
    if (step.arrival == ARRIVAL_ENTER && t->blocks[0] == 2) {
        enter(r, t->routine);
        i = 1;
    }
    for (; i < t->n_blocks; i++)
        go(r, t->routine, t->blocks[i]);
    if (step.leaves)
        leave(r);
    return !r->truth.failed;
}

static bool run_thread(struct running *r, uint32_t thread)
{
    enum { AT_ONCE = 4096 };
    wpp_cursor *c = wpp_cursor_new(r->w, thread, 0);
    uint32_t terminal[AT_ONCE];
    bool done = c != NULL;
    size_t n;

    r->events = done ? events_new() : NULL;
    done = r->events != NULL;
    while (done && (n = wpp_cursor_read(c, terminal, AT_ONCE)) > 0)
        for (size_t i = 0; done && i < n; i++)
            done = take_event(r, wpp_terminal(r->w, terminal[i]));
    while (r->truth.depth > 0)
        block_trail_drop(&r->truth);
    events_free(r->events);
    wpp_cursor_free(c);
    return done;
}

bool run_records(const wpp *w, struct path_graphs *graphs, struct run_sampling *sampling, size_t n,
                 struct partial_paths *actual, uint64_t *n_branches, struct wpp_error *error)
{
    struct running *r = calloc(1, sizeof *r);
    bool done = r != NULL;

    if (!r)
        return wpp_fail_memory(error);
    r->w = w;
    r->m = graphs->map;
    r->sampling = sampling;
    r->n = n;
    r->truth = (struct block_trail){.graphs = graphs, .found = actual};
    for (size_t i = 0; i < n; i++) {
        struct run_sampling *s = &sampling[i];
        s->seed = i * 7919 + 1;
        s->split = (struct block_trail){.graphs = graphs, .found = &s->found_split, .split = true};
        s->whole = (struct block_trail){.graphs = graphs, .found = &s->found_whole};
        choose_next(s);
    }
    for (uint32_t t = 0; done && t < wpp_grammar(w)->n_threads; t++)
        done = run_thread(r, t);
    for (size_t i = 0; i < n; i++)
        done &= !sampling[i].split.failed && !sampling[i].whole.failed;
    *n_branches = r->branches;
    block_trail_free(&r->truth);
    free(r);
    return done || wpp_fail_memory(error);
}

void run_sampling_free(struct run_sampling *s)
{
    block_trail_free(&s->split);
    block_trail_free(&s->whole);
    partial_paths_free(&s->found_split);
    partial_paths_free(&s->found_whole);
}
