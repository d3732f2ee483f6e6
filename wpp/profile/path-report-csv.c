/* SPDX-License-Identifier: MIT */
/* path-report-csv.c - a path profile for spreadsheets: one table, a column for what a row is of. */
#include <inttypes.h>

#include "wpp/base/csv.h"
#include "wpp/profile/path-report.h"

/* kind, name, routine, file, line: of a routine's own place. */
static void begin_row(const struct path_report *r, const char *kind, uint32_t routine)
{
    const struct wpp_routine *x = wpp_routine(r->p->w, routine);

    fprintf(r->text.out, "%s,", kind);
    csv_text(r->text.out, x->shown);
    csv_text(r->text.out, x->name);
    csv_text(r->text.out, x->file);
    fprintf(r->text.out, "%" PRIu32 ",", x->line);
}

static void put_routines(const struct path_report *r)
{
    for (uint32_t i = 0; i < r->routines.n; i++) {
        const struct profile_routine *x = &r->p->routine[r->routines.row[i]];

        begin_row(r, "routine", r->routines.row[i]);
        fprintf(r->text.out, ",,%" PRIu64 ",%.17g,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",\r\n",
                x->count, x->cost, x->n, wpp_routine(r->p->w, r->routines.row[i])->num_paths, x->entered);
    }
}

static void put_paths(const struct path_report *r)
{
    for (uint32_t i = 0; i < r->paths.n; i++) {
        const struct profile_path *x = &r->p->path[r->paths.row[i]];
        const struct wpp_terminal *t = wpp_terminal(r->p->w, x->terminal);

        begin_row(r, "path", x->routine);
        fprintf(r->text.out, "%" PRIu64 ",,%" PRIu64 ",%.17g,,,,\"", t->path, x->count, x->cost);
        for (uint32_t k = 0; k < t->n_blocks; k++)
            fprintf(r->text.out, "%s%" PRIu32, k ? " " : "", t->blocks[k]);
        fputs("\"\r\n", r->text.out);
    }
}

static void put_blocks(const struct path_report *r)
{
    for (uint32_t i = 0; i < r->blocks.n; i++) {
        const struct path_part *x = &r->blocks.row[i];

        begin_row(r, "block", x->routine);
        fprintf(r->text.out, "%" PRIu32 ",,%" PRIu64 ",%.17g,,,,\r\n", x->number, x->count,
                (double)x->count * wpp_routine(r->p->w, x->routine)->blocks[x->number].insns);
    }
}

static void put_edges(const struct path_report *r)
{
    for (uint32_t i = 0; i < r->edges.n; i++) {
        const struct path_part *x = &r->edges.row[i];
        const struct wpp_edge *e = &wpp_routine(r->p->w, x->routine)->edges[x->number];
        uint32_t target = path_edge_target(e);

        begin_row(r, "edge", x->routine);
        fprintf(r->text.out, "%" PRIu32 ",", e->src);
        if (target != UINT32_MAX)
            fprintf(r->text.out, "%" PRIu32, target);
        fprintf(r->text.out, ",%" PRIu64 ",,,,,\r\n", x->count);
    }
}

bool path_report_csv(const struct path_report *r)
{
    unsigned tables = r->request.tables;

    fputs("kind,name,routine,file,line,number,to,count,cost,paths,possible,calls,blocks\r\n",
          r->text.out);
    if (tables & PATH_TABLE_ROUTINES)
        put_routines(r);
    if (tables & (PATH_TABLE_HOT | PATH_TABLE_PATHS))
        put_paths(r);
    if (tables & PATH_TABLE_BLOCKS)
        put_blocks(r);
    if (tables & PATH_TABLE_EDGES)
        put_edges(r);
    for (size_t i = 0; (tables & PATH_TABLE_LINES) && i < r->n_lines; i++) {
        fputs("line,,,", r->text.out);
        csv_text(r->text.out, r->lines.item[i].file);
        fprintf(r->text.out, "%" PRIu32 ",,,%" PRIu64 ",,,,,\r\n", r->lines.item[i].line,
                r->lines.item[i].count);
    }
    return true;
}
