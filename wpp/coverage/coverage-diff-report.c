/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/coverage-diff-report.h"

#include <inttypes.h>

#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/coverage/coverage-branches.h"

static uint32_t file_of_line(const struct coverage *c, uint32_t line)
{
    uint32_t low = 0, high = c->n_files;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (c->file[middle].first <= line)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The last line whose branches begin at it or before: lines without branches stand before it. */
static uint32_t line_of_branch(const struct coverage *c, uint32_t branch)
{
    uint32_t low = 0, high = c->n_lines;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (c->line[middle].first <= branch)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool gained(const struct coverage_change *x)
{
    return x->count[COVERAGE_B] > 0;
}

/* ---- Text ------------------------------------------------------------------------------------------- */

static void put_inputs(const struct coverage_diff_report *r, unsigned s)
{
    const struct cover_program *p = r->d->side[s]->program;

    fprintf(r->text.out, "%c:", "AB"[s]);
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        putc(' ', r->text.out);
        name_put(r->text.out, p->inputs[i].path);
    }
    putc('\n', r->text.out);
}

static void put_sums(const struct coverage_diff_report *r, const struct coverage_share *a,
                     const struct coverage_share *b, const struct coverage_changes *changes,
                     const char *what)
{
    table_share(&r->text, (double)a->executed, a->all ? (double)a->all : 1);
    table_share(&r->text, (double)b->executed, b->all ? (double)b->all : 1);
    table_count(&r->text, 11, changes->gained);
    table_count(&r->text, 11, changes->lost);
    fprintf(r->text.out, " %s\n", what);
}

static void show_sums(const struct coverage_diff_report *r)
{
    const struct coverage_sums *a = &r->d->side[COVERAGE_A]->sums, *b = &r->d->side[COVERAGE_B]->sums;

    fputs("\n        A         B      only B      only A\n", r->text.out);
    put_sums(r, &a->lines, &b->lines, &r->d->lines, "lines");
    put_sums(r, &a->branches, &b->branches, &r->d->branches, "branches");
    put_sums(r, &a->routines, &b->routines, &r->d->routines, "routines");
    put_sums(r, &a->paths, &b->paths, &r->d->paths, "acyclic paths");
    if (r->d->n_changed > 0)
        fprintf(r->text.out, "%" PRIu32 " routine%s compiled to other code: branches and paths are not "
                "compared there\n", r->d->n_changed, r->d->n_changed == 1 ? " was" : "s were");
    if (r->d->only[COVERAGE_A] > 0 || r->d->only[COVERAGE_B] > 0)
        fprintf(r->text.out, "%" PRIu64 " lines are only in A, %" PRIu64 " only in B\n",
                r->d->only[COVERAGE_A], r->d->only[COVERAGE_B]);
}

/* Lines that only one side executed, by B's numbers, as ranges. */
static void show_lines(const struct coverage_diff_report *r, bool those_gained)
{
    const struct coverage *b = r->d->side[COVERAGE_B];
    const struct coverage_changes *c = &r->d->lines;
    uint32_t file = UINT32_MAX;

    table_heading(&r->text, those_gained ? "lines that only B executed" : "lines that only A executed");
    for (size_t i = 0, end; i < c->n; i = end) {
        uint32_t first = c->item[i].at[COVERAGE_B], its = file_of_line(b, first), last = first;

        for (end = i + 1; end < c->n && gained(&c->item[end]) == gained(&c->item[i])
             && c->item[end].at[COVERAGE_B] == last + 1 && file_of_line(b, last + 1) == its; end++)
            last++;
        if (gained(&c->item[i]) != those_gained)
            continue;
        if (its != file) {
            fputs(file == UINT32_MAX ? "  " : "\n  ", r->text.out);
            name_put(r->text.out, b->file[its].name);
            putc(':', r->text.out);
        }
        file = its;
        fprintf(r->text.out, last > first ? " %" PRIu32 "-%" PRIu32 : " %" PRIu32,
                b->line[first].line, b->line[last].line);
    }
    fputs(file == UINT32_MAX ? "  none\n" : "\n", r->text.out);
}

static void put_counts(const struct coverage_diff_report *r, const struct coverage_change *x)
{
    table_count(&r->text, 15, x->count[COVERAGE_A]);
    table_count(&r->text, 15, x->count[COVERAGE_B]);
    putc(' ', r->text.out);
}

static void put_branch(const struct coverage_diff_report *r, const struct coverage_change *x)
{
    const struct coverage *b = r->d->side[COVERAGE_B];
    const struct coverage_branch *branch = &b->branch[x->at[COVERAGE_B]];
    const struct wpp_routine *routine = b->routine[branch->routine].routine;
    uint32_t line = line_of_branch(b, x->at[COVERAGE_B]);

    name_put(r->text.out, b->file[file_of_line(b, line)].name);
    fprintf(r->text.out, ":%" PRIu32, b->line[line].line);
    coverage_put_target(r->text.out, routine, routine_branch_line(routine, branch->block), branch->to);
    fputs(", ", r->text.out);
    name_put(r->text.out, short_names_of(r->text.names, routine->shown));
    putc('\n', r->text.out);
}

static void put_routine(const struct coverage_diff_report *r, const struct coverage_change *x)
{
    const struct wpp_routine *routine = r->d->side[COVERAGE_B]->routine[x->at[COVERAGE_B]].routine;

    table_named(&r->text, 33, routine->shown, "", routine->file, routine->line, 0);
}

static void put_path(const struct coverage_diff_report *r, const struct coverage_change *x)
{
    const struct wpp_routine *routine = r->d->side[COVERAGE_B]->routine[x->at[COVERAGE_B]].routine;

    fprintf(r->text.out, "path %" PRIu64 " of ", x->number);
    table_named(&r->text, 60, routine->shown, "", routine->file, routine->line, 0);
}

static void show_changes(const struct coverage_diff_report *r, const struct coverage_changes *c,
                         const char *what, void (*put)(const struct coverage_diff_report *,
                                                       const struct coverage_change *))
{
    char heading[80];

    snprintf(heading, sizeof heading, "              A               B  %s that one side executed", what);
    table_heading(&r->text, heading);
    for (size_t i = 0; i < c->n && i < r->top; i++) {
        put_counts(r, &c->item[i]);
        put(r, &c->item[i]);
    }
    table_more(&r->text, c->n < r->top ? c->n : r->top, c->n, what);
    if (c->n == 0)
        fputs("  none\n", r->text.out);
}

static bool add_names(struct coverage_diff_report *r)
{
    const struct coverage *b = r->d->side[COVERAGE_B];

    for (uint32_t i = 0; i < b->n_routines; i++)
        if (!short_names_add(r->text.names, b->routine[i].routine->shown))
            return false;
    return short_names_settle(r->text.names);
}

bool coverage_diff_text(struct coverage_diff_report *r)
{
    if (!add_names(r))
        return false;
    put_inputs(r, COVERAGE_A);
    put_inputs(r, COVERAGE_B);
    show_sums(r);
    if (r->tables & COVERAGE_LINES) {
        show_lines(r, true);
        show_lines(r, false);
    }
    if (r->tables & COVERAGE_BRANCHES)
        show_changes(r, &r->d->branches, "branches", put_branch);
    if (r->tables & COVERAGE_ROUTINES)
        show_changes(r, &r->d->routines, "routines", put_routine);
    if (r->tables & COVERAGE_PATHS)
        show_changes(r, &r->d->paths, "paths", put_path);
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static void json_side(const struct coverage_diff_report *r, unsigned s)
{
    const struct coverage *c = r->d->side[s];
    const struct { const char *name; const struct coverage_share *share; } sums[] = {
        {"lines", &c->sums.lines}, {"branches", &c->sums.branches},
        {"routines", &c->sums.routines}, {"paths", &c->sums.paths}
    };

    fprintf(r->text.out, "\"%c\": {\"inputs\": [", "ab"[s]);
    for (uint32_t i = 0; i < c->program->n_inputs; i++) {
        fputs(i ? ", " : "", r->text.out);
        json_string(r->text.out, c->program->inputs[i].path);
    }
    fputs("], \"sums\": {", r->text.out);
    for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++)
        fprintf(r->text.out, "%s\"%s\": {\"executed\": %" PRIu64 ", \"all\": %" PRIu64 "}",
                i ? ", " : "", sums[i].name, sums[i].share->executed, sums[i].share->all);
    fputs("}},\n ", r->text.out);
}

static void json_place(FILE *out, const struct coverage *c, uint32_t line)
{
    fputs("\"file\": ", out);
    json_string(out, c->file[file_of_line(c, line)].name);
    fprintf(out, ", \"line\": %" PRIu32, c->line[line].line);
}

static void json_line(FILE *out, const struct coverage *c, const struct coverage_change *x)
{
    json_place(out, c, x->at[COVERAGE_B]);
}

static void json_branch(FILE *out, const struct coverage *c, const struct coverage_change *x)
{
    const struct coverage_branch *b = &c->branch[x->at[COVERAGE_B]];

    json_place(out, c, line_of_branch(c, x->at[COVERAGE_B]));
    fputs(", \"routine\": ", out);
    json_string(out, c->routine[b->routine].routine->name);
    fprintf(out, ", \"block\": %" PRIu32 ", \"to\": %" PRIu32, b->block, b->to);
}

static void json_routine(FILE *out, const struct coverage *c, const struct coverage_change *x)
{
    const struct wpp_routine *routine = c->routine[x->at[COVERAGE_B]].routine;

    fputs("\"file\": ", out);
    json_string(out, routine->file);
    fprintf(out, ", \"line\": %" PRIu32 ", \"routine\": ", routine->line);
    json_string(out, routine->name);
}

static void json_path(FILE *out, const struct coverage *c, const struct coverage_change *x)
{
    json_routine(out, c, x);
    fprintf(out, ", \"path\": %" PRIu64, x->number);
}

static void json_changes(const struct coverage_diff_report *r, const char *key,
                         const struct coverage_changes *c, const char *end,
                         void (*put)(FILE *, const struct coverage *, const struct coverage_change *))
{
    fprintf(r->text.out, "\"%s\": [", key);
    for (size_t i = 0; i < c->n; i++) {
        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put(r->text.out, r->d->side[COVERAGE_B], &c->item[i]);
        fprintf(r->text.out, ", \"a\": %" PRIu64 ", \"b\": %" PRIu64 "}", c->item[i].count[COVERAGE_A],
                c->item[i].count[COVERAGE_B]);
    }
    fprintf(r->text.out, "]%s", end);
}

bool coverage_diff_json(const struct coverage_diff_report *r)
{
    const struct coverage_diff *d = r->d;

    putc('{', r->text.out);
    json_side(r, COVERAGE_A);
    json_side(r, COVERAGE_B);
    fprintf(r->text.out, "\"changed_routines\": %" PRIu32 ", \"only_a\": %" PRIu64 ", \"only_b\": %"
            PRIu64 ",\n ", d->n_changed, d->only[COVERAGE_A], d->only[COVERAGE_B]);
    json_changes(r, "lines", &d->lines, ",\n ", json_line);
    json_changes(r, "branches", &d->branches, ",\n ", json_branch);
    json_changes(r, "routines", &d->routines, ",\n ", json_routine);
    json_changes(r, "paths", &d->paths, "}\n", json_path);
    return true;
}
