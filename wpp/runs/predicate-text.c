/* SPDX-License-Identifier: MIT */
/* predicate-text.c - predicates in words. */
#include <inttypes.h>

#include "wpp/base/names.h"
#include "wpp/replay/line-trail.h"
#include "wpp/runs/suspects-report.h"

enum { MAX_RUNS = 8, NAME_MOST = 60 };

static const struct wpp_routine *routine_of(const struct vocabulary *v, uint32_t routine)
{
    return wpp_routine(v->routine[routine].w, v->routine[routine].number);
}

static void put_routine(FILE *out, const struct vocabulary *v, uint32_t routine)
{
    char name[NAME_MOST];

    name_shorten(routine_of(v, routine)->shown, name, sizeof name);
    name_put(out, name);
}

static void put_line(FILE *out, const struct wpp_line *line)
{
    name_put(out, line->file);
    fprintf(out, ":%" PRIu32, line->line);
}

/* The block's first line, or its last; else the routine's own. */
static struct wpp_line line_of(const struct wpp_routine *r, uint32_t block, bool last)
{
    const struct wpp_block *b = &r->blocks[block];

    if (b->n_lines > 0)
        return b->lines[last ? b->n_lines - 1 : 0];
    return (struct wpp_line){.file = r->file, .line = r->line};
}

/* `path 12 of parse [lex.c:3-6 9]` */
static void put_path(FILE *out, const struct vocabulary *v, uint32_t predicate)
{
    const struct known_path *p = predicate_path(v, predicate);
    struct trail trail;

    fprintf(out, "path %" PRIu64 " of ", p->terminal.path);
    put_routine(out, v, p->routine);
    if (!trail_of(&p->terminal, routine_of(v, p->routine), &trail))
        return;
    fputs(" [", out);
    trail_print(out, &trail, MAX_RUNS);
    putc(']', out);
    trail_free(&trail);
}

/* Where control goes on by an edge. */
static void put_target(FILE *out, const struct wpp_routine *r, const struct wpp_edge *e)
{
    uint32_t to = e->kind >= WPP_EDGE_END_BACK ? e->to : e->dst;
    enum { EXIT = 1 };
    struct wpp_line line;

    if (to == EXIT || to >= r->n_blocks) {
        fputs(to == EXIT ? "the end" : "elsewhere", out);
        return;
    }
    line = line_of(r, to, false);
    put_line(out, &line);
    if (r->blocks[to].n_lines == 0)
        fprintf(out, " (block %" PRIu32 ")", to);
}

static void put_branch(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    const struct wpp_routine *r = routine_of(v, p->x);
    const struct wpp_edge *e = &r->edges[p->y];
    struct wpp_line from = line_of(r, e->src, true);

    fputs("goes from ", out);
    put_line(out, &from);
    fputs(" to ", out);
    put_target(out, r, e);
    fputs(", in ", out);
    put_routine(out, v, p->x);
}

static void put_loop(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    struct wpp_line at = line_of(routine_of(v, p->x), p->y, false);

    fputs("goes round the loop at ", out);
    put_line(out, &at);
    fprintf(out, " %s%" PRIu32 " time%s%s, in ", p->kind == PREDICATE_EXACTLY ? "exactly " : "", p->z,
            p->z == 1 ? "" : "s", p->kind == PREDICATE_LOOP ? " or more" : "");
    put_routine(out, v, p->x);
}

static void put_depth(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    put_routine(out, v, p->x);
    fprintf(out, " is called within itself, %" PRIu32 " deep or more", p->z);
}

static void put_grams(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    put_path(out, v, p->x);
    fputs(p->kind == PREDICATE_BEFORE ? " comes before " : ", then ", out);
    put_path(out, v, p->y);
    if (p->kind != PREDICATE_TRIPLE)
        return;
    fputs(", then ", out);
    put_path(out, v, p->z);
}

static void put_callers(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    put_routine(out, v, p->kind == PREDICATE_CALLER ? p->y : p->z);
    fputs(" is called by ", out);
    put_routine(out, v, p->kind == PREDICATE_CALLER ? p->x : p->y);
    if (p->kind == PREDICATE_CALLER)
        return;
    fputs(", called by ", out);
    put_routine(out, v, p->x);
}

void predicate_put(FILE *out, const struct vocabulary *v, uint32_t predicate)
{
    const struct predicate *p = &v->predicate[predicate];
    struct wpp_line line = {.line = p->y};

    switch (p->kind) {
    case PREDICATE_LINE:
        line.file = v->file[p->x];
        put_line(out, &line);
        break;
    case PREDICATE_ROUTINE:
        put_routine(out, v, p->x);
        fputs(" is called", out);
        break;
    case PREDICATE_BRANCH: put_branch(out, v, p); break;
    case PREDICATE_PATH: put_path(out, v, predicate); break;
    case PREDICATE_DEPTH: put_depth(out, v, p); break;
    case PREDICATE_LOOP: case PREDICATE_EXACTLY: put_loop(out, v, p); break;
    case PREDICATE_CALLER: case PREDICATE_CALLERS: put_callers(out, v, p); break;
    default: put_grams(out, v, p); break;
    }
}

struct wpp_line predicate_place(const struct vocabulary *v, uint32_t predicate)
{
    const struct predicate *p = &v->predicate[predicate];
    const struct wpp_routine *r;
    const struct known_path *path;

    switch (p->kind) {
    case PREDICATE_LINE:
        return (struct wpp_line){.file = v->file[p->x], .line = p->y};
    case PREDICATE_ROUTINE: case PREDICATE_DEPTH: case PREDICATE_CALLER: case PREDICATE_CALLERS:
        r = routine_of(v, p->kind == PREDICATE_CALLER ? p->y : p->kind == PREDICATE_CALLERS ? p->z : p->x);
        return (struct wpp_line){.file = r->file, .line = r->line};
    case PREDICATE_BRANCH:
        r = routine_of(v, p->x);
        return line_of(r, r->edges[p->y].src, true);
    case PREDICATE_LOOP: case PREDICATE_EXACTLY:
        return line_of(routine_of(v, p->x), p->y, false);
    default:
        path = predicate_path(v, p->kind == PREDICATE_PATH ? predicate
                                 : p->kind == PREDICATE_TRIPLE ? p->z : p->y);
        r = routine_of(v, path->routine);
        for (uint32_t i = path->terminal.n_blocks; i-- > 0;)
            if (r->blocks[path->terminal.blocks[i]].n_lines > 0)
                return line_of(r, path->terminal.blocks[i], true);
        return (struct wpp_line){.file = r->file, .line = r->line};
    }
}
