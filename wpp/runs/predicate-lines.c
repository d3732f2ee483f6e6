/* SPDX-License-Identifier: MIT */
#include "wpp/runs/predicate-lines.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"

/* ---- Walking over lines ---------------------------------------------------------------------- */

/* Returns whether to go on. */
typedef bool line_visit(void *ctx, const char *file, uint32_t line);

struct line_walk { line_visit *visit; void *ctx; };

static const struct wpp_routine *routine_of(const struct vocabulary *v, uint32_t routine)
{
    return wpp_routine(v->routine[routine].w, v->routine[routine].number);
}

static bool walk_block(const struct wpp_routine *r, uint32_t block, const struct line_walk *walk)
{
    for (uint32_t i = 0; block < r->n_blocks && i < r->blocks[block].n_lines; i++)
        if (!walk->visit(walk->ctx, r->blocks[block].lines[i].file, r->blocks[block].lines[i].line))
            return false;
    return true;
}

static bool walk_path(const struct vocabulary *v, uint32_t path, const struct line_walk *walk)
{
    const struct known_path *p = predicate_path(v, path);
    const struct wpp_routine *r = routine_of(v, p->routine);

    for (uint32_t i = 0; i < p->terminal.n_blocks; i++)
        if (!walk_block(r, p->terminal.blocks[i], walk))
            return false;
    return true;
}

static bool walk_branch(const struct wpp_routine *r, uint32_t edge, const struct line_walk *walk)
{
    const struct wpp_edge *e = &r->edges[edge];
    uint32_t to = e->kind >= WPP_EDGE_END_BACK ? e->to : e->dst;
    const struct wpp_block *b = to < r->n_blocks ? &r->blocks[to] : NULL;

    return walk_block(r, e->src, walk) &&
           (!b || b->n_lines == 0 || walk->visit(walk->ctx, b->lines[0].file, b->lines[0].line));
}

static bool walk_routine(const struct vocabulary *v, uint32_t routine, const struct line_walk *walk)
{
    const struct wpp_routine *r = routine_of(v, routine);

    return walk->visit(walk->ctx, r->file, r->line);
}

/* The line at which the routine begins, and those of the paths that an activation begins with. */
static bool walk_entries(const struct vocabulary *v, uint32_t routine, const struct line_walk *walk)
{
    if (!walk_routine(v, routine, walk))
        return false;
    for (uint32_t i = 0; i < v->n_paths; i++)
        if (v->path[i].routine == routine && v->path[i].terminal.enters &&
            !walk_path(v, v->path[i].predicate, walk))
            return false;
    return true;
}

/* Visits the lines of a predicate until a visit returns false; false then. */
static bool walk_lines(const struct vocabulary *v, uint32_t predicate, const struct line_walk *walk)
{
    const struct predicate *p = &v->predicate[predicate];

    switch (p->kind) {
    case PREDICATE_LINE:    return walk->visit(walk->ctx, v->file[p->x], p->y);
    case PREDICATE_BRANCH:  return walk_branch(routine_of(v, p->x), p->y, walk);
    case PREDICATE_ROUTINE: return walk_routine(v, p->x, walk);
    case PREDICATE_PATH:    return walk_path(v, predicate, walk);
    case PREDICATE_LOOP: case PREDICATE_EXACTLY: return walk_block(routine_of(v, p->x), p->y, walk);
    case PREDICATE_DEPTH:   return walk_entries(v, p->x, walk);
    case PREDICATE_CALLER:  return walk_routine(v, p->x, walk) && walk_routine(v, p->y, walk);
    case PREDICATE_CALLERS:
        return walk_routine(v, p->x, walk) && walk_routine(v, p->y, walk) && walk_routine(v, p->z, walk);
    case PREDICATE_TRIPLE:
        return walk_path(v, p->x, walk) && walk_path(v, p->y, walk) && walk_path(v, p->z, walk);
    case PREDICATE_PAIR: case PREDICATE_BEFORE:
        return walk_path(v, p->x, walk) && walk_path(v, p->y, walk);
    default:                return true;
    }
}

/* ---- On given lines -------------------------------------------------------------------------- */

/* Whether `whole` is the file, in some folder. */
static bool is_file(const char *whole, const char *file)
{
    size_t n = strlen(whole), m = strlen(file);

    return n >= m && strcmp(whole + n - m, file) == 0 && (n == m || whole[n - m - 1] == '/');
}

static bool is_elsewhere(void *ctx, const char *file, uint32_t line)
{
    const struct line_ranges *lines = ctx;

    for (uint32_t i = 0; i < lines->n; i++)
        if (line >= lines->range[i].first && line <= lines->range[i].last && is_file(file, lines->range[i].file))
            return false;
    return true;
}

bool predicate_lies_on(const struct vocabulary *v, uint32_t predicate, const struct line_ranges *lines)
{
    return lines->n == 0 || !walk_lines(v, predicate, &(struct line_walk){is_elsewhere, (void *)lines});
}

/* ---- Lines that were seen ------------------------------------------------------------------- */

static uint64_t hash_line(const char *file, uint32_t line)
{
    uint64_t h = wpp_fnv(wpp_fnv(WPP_FNV_START, file, strlen(file)), &line, sizeof line);

    return h ? h : 1;
}

static size_t slot_of(const struct lines_seen *s, uint64_t hash)
{
    size_t i = hash & (s->n_slots - 1);

    while (s->slot[i] != 0 && s->slot[i] != hash)
        i = (i + 1) & (s->n_slots - 1);
    return i;
}

bool lines_seen_init(struct lines_seen *s, const struct vocabulary *v)
{
    *s = (struct lines_seen){.v = v, .n_slots = 1024};
    s->slot = calloc(s->n_slots, sizeof *s->slot);
    s->path = calloc(v->n_paths + (size_t)1, sizeof *s->path);
    return s->slot && s->path;
}

void lines_seen_free(struct lines_seen *s)
{
    free(s->slot);
    free(s->path);
    *s = (struct lines_seen){0};
}

static bool make_room(struct lines_seen *s)
{
    struct lines_seen larger = *s;

    if (2 * (s->n + 1) <= s->n_slots)
        return true;
    larger.n_slots = 2 * s->n_slots;
    larger.slot = calloc(larger.n_slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slot[i] != 0)
            larger.slot[slot_of(&larger, s->slot[i])] = s->slot[i];
    free(s->slot);
    *s = larger;
    return true;
}

static bool add_line(void *ctx, const char *file, uint32_t line)
{
    struct lines_seen *s = ctx;
    uint64_t hash = hash_line(file, line);
    size_t at;

    if (!make_room(s))
        return false;
    at = slot_of(s, hash);
    s->n += s->slot[at] == 0;
    s->slot[at] = hash;
    return true;
}

bool lines_seen_add(struct lines_seen *s, uint32_t predicate)
{
    return walk_lines(s->v, predicate, &(struct line_walk){add_line, s});
}

static bool has_line(void *ctx, const char *file, uint32_t line)
{
    const struct lines_seen *s = ctx;

    return s->slot[slot_of(s, hash_line(file, line))] != 0;
}

/* Lines are never taken out, so what was passed is passed. */
static bool has_path(struct lines_seen *s, uint32_t predicate)
{
    const struct known_path *p = predicate_path(s->v, predicate);
    const struct wpp_routine *r = routine_of(s->v, p->routine);
    struct path_seen *at = &s->path[p - s->v->path];

    for (; at->block < p->terminal.n_blocks; at->block++, at->line = 0) {
        const struct wpp_block *b = &r->blocks[p->terminal.blocks[at->block]];

        for (; at->line < b->n_lines; at->line++)
            if (!has_line(s, b->lines[at->line].file, b->lines[at->line].line))
                return false;
    }
    return true;
}

static bool stop(void *ctx, const char *file, uint32_t line)
{
    (void)ctx;
    (void)file;
    (void)line;
    return false;
}

bool lines_seen_all(struct lines_seen *s, uint32_t predicate)
{
    const struct predicate *p = &s->v->predicate[predicate];

    if (walk_lines(s->v, predicate, &(struct line_walk){stop, NULL}))
        return false;
    switch (p->kind) {
    case PREDICATE_PATH:   return has_path(s, predicate);
    case PREDICATE_TRIPLE: return has_path(s, p->x) && has_path(s, p->y) && has_path(s, p->z);
    case PREDICATE_PAIR: case PREDICATE_BEFORE: return has_path(s, p->x) && has_path(s, p->y);
    default:               return walk_lines(s->v, predicate, &(struct line_walk){has_line, s});
    }
}
