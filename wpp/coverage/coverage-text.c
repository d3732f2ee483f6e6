/* SPDX-License-Identifier: MIT */
/* coverage-text.c - coverage for people. */
#include <inttypes.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/coverage/coverage-branches.h"
#include "wpp/coverage/coverage-report.h"

#define BLOCK_EXIT 1

bool coverage_shows(const struct coverage_report *r, uint32_t routine)
{
    return !r->chosen || r->chosen[routine];
}

bool coverage_shows_line(const struct coverage_report *r, uint32_t file, uint32_t line)
{
    const struct coverage_file *f = &r->c->file[file];

    for (uint32_t i = f->first_routine; r->chosen && i < f->first_routine + f->n_routines; i++)
        if (r->chosen[i] && r->c->routine[i].routine->line <= line
            && line <= r->c->routine[i].last_line)
            return true;
    return !r->chosen;
}

/* ---- Shares --------------------------------------------------------------------------------------- */

static void put_share(const struct coverage_report *r, const struct coverage_share *s)
{
    if (s->all == 0)
        fprintf(r->text.out, "%9s ", "-");
    else
        table_share(&r->text, (double)s->executed, (double)s->all);
}

static void put_sum(const struct coverage_report *r, const struct coverage_share *s,
                    const char *what)
{
    char executed[NUMBER_TEXT], all[NUMBER_TEXT];

    put_share(r, s);
    fprintf(r->text.out, "%12s of %-12s %s\n", number_grouped(s->executed, executed),
            number_grouped(s->all, all), what);
}

static void show_sums(const struct coverage_report *r)
{
    const struct coverage_sums *s = &r->c->sums;
    char runs[NUMBER_TEXT];

    fprintf(r->text.out, "%s run%s\n", number_grouped(r->c->program->runs, runs),
            r->c->program->runs == 1 ? "" : "s");
    put_sum(r, &s->lines, "lines");
    put_sum(r, &s->branches, "branches");
    put_sum(r, &s->routines, "routines");
    put_sum(r, &s->paths, r->c->program->kind == WPP_PROFILE_EDGES ? "edges" : "acyclic paths");
    if (r->tables & COVERAGE_PRIME)
        put_sum(r, &(struct coverage_share){r->prime->executed, r->prime->all}, "prime paths");
    if (r->tables & COVERAGE_MCDC) {
        put_sum(r, &(struct coverage_share){r->mcdc->shown, r->mcdc->all}, "conditions (MC/DC)");
        put_sum(r, &(struct coverage_share){r->mcdc->decided, 2 * r->mcdc->all}, "values of conditions (masking MC/DC)");
    }
}

static void show_files(const struct coverage_report *r)
{
    uint64_t shown = 0;

    table_heading(&r->text, "    lines  branches  routines     paths  file");
    for (uint32_t i = 0; i < r->c->n_files && shown < r->top; i++, shown++) {
        const struct coverage_file *f = &r->c->file[i];

        put_share(r, &f->sums.lines);
        put_share(r, &f->sums.branches);
        put_share(r, &f->sums.routines);
        put_share(r, &f->sums.paths);
        putc(' ', r->text.out);
        table_place(&r->text, 41, f->name, 0);
    }
    table_more(&r->text, shown, r->c->n_files, "files");
}

/* ---- Routines -------------------------------------------------------------------------------------- */

static void show_routine(const struct coverage_report *r, const struct coverage_routine *x)
{
    const char *remark = x->excluded ? "  [excluded]" : !coverage_executed(x) ? "  [never executed]" : "";

    table_count(&r->text, 15, x->entered);
    table_count(&r->text, 8, x->n);
    table_count(&r->text, 14, x->routine->num_paths);
    putc(' ', r->text.out);
    table_named(&r->text, 41, x->routine->shown, remark,
                x->file == UINT32_MAX ? x->routine->file : r->c->file[x->file].name,
                x->routine->line, 0);
}

static void show_routines(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    table_heading(&r->text, "          calls    paths    of possible  routine");
    for (uint32_t i = 0; i < r->c->n_routines; i++) {
        if (!coverage_shows(r, i))
            continue;
        if (all++ < r->top) {
            show_routine(r, &r->c->routine[i]);
            shown++;
        }
    }
    table_more(&r->text, shown, all, "routines");
}

/* ---- Lines ------------------------------------------------------------------------------------------ */

static bool is_missed(const struct coverage_line *l)
{
    return l->count == 0 && !l->excluded;
}

/* Missed lines that have only lines without code between them are one range. */
static void show_missed(const struct coverage_report *r, uint32_t file)
{
    const struct coverage_file *f = &r->c->file[file];
    const struct coverage_line *l = &r->c->line[f->first];

    for (uint32_t i = 0, end; i < f->n; i = end) {
        for (end = i + 1; is_missed(&l[i]) && end < f->n && is_missed(&l[end])
                          && coverage_shows_line(r, file, l[end].line);)
            end++;
        if (!is_missed(&l[i]) || !coverage_shows_line(r, file, l[i].line))
            continue;
        fprintf(r->text.out, end - i > 1 ? " %" PRIu32 "-%" PRIu32 : " %" PRIu32, l[i].line,
                l[end - 1].line);
    }
    putc('\n', r->text.out);
}

static bool has_missed(const struct coverage_report *r, uint32_t file)
{
    const struct coverage_file *f = &r->c->file[file];

    for (uint32_t i = f->first; i < f->first + f->n; i++)
        if (is_missed(&r->c->line[i]) && coverage_shows_line(r, file, r->c->line[i].line))
            return true;
    return false;
}

static void show_missed_lines(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    table_heading(&r->text, "missed lines");
    for (uint32_t i = 0; i < r->c->n_files; i++) {
        if (!has_missed(r, i) || all++ >= r->top)
            continue;
        fputs("  ", r->text.out);
        name_put(r->text.out, r->c->file[i].name);
        putc(':', r->text.out);
        show_missed(r, i);
        shown++;
    }
    table_more(&r->text, shown, all, "files");
    if (all == 0)
        fputs("  none\n", r->text.out);
}

static void show_all_lines(const struct coverage_report *r)
{
    table_heading(&r->text, "          count  line");
    for (uint32_t i = 0; i < r->c->n_files; i++) {
        const struct coverage_file *f = &r->c->file[i];

        for (uint32_t k = f->first; k < f->first + f->n; k++) {
            const struct coverage_line *l = &r->c->line[k];

            if (!coverage_shows_line(r, i, l->line))
                continue;
            table_count(&r->text, 15, l->count);
            putc(' ', r->text.out);
            name_put(r->text.out, f->name);
            fprintf(r->text.out, ":%" PRIu32 "%s\n", l->line, l->excluded ? "  [excluded]" : "");
        }
    }
}

/* ---- Branches ---------------------------------------------------------------------------------------- */

void coverage_put_target(FILE *out, const struct wpp_routine *routine, const struct wpp_line *from,
                         uint32_t block)
{
    const struct wpp_block *b = &routine->blocks[block];

    if (block == BLOCK_EXIT) {
        fputs(" out of the routine", out);
    } else if (b->n_lines == 0) {
        fprintf(out, " to block %" PRIu32, block);
    } else if (from && strcmp(from->file, b->lines[0].file) == 0) {
        fprintf(out, " to line %" PRIu32, b->lines[0].line);
    } else {
        fputs(" to ", out);
        name_put(out, b->lines[0].file);
        fprintf(out, ":%" PRIu32, b->lines[0].line);
    }
}

static void show_branch(const struct coverage_report *r, const struct coverage_file *f,
                        const struct coverage_line *l, const struct coverage_branch *b)
{
    const struct wpp_routine *routine = r->c->routine[b->routine].routine;

    table_count(&r->text, 15, b->count);
    table_count(&r->text, 15, b->reached);
    putc(' ', r->text.out);
    name_put(r->text.out, f->name);
    fprintf(r->text.out, ":%" PRIu32, l->line);
    coverage_put_target(r->text.out, routine, routine_branch_line(routine, b->block), b->to);
    fputs(", ", r->text.out);
    name_put(r->text.out, short_names_of(r->text.names, routine->shown));
    fprintf(r->text.out, "%s%s\n", b->throws ? "  [exception]" : "",
            l->excluded || b->excluded ? "  [excluded]" : "");
}

static void show_branches(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    table_heading(&r->text, r->all ? "          count             of  branch"
                                   : "          count             of  missed branch");
    for (uint32_t i = 0; i < r->c->n_files; i++)
        for (uint32_t k = r->c->file[i].first; k < r->c->file[i].first + r->c->file[i].n; k++) {
            const struct coverage_line *l = &r->c->line[k];

            for (uint32_t b = l->first; b < l->first + l->n; b++) {
                const struct coverage_branch *branch = &r->c->branch[b];
                bool missed = branch->count == 0 && !branch->excluded && !l->excluded;

                if (!coverage_shows(r, branch->routine) || (!missed && !r->all)
                    || all++ >= r->top)
                    continue;
                show_branch(r, &r->c->file[i], l, branch);
                shown++;
            }
        }
    table_more(&r->text, shown, all, "branches");
    if (all == 0)
        fputs("  none\n", r->text.out);
}

static bool add_names(struct coverage_report *r)
{
    for (uint32_t i = 0; i < r->c->n_routines; i++)
        if (coverage_shows(r, i) && !short_names_add(r->text.names, r->c->routine[i].routine->shown))
            return false;
    return short_names_settle(r->text.names);
}

bool coverage_text(struct coverage_report *r)
{
    if (!add_names(r))
        return false;
    show_sums(r);
    if (r->tables & COVERAGE_FILES)
        show_files(r);
    if (r->tables & COVERAGE_ROUTINES)
        show_routines(r);
    if (r->tables & COVERAGE_LINES)
        (r->all ? show_all_lines : show_missed_lines)(r);
    if (r->tables & COVERAGE_BRANCHES)
        show_branches(r);
    return (!(r->tables & COVERAGE_PATHS) || coverage_paths_text(r))
        && (!(r->tables & COVERAGE_PRIME) || coverage_prime_text(r))
        && (!(r->tables & COVERAGE_MCDC) || coverage_mcdc_text(r));
}
