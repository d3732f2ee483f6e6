/* SPDX-License-Identifier: MIT */
/* profile-csv.c - a profile for spreadsheets: one table; a column tells the kind of each row (RFC
 * 4180). */
#include <inttypes.h>

#include "wpp/base/csv.h"
#include "wpp/profile/profile-report.h"

static void put_line(const struct profile_report *r, uint32_t line)
{
    if (line)
        fprintf(r->text.out, "%" PRIu32, line);
    putc(',', r->text.out);
}

static void put_part(const struct profile_report *r, const struct part *p, const char *kind)
{
    fprintf(r->text.out, "%s,,", kind);
    csv_text(r->text.out, p->shown);
    csv_text(r->text.out, p->name);
    csv_text(r->text.out, p->file);
    put_line(r, p->line);
    put_line(r, p->last_line);
    fprintf(r->text.out, "%.17g,", p->calls);
    if (p->kind == PART_LOOP)
        fprintf(r->text.out, "%.17g", p->iterations);
    fprintf(r->text.out, ",%.17g,%.17g\r\n", p->inclusive, p->self);
}

static void put_context(const struct profile_report *r, const struct call_context *n)
{
    const struct wpp_routine *routine =
        n->routine == CONTEXT_NOBODY ? NULL : wpp_routine(r->w, n->routine);

    fprintf(r->text.out, "%s,%" PRIu32 ",", r->callers ? "caller" : "context", n->depth);
    csv_text(r->text.out, routine ? routine->shown : "");
    csv_text(r->text.out, routine ? routine->name : "");
    csv_text(r->text.out, routine ? routine->file : "");
    put_line(r, routine ? routine->line : 0);
    fprintf(r->text.out, ",%.17g,,%.17g,", n->calls, n->inclusive);
    if (!r->callers)
        fprintf(r->text.out, "%.17g", n->self);
    fputs("\r\n", r->text.out);
}

bool profile_csv(const struct profile_report *r)
{
    fputs("kind,depth,name,routine,file,line,last_line,calls,iterations,inclusive,self\r\n", r->text.out);
    for (size_t i = 0; r->contexts && i < r->contexts->n; i++)
        put_context(r, &r->contexts->node[i]);
    for (uint32_t i = 0; r->function && i < r->n_functions; i++) {
        const struct part *p = &r->parts->part[r->function[i]];

        put_part(r, p, p->kind == PART_INLINED ? "inlined" : "routine");
    }
    for (uint32_t i = 0; r->loop && i < r->n_loops; i++)
        put_part(r, &r->parts->part[r->loop[i]], "loop");
    for (size_t i = 0; r->line && i < r->n_lines; i++) {
        fputs("line,,,,", r->text.out);
        csv_text(r->text.out, r->line[i].file);
        put_line(r, r->line[i].line);
        fprintf(r->text.out, ",%" PRIu64 ",,,%.17g\r\n", r->line[i].executions, r->line[i].insns);
    }
    return true;
}
