/* SPDX-License-Identifier: MIT */
#include "wpp/runs/predicate-lines.h"

#include <string.h>

/* Whether `whole` is the file, in some folder. */
static bool is_file(const char *whole, const char *file)
{
    size_t n = strlen(whole), m = strlen(file);

    return n >= m && strcmp(whole + n - m, file) == 0 && (n == m || whole[n - m - 1] == '/');
}

static bool is_on(const char *file, uint32_t line, const struct line_range *lines)
{
    return line >= lines->first && line <= lines->last && is_file(file, lines->file);
}

static const struct wpp_routine *routine_of(const struct vocabulary *v, uint32_t routine)
{
    return wpp_routine(v->routine[routine].w, v->routine[routine].number);
}

static bool block_on(const struct wpp_routine *r, uint32_t block, const struct line_range *lines)
{
    for (uint32_t i = 0; block < r->n_blocks && i < r->blocks[block].n_lines; i++)
        if (is_on(r->blocks[block].lines[i].file, r->blocks[block].lines[i].line, lines))
            return true;
    return false;
}

static bool path_on(const struct vocabulary *v, uint32_t path, const struct line_range *lines)
{
    const struct known_path *p = predicate_path(v, path);
    const struct wpp_routine *r = routine_of(v, p->routine);

    for (uint32_t i = 0; i < p->terminal.n_blocks; i++)
        if (block_on(r, p->terminal.blocks[i], lines))
            return true;
    return false;
}

static bool branch_on(const struct wpp_routine *r, uint32_t edge, const struct line_range *lines)
{
    const struct wpp_edge *e = &r->edges[edge];
    uint32_t to = e->kind >= WPP_EDGE_END_BACK ? e->to : e->dst;
    const struct wpp_block *b = to < r->n_blocks ? &r->blocks[to] : NULL;

    return block_on(r, e->src, lines) ||
           (b && b->n_lines > 0 && is_on(b->lines[0].file, b->lines[0].line, lines));
}

static bool routine_on(const struct vocabulary *v, uint32_t routine, const struct line_range *lines)
{
    const struct wpp_routine *r = routine_of(v, routine);

    return is_on(r->file, r->line, lines);
}

bool predicate_lies_on(const struct vocabulary *v, uint32_t predicate, const struct line_range *lines)
{
    const struct predicate *p = &v->predicate[predicate];

    if (!lines->file)
        return true;
    switch (p->kind) {
    case PREDICATE_LINE:    return is_on(v->file[p->x], p->y, lines);
    case PREDICATE_BRANCH:  return branch_on(routine_of(v, p->x), p->y, lines);
    case PREDICATE_ROUTINE: return routine_on(v, p->x, lines);
    case PREDICATE_PATH:    return path_on(v, predicate, lines);
    case PREDICATE_LOOP: case PREDICATE_EXACTLY: return block_on(routine_of(v, p->x), p->y, lines);
    case PREDICATE_CALLER:  return routine_on(v, p->x, lines) || routine_on(v, p->y, lines);
    case PREDICATE_CALLERS:
        return routine_on(v, p->x, lines) || routine_on(v, p->y, lines) || routine_on(v, p->z, lines);
    case PREDICATE_TRIPLE:
        return path_on(v, p->x, lines) || path_on(v, p->y, lines) || path_on(v, p->z, lines);
    case PREDICATE_PAIR: case PREDICATE_BEFORE:
        return path_on(v, p->x, lines) || path_on(v, p->y, lines);
    default:                return false;
    }
}
