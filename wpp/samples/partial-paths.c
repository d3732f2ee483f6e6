/* SPDX-License-Identifier: MIT */
#include "wpp/samples/partial-paths.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_WORDS = 4, DEEPEST = 1 << 20 };

/* ---- The set ----------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct partial_path *p)
{
    uint64_t h = p->routine * UINT64_C(0x9e3779b97f4a7c15) ^ p->vertex ^ (uint64_t)p->age << 32;

    for (uint32_t i = 0; i < p->n; i++)
        h = (h ^ p->edge[i]) * UINT64_C(0xff51afd7ed558ccd) ^ h >> 29;
    return h ^ h >> 32;
}

static bool is_at(const struct partial_paths *p, const struct partial_slot *s, const struct partial_path *path)
{
    const uint32_t *w = p->word + s->at;

    return w[0] == path->routine && w[1] == path->vertex && w[2] == path->age && w[3] == path->n
        && !memcmp(w + HEAD_WORDS, path->edge, path->n * sizeof *path->edge);
}

static bool grow_slots(struct partial_paths *p)
{
    uint64_t n = p->n_slots ? 2 * p->n_slots : 1024;
    struct partial_slot *slot;

    if (2 * (p->n + 1) <= p->n_slots)
        return true;
    slot = calloc(n, sizeof *slot);
    if (!slot)
        return false;
    for (uint64_t i = 0; i < p->n_slots; i++)
        if (p->slot[i].count) {
            uint64_t at = p->slot[i].hash & (n - 1);
            while (slot[at].count)
                at = (at + 1) & (n - 1);
            slot[at] = p->slot[i];
        }
    free(p->slot);
    p->slot = slot;
    p->n_slots = n;
    return true;
}

static bool grow_words(struct partial_paths *p, size_t n)
{
    uint32_t *word;

    if (p->n_words + n <= p->cap_words)
        return true;
    while (p->cap_words < p->n_words + n)
        p->cap_words = p->cap_words ? 2 * p->cap_words : 4096;
    word = realloc(p->word, p->cap_words * sizeof *word);
    if (!word)
        return false;
    p->word = word;
    return true;
}

bool partial_paths_add(struct partial_paths *p, const struct partial_path *path)
{
    uint64_t hash = hash_of(path), at;
    uint32_t *w;

    if (!grow_slots(p))
        return false;
    for (at = hash & (p->n_slots - 1); p->slot[at].count; at = (at + 1) & (p->n_slots - 1))
        if (p->slot[at].hash == hash && is_at(p, &p->slot[at], path)) {
            p->slot[at].count += path->count;
            return true;
        }
    if (!grow_words(p, HEAD_WORDS + (size_t)path->n))
        return false;
    w = p->word + p->n_words;
    w[0] = path->routine;
    w[1] = path->vertex;
    w[2] = path->age;
    w[3] = path->n;
    memcpy(w + HEAD_WORDS, path->edge, path->n * sizeof *path->edge);
    p->slot[at] = (struct partial_slot){hash, path->count, p->n_words};
    p->n_words += HEAD_WORDS + (size_t)path->n;
    p->n++;
    return true;
}

bool partial_paths_get(const struct partial_paths *p, uint64_t i, struct partial_path *out)
{
    const struct partial_slot *s = &p->slot[i];
    const uint32_t *w = p->word + s->at;

    if (s->count == 0)
        return false;
    *out = (struct partial_path){.routine = w[0], .vertex = w[1], .age = w[2], .n = w[3],
                                 .edge = w + HEAD_WORDS, .count = s->count};
    return true;
}

void partial_paths_free(struct partial_paths *p)
{
    free(p->slot);
    free(p->word);
    *p = (struct partial_paths){0};
}

/* ---- Graphs --------------------------------------------------------------------------------------- */

bool path_graphs_new(struct path_graphs *g, const struct address_map *map, struct path_rules rules)
{
    *g = (struct path_graphs){.map = map, .rules = rules};
    g->graph = calloc(map->n_routines + (size_t)1, sizeof(struct path_graph *));
    return g->graph != NULL;
}

void path_graphs_free(struct path_graphs *g)
{
    free(g->graph);
    wpp_arena_free(&g->arena);
}

const struct path_graph *path_graphs_of(struct path_graphs *g, uint32_t routine)
{
    if (!g->graph[routine]) {
        struct path_graph *graph = wpp_arena_alloc(&g->arena, 1, sizeof *graph);
        if (!graph || !path_graph_new(graph, &g->map->routine[routine], &g->rules, &g->arena))
            return NULL;
        g->graph[routine] = graph;
    }
    return g->graph[routine];
}

/* ---- Trails ----------------------------------------------------------------------------------------- */

void block_trail_free(struct block_trail *t)
{
    for (uint32_t i = 0; i < t->capacity; i++)
        free(t->frame[i].edge);
    free(t->frame);
    *t = (struct block_trail){0};
}

/* Adds the frame's part to the set, if it says anything. */
static void emit(struct block_trail *t, struct block_trail_frame *f)
{
    struct partial_path path = {.routine = f->routine, .vertex = f->vertex, .age = t->clock - f->born,
                                .n = f->n, .edge = f->edge, .count = 1};

    if (f->routine != PATH_NONE && (f->n > 0 || f->vertex != 0))
        t->failed |= !partial_paths_add(t->found, &path);
    f->n = 0;
}

static void push(struct block_trail *t, uint32_t routine, uint32_t block)
{
    if (t->depth == t->capacity) {
        uint32_t n = t->capacity ? 2 * t->capacity : 64;
        struct block_trail_frame *frame = n <= DEEPEST ? realloc(t->frame, n * sizeof *frame) : NULL;
        if (!frame) {
            t->failed = true;
            return;
        }
        memset(frame + t->capacity, 0, (n - t->capacity) * sizeof *frame);
        t->frame = frame;
        t->capacity = n;
    }
    t->frame[t->depth].routine = routine;
    t->frame[t->depth].block = t->frame[t->depth].vertex = block;
    t->frame[t->depth].born = 0;
    t->frame[t->depth++].n = 0;
}

static void append(struct block_trail *t, struct block_trail_frame *f, uint32_t edge)
{
    if (f->n == f->capacity) {
        uint32_t n = f->capacity ? 2 * f->capacity : 32;
        uint32_t *more = realloc(f->edge, n * sizeof *more);
        if (!more) {
            t->failed = true;
            return;
        }
        f->edge = more;
        f->capacity = n;
    }
    f->edge[f->n++] = edge;
}

/* The top activation begins a path, with an edge from ENTRY. */
static void begin_path(struct block_trail *t, uint32_t edge)
{
    struct block_trail_frame *f = &t->frame[t->depth - 1];

    f->vertex = 0;
    f->born = t->clock;
    append(t, f, edge);
}

void block_trail_reset(struct block_trail *t)
{
    while (t->depth > 0)
        emit(t, &t->frame[--t->depth]);
}

void block_trail_drop(struct block_trail *t)
{
    if (t->depth > 0)
        emit(t, &t->frame[--t->depth]);
}

void block_trail_land(struct block_trail *t, uint32_t routine, uint32_t block)
{
    const struct path_graph *g = path_graphs_of(t->graphs, routine);

    block_trail_drop(t);
    push(t, routine, block);
    t->failed |= !g;
    if (t->failed || g->start[block] == PATH_NONE)
        return;
    begin_path(t, g->start[block]);
}

void block_trail_begin(struct block_trail *t, uint32_t routine, uint32_t block)
{
    block_trail_reset(t);
    push(t, routine, block);
}

/* The edge with which paths end at a block from which control jumps anywhere, or to a block that does
 * (GCC's graph has one computed goto for all of a routine's); PATH_NONE. */
static uint32_t far_edge(const struct path_graph *g, uint32_t block, bool directly)
{
    for (uint32_t i = g->first[block]; i < g->first[block + 1]; i++) {
        const struct wpp_edge *e = &g->edge[i];
        if (e->kind == WPP_EDGE_END_JUMP
            && (e->to == UINT32_MAX || (!directly && far_edge(g, e->to, true) != PATH_NONE)))
            return i;
    }
    return PATH_NONE;
}

/* A jump that the graph does not follow: its paths end at the one block and begin at the other. */
static bool jump(struct block_trail *t, struct block_trail_frame *f, const struct path_graph *g, uint32_t block)
{
    uint32_t edge = far_edge(g, f->block, false);

    if (edge == PATH_NONE || g->start[block] == PATH_NONE)
        return false;
    append(t, f, edge);
    emit(t, f);
    f->block = block;
    begin_path(t, g->start[block]);
    return true;
}

bool block_trail_go(struct block_trail *t, uint32_t block)
{
    struct block_trail_frame *f = t->depth ? &t->frame[t->depth - 1] : NULL;
    const struct path_graph *g = f && f->routine != PATH_NONE ? path_graphs_of(t->graphs, f->routine) : NULL;
    uint32_t edge = g ? path_graph_edge(g, f->block, block) : PATH_NONE;

    t->failed |= f && f->routine != PATH_NONE && !g;
    if (edge == PATH_NONE)
        return g && jump(t, f, g, block);
    append(t, f, edge);
    f->block = block;
    if (g->edge[edge].kind == WPP_EDGE_REAL)
        return true;
    emit(t, f);
    begin_path(t, g->start[block]);
    return true;
}

void block_trail_call(struct block_trail *t, uint32_t routine)
{
    if (t->split && t->depth > 0 && t->frame[t->depth - 1].routine != PATH_NONE) {
        emit(t, &t->frame[t->depth - 1]);
        t->frame[t->depth - 1].routine = PATH_NONE;
    }
    push(t, routine, 2);
    if (routine == PATH_NONE || t->failed)
        return;
    begin_path(t, 0);
}

void block_trail_leave(struct block_trail *t)
{
    struct block_trail_frame *f;

    if (t->depth == 0)
        return;
    f = &t->frame[t->depth - 1];
    if (f->routine != PATH_NONE) {
        const struct path_graph *g = path_graphs_of(t->graphs, f->routine);
        uint32_t edge = g ? path_graph_edge(g, f->block, 1) : PATH_NONE;
        t->failed |= !g;
        if (edge != PATH_NONE)
            append(t, f, edge);
    }
    emit(t, f);
    t->depth--;
}

void block_trail_come_back(struct block_trail *t, uint32_t routine, uint32_t block)
{
    struct block_trail_frame top = block_trail_top(t);

    if (t->depth > 0 && top.routine == routine && top.block == block)
        return;
    block_trail_reset(t);
    push(t, routine, block);
}
