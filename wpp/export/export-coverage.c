/* SPDX-License-Identifier: MIT */
#include "wpp/export/export-coverage.h"

bool export_shows_routine(const struct export_coverage *x, uint32_t routine)
{
    return !x->c->routine[routine].excluded && (!x->chosen || x->chosen[routine]);
}

bool export_shows_line(const struct export_coverage *x, uint32_t file, const struct coverage_line *l)
{
    const struct coverage_file *f = &x->c->file[file];
    const struct coverage_routine *r = x->c->routine;

    for (uint32_t i = f->first_routine; x->chosen && i < f->first_routine + f->n_routines; i++)
        if (x->chosen[i] && r[i].routine->line <= l->line && l->line <= r[i].last_line)
            return !l->excluded;
    return !x->chosen && !l->excluded;
}

bool export_shows_branch(const struct export_coverage *x, const struct coverage_branch *b)
{
    return !b->excluded && (!x->chosen || x->chosen[b->routine]);
}

uint32_t export_routine_of(const struct export_coverage *x, uint32_t file, uint32_t line)
{
    const struct coverage_file *f = &x->c->file[file];
    uint32_t low = f->first_routine, high = low + f->n_routines;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (x->c->routine[middle].routine->line <= line)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > f->first_routine)
        if (x->c->routine[low].last_line >= line && export_shows_routine(x, low))
            return low;
    return UINT32_MAX;
}

/* Whether another routine that begins on this line was entered: another instance of a template. */
static bool other_was_entered(const struct export_coverage *x, uint32_t routine)
{
    const struct coverage_routine *r = x->c->routine;
    const struct coverage_file *f = &x->c->file[r[routine].file];
    uint32_t line = r[routine].routine->line, first = routine;

    while (first > f->first_routine && r[first - 1].routine->line == line)
        first--;
    for (; first < f->first_routine + f->n_routines && r[first].routine->line == line; first++)
        if (r[first].entered > 0)
            return true;
    return false;
}

uint64_t export_entered(const struct export_coverage *x, uint32_t routine)
{
    const struct coverage_routine *r = &x->c->routine[routine];
    uint32_t end;

    if (r->entered > 0 || r->file == UINT32_MAX || other_was_entered(x, routine))
        return r->entered;
    end = x->c->file[r->file].first + x->c->file[r->file].n;
    for (uint32_t i = export_find_line(x, r->file, r->routine->line);
         i < end && x->c->line[i].line <= r->last_line; i++) {
        const struct coverage_line *l = &x->c->line[i];
        uint32_t inner = l->count > 0 ? export_routine_of(x, r->file, l->line) : UINT32_MAX;

        if (inner != UINT32_MAX && x->c->routine[inner].routine->line == r->routine->line)
            return l->count;
    }
    return 0;
}

static void count_line(const struct export_coverage *x, const struct coverage_line *l,
                       struct export_counts *out)
{
    out->lines++;
    out->lines_hit += l->count > 0;
    for (uint32_t i = l->first; i < l->first + l->n; i++)
        if (export_shows_branch(x, &x->c->branch[i])) {
            out->branches++;
            out->branches_hit += x->c->branch[i].count > 0;
        }
}

uint32_t export_find_line(const struct export_coverage *x, uint32_t file, uint32_t line)
{
    uint32_t low = x->c->file[file].first, high = low + x->c->file[file].n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (x->c->line[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct export_counts export_count_lines(const struct export_coverage *x, uint32_t file, uint32_t first,
                                        uint32_t last)
{
    uint32_t end = x->c->file[file].first + x->c->file[file].n;
    struct export_counts out = {0};

    for (uint32_t i = export_find_line(x, file, first); i < end && x->c->line[i].line <= last; i++)
        if (export_shows_line(x, file, &x->c->line[i]))
            count_line(x, &x->c->line[i], &out);
    return out;
}

struct export_counts export_count_file(const struct export_coverage *x, uint32_t file)
{
    const struct coverage_file *f = &x->c->file[file];
    struct export_counts out = export_count_lines(x, file, 0, UINT32_MAX);

    for (uint32_t i = f->first_routine; i < f->first_routine + f->n_routines; i++)
        if (export_shows_routine(x, i)) {
            out.routines++;
            out.routines_hit += export_entered(x, i) > 0;
        }
    return out;
}
