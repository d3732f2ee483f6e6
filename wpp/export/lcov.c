/* SPDX-License-Identifier: MIT */
/* lcov.c - a tracefile of lcov: the form that lcov 1 and 2 read, or that of lcov 2.2.
 *
 *      SF:/src/a.c
 *      FN:12,parse                FNL:0,12,30        a routine: first line, last line
 *      FNDA:3,parse               FNA:0,3,parse      executions, name
 *      BRDA:14,0,1,2              BRDA:14,e0,1,2     line, block (e: exceptions), branch, taken
 *      DA:14,9                                       line, executions
 */
#include <inttypes.h>

#include "wpp/base/names.h"
#include "wpp/export/export-coverage.h"

/* Names are the assembler's, as geninfo has them: genhtml --demangle-cpp reads them. */
static void put_name(const struct export_coverage *x, const struct coverage_routine *r)
{
    name_put(x->out, r->routine->name);
    putc('\n', x->out);
}

static void put_routines(const struct export_coverage *x, const struct coverage_file *f)
{
    uint32_t end = f->first_routine + f->n_routines;

    for (uint32_t i = f->first_routine, k = 0; i < end; i++) {
        const struct coverage_routine *r = &x->c->routine[i];

        if (!export_shows_routine(x, i))
            continue;
        if (x->lcov_2) {
            fprintf(x->out, "FNL:%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\nFNA:%" PRIu32 ",%" PRIu64 ",", k,
                    r->routine->line, r->last_line, k, export_entered(x, i));
            k++;
        } else {
            fprintf(x->out, "FN:%" PRIu32 ",", r->routine->line);
        }
        put_name(x, r);
    }
    for (uint32_t i = f->first_routine; i < end && !x->lcov_2; i++)
        if (export_shows_routine(x, i)) {
            fprintf(x->out, "FNDA:%" PRIu64 ",", export_entered(x, i));
            put_name(x, &x->c->routine[i]);
        }
}

/* Blocks of a line are numbered from 0 without gaps, and so are the branches of each. */
static void put_branches(const struct export_coverage *x, const struct coverage_line *l)
{
    uint32_t block = 0, branch = 0;
    const struct coverage_branch *last = NULL;

    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        const struct coverage_branch *b = &x->c->branch[i];

        if (!export_shows_branch(x, b))
            continue;
        if (last && b->group != last->group) {
            block++;
            branch = 0;
        }
        last = b;
        fprintf(x->out, "BRDA:%" PRIu32 ",%s%" PRIu32 ",%" PRIu32 ",", l->line,
                x->lcov_2 && b->throws ? "e" : "", block, branch++);
        if (b->reached > 0)
            fprintf(x->out, "%" PRIu64 "\n", b->count);
        else
            fputs("-\n", x->out);
    }
}

static void put_file(const struct export_coverage *x, uint32_t number)
{
    const struct coverage_file *f = &x->c->file[number];
    struct export_counts n = export_count_file(x, number);

    if (n.lines == 0)
        return;
    fputs("TN:\nSF:", x->out);
    name_put(x->out, f->path);
    putc('\n', x->out);
    put_routines(x, f);
    fprintf(x->out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", n.routines, n.routines_hit);
    for (uint32_t i = f->first; i < f->first + f->n; i++)
        if (export_shows_line(x, number, &x->c->line[i]))
            put_branches(x, &x->c->line[i]);
    if (n.branches > 0)
        fprintf(x->out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", n.branches, n.branches_hit);
    for (uint32_t i = f->first; i < f->first + f->n; i++)
        if (export_shows_line(x, number, &x->c->line[i]))
            fprintf(x->out, "DA:%" PRIu32 ",%" PRIu64 "\n", x->c->line[i].line, x->c->line[i].count);
    fprintf(x->out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", n.lines, n.lines_hit);
}

bool export_lcov(struct export_coverage *x)
{
    for (uint32_t i = 0; i < x->c->n_files && !ferror(x->out); i++)
        put_file(x, i);
    return true;
}
