/* SPDX-License-Identifier: MIT */
/* path-report-json.c - a path profile for programs; schema in docs/profile.md. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/json.h"
#include "wpp/profile/path-report.h"

static void put_text(const struct path_report *r, const char *key, const char *text)
{
    fprintf(r->text.out, "\"%s\": ", key);
    json_string(r->text.out, text);
    fputs(", ", r->text.out);
}

static void put_routine(const struct path_report *r, uint32_t number)
{
    const struct wpp_routine *routine = wpp_routine(r->p->w, number);

    put_text(r, "routine", routine->name);
    put_text(r, "name", routine->shown);
}

static void begin_table(const struct path_report *r, const char *key)
{
    fprintf(r->text.out, ",\n \"%s\": [", key);
}

static void begin_row(const struct path_report *r, size_t i)
{
    fputs(i ? ",\n  {" : "\n  {", r->text.out);
}

static void put_routines(const struct path_report *r)
{
    begin_table(r, "routines");
    for (uint32_t i = 0; i < r->routines.n; i++) {
        const struct profile_routine *x = &r->p->routine[r->routines.row[i]];
        const struct wpp_routine *routine = wpp_routine(r->p->w, r->routines.row[i]);

        begin_row(r, i);
        put_routine(r, r->routines.row[i]);
        put_text(r, "file", routine->file);
        put_text(r, "directory", routine->directory);
        fprintf(r->text.out, "\"line\": %" PRIu32 ", \"paths\": %" PRIu32 ", \"possible\": %" PRIu64
                ", \"calls\": %" PRIu64 ", \"count\": %" PRIu64 ", \"cost\": %.17g}",
                routine->line, x->n, routine->num_paths, x->entered, x->count, x->cost);
    }
    fputs("]", r->text.out);
}

static void put_blocks_of(const struct path_report *r, const struct wpp_terminal *t)
{
    fputs("\"blocks\": [", r->text.out);
    for (uint32_t i = 0; i < t->n_blocks; i++)
        fprintf(r->text.out, "%s%" PRIu32, i ? ", " : "", t->blocks[i]);
    fputs("], \"lines\": ", r->text.out);
}

/* The lines as in text: `a.c:3-6 9`. */
static bool put_lines_of(const struct path_report *r, uint32_t terminal)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    bool ok = memory && path_put_lines(memory, r->p->w, terminal, 0);

    ok = memory && fclose(memory) == 0 && ok;
    if (ok)
        json_string(r->text.out, text);
    free(text);
    return ok;
}

static bool put_paths(const struct path_report *r)
{
    bool ok = true;

    begin_table(r, "paths");
    for (uint32_t i = 0; ok && i < r->paths.n; i++) {
        const struct profile_path *x = &r->p->path[r->paths.row[i]];
        const struct wpp_terminal *t = wpp_terminal(r->p->w, x->terminal);

        begin_row(r, i);
        put_routine(r, x->routine);
        fprintf(r->text.out, "\"path\": %" PRIu64 ", \"count\": %" PRIu64 ", \"instructions\": %"
                PRIu64 ", \"cost\": %.17g, ", t->path, x->count, t->insns, x->cost);
        put_blocks_of(r, t);
        ok = put_lines_of(r, x->terminal);
        putc('}', r->text.out);
    }
    fputs("]", r->text.out);
    return ok;
}

static void put_blocks(const struct path_report *r)
{
    begin_table(r, "blocks");
    for (uint32_t i = 0; i < r->blocks.n; i++) {
        const struct path_part *x = &r->blocks.row[i];

        begin_row(r, i);
        put_routine(r, x->routine);
        fprintf(r->text.out, "\"block\": %" PRIu32 ", \"count\": %" PRIu64 ", \"instructions\": %"
                PRIu32 "}", x->number, x->count,
                wpp_routine(r->p->w, x->routine)->blocks[x->number].insns);
    }
    fputs("]", r->text.out);
}

static void put_edges(const struct path_report *r)
{
    begin_table(r, "edges");
    for (uint32_t i = 0; i < r->edges.n; i++) {
        const struct path_part *x = &r->edges.row[i];
        const struct wpp_edge *e = &wpp_routine(r->p->w, x->routine)->edges[x->number];
        uint32_t target = path_edge_target(e);

        begin_row(r, i);
        put_routine(r, x->routine);
        fprintf(r->text.out, "\"from\": %" PRIu32 ", \"to\": ", e->src);
        if (target == UINT32_MAX)
            fputs("null", r->text.out);
        else
            fprintf(r->text.out, "%" PRIu32, target);
        fprintf(r->text.out, ", \"kind\": \"%s\", \"count\": %" PRIu64 "}",
                e->kind == WPP_EDGE_REAL ? "real" : path_edge_text(e->kind), x->count);
    }
    fputs("]", r->text.out);
}

static void put_lines(const struct path_report *r)
{
    begin_table(r, "lines");
    for (size_t i = 0; i < r->n_lines; i++) {
        begin_row(r, i);
        put_text(r, "file", r->lines.item[i].file);
        fprintf(r->text.out, "\"line\": %" PRIu32 ", \"count\": %" PRIu64 "}",
                r->lines.item[i].line, r->lines.item[i].count);
    }
    fputs("]", r->text.out);
}

bool path_report_json(const struct path_report *r)
{
    unsigned tables = r->request.tables;
    struct wpp_summary run;
    bool ok = true;

    wpp_get_summary(r->p->w, &run);
    fputs("{", r->text.out);
    put_text(r, "file", r->path);
    put_text(r, "program", run.program);
    put_text(r, "command", run.command);
    put_text(r, "profile", path_kind_text(r->p->kind));
    fprintf(r->text.out, "\"runs\": %" PRIu64 ", \"complete\": %s, \"count\": %" PRIu64
            ", \"cost\": %.17g", r->p->runs, run.complete ? "true" : "false", r->p->count,
            r->p->cost);
    if (tables & PATH_TABLE_ROUTINES)
        put_routines(r);
    if (tables & (PATH_TABLE_HOT | PATH_TABLE_PATHS))
        ok = put_paths(r);
    if (tables & PATH_TABLE_BLOCKS)
        put_blocks(r);
    if (tables & PATH_TABLE_EDGES)
        put_edges(r);
    if (tables & PATH_TABLE_LINES)
        put_lines(r);
    fputs("}\n", r->text.out);
    return ok;
}
