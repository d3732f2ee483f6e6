/* SPDX-License-Identifier: MIT */
/* coverage-json.c - coverage for programs; schema in docs/coverage.md. */
#include <inttypes.h>

#include "wpp/base/json.h"
#include "wpp/coverage/coverage-report.h"

static void put_text(const struct coverage_report *r, const char *key, const char *text)
{
    fprintf(r->text.out, "\"%s\": ", key);
    json_string(r->text.out, text);
    fputs(", ", r->text.out);
}

static void put_bool(const struct coverage_report *r, const char *key, bool value)
{
    fprintf(r->text.out, "\"%s\": %s", key, value ? "true" : "false");
}

static void put_share(const struct coverage_report *r, const char *key,
                      const struct coverage_share *s, const char *end)
{
    fprintf(r->text.out, "\"%s\": {\"executed\": %" PRIu64 ", \"all\": %" PRIu64 "}%s", key,
            s->executed, s->all, end);
}

static void put_sums(const struct coverage_report *r, const struct coverage_sums *s)
{
    fputs("\"sums\": {", r->text.out);
    put_share(r, "lines", &s->lines, ", ");
    put_share(r, "branches", &s->branches, ", ");
    put_share(r, "routines", &s->routines, ", ");
    put_share(r, "paths", &s->paths, "}");
}

static void put_first(const struct coverage_report *r, uint32_t path)
{
    const struct path_origin *o = &r->origin[path];

    if (o->first.thread == UINT32_MAX)
        return;
    fprintf(r->text.out, ", \"input\": %" PRIu32 ", \"thread\": %" PRIu32 ", \"event\": %" PRIu64,
            r->c->program->path[o->path].input, o->first.thread, o->first.event);
}

static void put_missed(const struct coverage_report *r, const struct missed_path *m)
{
    const struct wpp_routine *graph = r->c->routine[m->routine].routine;
    const struct wpp_line *line = missed_path_line(r->c, m);

    fprintf(r->text.out, "{\"first\": %" PRIu64 ", \"paths\": %" PRIu64 ", \"steps\": %" PRIu32
            ", \"block\": %" PRIu32 ", \"to\": %" PRIu32 ", ", m->first, m->n, m->steps, m->block,
            graph->edges[m->edge].dst);
    if (line) {
        put_text(r, "file", line->file);
        fprintf(r->text.out, "\"line\": %" PRIu32 ", ", line->line);
    }
    fprintf(r->text.out, "\"reached\": %" PRIu64 ", \"way\": %" PRIu64, m->reached, m->edge_count);
    if (m->nearest != UINT32_MAX) {
        fprintf(r->text.out, ", \"nearest\": %" PRIu64 ", \"count\": %" PRIu64,
                r->c->path[m->nearest].number, r->c->path[m->nearest].count);
        put_first(r, m->nearest);
    }
    putc('}', r->text.out);
}

/* The first missed path of a routine or of a later one. */
static size_t first_missed(const struct missed_paths *m, uint32_t routine)
{
    size_t low = 0, high = m->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (m->item[middle].routine < routine)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_paths(const struct coverage_report *r, uint32_t routine)
{
    const struct coverage_routine *x = &r->c->routine[routine];

    fputs(",\n     \"executed\": [", r->text.out);
    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        fprintf(r->text.out, "%s{\"path\": %" PRIu64 ", \"count\": %" PRIu64,
                i > x->first ? ",\n      " : "\n      ", r->c->path[i].number, r->c->path[i].count);
        put_first(r, i);
        putc('}', r->text.out);
    }
    fputs("],\n     \"missed\": [", r->text.out);
    for (size_t i = first_missed(r->missed, routine), begin = i;
         i < r->missed->n && r->missed->item[i].routine == routine; i++) {
        fputs(i > begin ? ",\n      " : "\n      ", r->text.out);
        put_missed(r, &r->missed->item[i]);
    }
    putc(']', r->text.out);
}

static void put_prime(const struct coverage_report *r, const struct prime_routine *x)
{
    fprintf(r->text.out, ",\n     \"prime\": {\"executed\": %" PRIu32 ", \"all\": %" PRIu32 ", ", x->executed,
            x->paths.n);
    put_bool(r, "limited", x->paths.limited);
    fputs(", \"paths\": [", r->text.out);
    for (uint32_t p = 0; p < x->paths.n; p++) {
        fprintf(r->text.out, "%s{\"count\": %" PRIu64 ", \"blocks\": [", p ? ",\n      " : "\n      ",
                x->count[p]);
        for (uint32_t i = x->paths.first[p]; i < x->paths.first[p + 1]; i++)
            fprintf(r->text.out, i > x->paths.first[p] ? ", %" PRIu32 : "%" PRIu32, x->paths.block[i]);
        fputs("]}", r->text.out);
    }
    fputs("]}", r->text.out);
}

static void put_decision(const struct coverage_report *r, const struct mcdc_decision *x)
{
    FILE *out = r->text.out;

    putc('{', out);
    if (x->line) {
        put_text(r, "file", x->line->file);
        fprintf(out, "\"line\": %" PRIu32 ", ", x->line->line);
    }
    fputs("\"conditions\": [", out);
    for (uint32_t i = 0; i < x->d.n_conditions; i++) {
        fprintf(out, "%s{\"block\": %" PRIu32 ", ", i ? ", " : "", x->d.condition[i]);
        put_bool(r, "shown", x->shown[i]);
        fputs(", ", out);
        put_bool(r, "possible", x->possible[i]);
        fputs(", ", out);
        put_bool(r, "false_decided", x->decided[false][i]);
        fputs(", ", out);
        put_bool(r, "true_decided", x->decided[true][i]);
        putc('}', out);
    }
    fputs("], \"vectors\": [", out);
    for (uint32_t v = 0; v < x->d.n_vectors; v++) {
        const struct decision_vector *vector = &x->d.vector[v];

        fprintf(out, "%s{\"values\": \"%s\", ", v ? ", " : "", vector->value);
        put_bool(r, "outcome", vector->outcome);
        fprintf(out, ", \"count\": %" PRIu64 ", ", vector->count);
        put_bool(r, "missing", x->missing[v]);
        putc('}', out);
    }
    fputs("]}", out);
}

/* The first decision of a routine or of a later one. */
static uint32_t first_decision(const struct mcdc *m, uint32_t routine)
{
    uint32_t low = 0, high = m->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (m->decision[middle].routine < routine)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_decisions(const struct coverage_report *r, uint32_t routine)
{
    bool any = false;

    fputs(",\n     \"decisions\": [", r->text.out);
    for (uint32_t i = first_decision(r->mcdc, routine); i < first_decision(r->mcdc, routine + 1); i++) {
        fputs(any ? ",\n      " : "\n      ", r->text.out);
        put_decision(r, &r->mcdc->decision[i]);
        any = true;
    }
    putc(']', r->text.out);
}

static void put_routine(const struct coverage_report *r, const struct coverage_routine *x)
{
    put_text(r, "routine", x->routine->name);
    put_text(r, "name", x->routine->shown);
    fprintf(r->text.out, "\"line\": %" PRIu32 ", \"last_line\": %" PRIu32 ", \"calls\": %" PRIu64
            ", \"paths\": %" PRIu32 ", \"possible\": %" PRIu64 ", ", x->routine->line, x->last_line,
            x->entered, x->n, x->routine->num_paths);
    put_bool(r, "excluded", x->excluded);
}

static void put_routines(const struct coverage_report *r, const struct coverage_file *f)
{
    bool any = false;

    fputs(",\n   \"routines\": [", r->text.out);
    for (uint32_t i = f->first_routine; i < f->first_routine + f->n_routines; i++) {
        if (!coverage_shows(r, i))
            continue;
        fputs(any ? ",\n    {" : "\n    {", r->text.out);
        put_routine(r, &r->c->routine[i]);
        if (r->tables & COVERAGE_PATHS)
            put_paths(r, i);
        if (r->tables & COVERAGE_PRIME)
            put_prime(r, &r->prime->routine[i]);
        if (r->tables & COVERAGE_MCDC)
            put_decisions(r, i);
        putc('}', r->text.out);
        any = true;
    }
    putc(']', r->text.out);
}

static void put_branch(const struct coverage_report *r, const struct coverage_branch *b)
{
    put_text(r, "routine", r->c->routine[b->routine].routine->name);
    fprintf(r->text.out, "\"block\": %" PRIu32 ", \"to\": %" PRIu32 ", \"group\": %" PRIu32
            ", \"count\": %" PRIu64 ", \"reached\": %" PRIu64 ", ", b->block, b->to, b->group,
            b->count, b->reached);
    put_bool(r, "throws", b->throws);
    fputs(", ", r->text.out);
    put_bool(r, "excluded", b->excluded);
}

static void put_line(const struct coverage_report *r, const struct coverage_line *l)
{
    bool any = false;

    fprintf(r->text.out, "\"line\": %" PRIu32 ", \"count\": %" PRIu64 ", ", l->line, l->count);
    put_bool(r, "excluded", l->excluded);
    if (!(r->tables & COVERAGE_BRANCHES))
        return;
    fputs(", \"branches\": [", r->text.out);
    for (uint32_t b = l->first; b < l->first + l->n; b++) {
        if (!coverage_shows(r, r->c->branch[b].routine))
            continue;
        fputs(any ? ", {" : "{", r->text.out);
        put_branch(r, &r->c->branch[b]);
        putc('}', r->text.out);
        any = true;
    }
    putc(']', r->text.out);
}

static void put_lines(const struct coverage_report *r, uint32_t file)
{
    const struct coverage_file *f = &r->c->file[file];
    bool any = false;

    fputs(",\n   \"lines\": [", r->text.out);
    for (uint32_t i = f->first; i < f->first + f->n; i++) {
        if (!coverage_shows_line(r, file, r->c->line[i].line))
            continue;
        fputs(any ? ",\n    {" : "\n    {", r->text.out);
        put_line(r, &r->c->line[i]);
        putc('}', r->text.out);
        any = true;
    }
    putc(']', r->text.out);
}

static void put_file(const struct coverage_report *r, uint32_t number)
{
    const struct coverage_file *f = &r->c->file[number];

    put_text(r, "file", f->name);
    put_text(r, "path", f->path);
    put_sums(r, &f->sums);
    if (r->tables & (COVERAGE_ROUTINES | COVERAGE_PATHS | COVERAGE_PRIME
                     | COVERAGE_MCDC))
        put_routines(r, f);
    if (r->tables & (COVERAGE_LINES | COVERAGE_BRANCHES))
        put_lines(r, number);
}

static void put_inputs(const struct coverage_report *r)
{
    fputs("\"inputs\": [", r->text.out);
    for (uint32_t i = 0; i < r->c->program->n_inputs; i++) {
        fputs(i ? ", " : "", r->text.out);
        json_string(r->text.out, r->c->program->inputs[i].path);
    }
    fprintf(r->text.out, "], \"runs\": %" PRIu64 ", ", r->c->program->runs);
}

static void put_unknown(const struct coverage_report *r)
{
    fputs(",\n \"unknown\": [", r->text.out);
    for (uint32_t i = 0; i < r->c->program->n_gaps; i++) {
        fputs(i ? ", {" : "{", r->text.out);
        put_text(r, "module", r->c->program->gap[i].module);
        fputs("\"why\": ", r->text.out);
        json_string(r->text.out, r->c->program->gap[i].why);
        putc('}', r->text.out);
    }
    putc(']', r->text.out);
}

bool coverage_json(const struct coverage_report *r)
{
    putc('{', r->text.out);
    put_inputs(r);
    put_sums(r, &r->c->sums);
    if (r->tables & COVERAGE_PRIME)
        fprintf(r->text.out, ", \"prime_paths\": {\"executed\": %" PRIu64 ", \"all\": %" PRIu64 "}",
                r->prime->executed, r->prime->all);
    if (r->tables & COVERAGE_MCDC)
        fprintf(r->text.out, ", \"conditions\": {\"shown\": %" PRIu64 ", \"all\": %" PRIu64 "}"
                ", \"condition_values\": {\"decided\": %" PRIu64 ", \"all\": %" PRIu64 "}",
                r->mcdc->shown, r->mcdc->all, r->mcdc->decided, 2 * r->mcdc->all);
    put_unknown(r);
    fputs(",\n \"files\": [", r->text.out);
    for (uint32_t i = 0; i < r->c->n_files; i++) {
        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put_file(r, i);
        putc('}', r->text.out);
    }
    fputs("]}\n", r->text.out);
    return true;
}
