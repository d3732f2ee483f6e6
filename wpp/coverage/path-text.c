/* SPDX-License-Identifier: MIT */
/* path-text.c - executed and missed paths, for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/coverage/coverage-report.h"
#include "wpp/replay/line-trail.h"

enum { MAX_RUNS = 8 };

static void put_count(FILE *out, uint64_t n)
{
    char text[NUMBER_TEXT];

    fputs(number_grouped(n, text), out);
}

/* `, first at event 12 of thread 1 of b.wpp`: what is the only one is not named. */
static void put_first(const struct coverage_report *r, uint32_t path)
{
    const struct path_origin *o = &r->origin[path];
    const struct cover_input *input;
    FILE *out = r->text.out;

    if (o->first.thread == UINT32_MAX)
        return;
    input = &r->c->program->inputs[r->c->program->path[o->path].input];
    fputs(", first at event ", out);
    put_count(out, o->first.event);
    if (wpp_grammar(input->w)->n_threads > 1)
        fprintf(out, " of thread %" PRIu32, o->first.thread);
    if (r->c->program->n_inputs > 1) {
        fputs(" of ", out);
        name_put(out, input->path);
    }
}

static void put_routine(const struct coverage_report *r, const struct coverage_routine *x)
{
    name_put(r->text.out, short_names_of(r->text.names, x->routine->shown));
    fputs(", ", r->text.out);
    name_put(r->text.out, x->file == UINT32_MAX ? x->routine->file : r->c->file[x->file].name);
}

/* ---- Executed ------------------------------------------------------------------------------------- */

static bool put_lines(const struct coverage_report *r, uint32_t path)
{
    const struct cover_path *x = &r->c->program->path[r->origin[path].path];
    const wpp *w = r->c->program->inputs[x->input].w;
    const struct wpp_terminal *t = wpp_terminal(w, x->terminal);
    struct trail trail;

    if (!trail_of(t, wpp_routine(w, t->routine), &trail))
        return false;
    trail_print(r->text.out, &trail, r->all ? 0 : MAX_RUNS);
    trail_free(&trail);
    return true;
}

static bool show_executed(const struct coverage_report *r, uint32_t routine, uint32_t path)
{
    table_count(&r->text, 15, r->c->path[path].count);
    fprintf(r->text.out, " path %" PRIu64 " of ", r->c->path[path].number);
    put_routine(r, &r->c->routine[routine]);
    put_first(r, path);
    fputs("\n                   ", r->text.out);
    if (!put_lines(r, path))
        return false;
    putc('\n', r->text.out);
    return true;
}

/* ---- Missed --------------------------------------------------------------------------------------- */

static void put_numbers(const struct coverage_report *r, const struct missed_path *m)
{
    if (m->n == 1) {
        fprintf(r->text.out, " path %" PRIu64 " of ", m->first);
    } else {
        fprintf(r->text.out, " paths %" PRIu64 "-%" PRIu64 " of ", m->first, m->first + m->n - 1);
    }
    put_routine(r, &r->c->routine[m->routine]);
}

/* Where they go instead of going on as the nearest path does, and whether that was ever done. */
static void put_way(const struct coverage_report *r, const struct missed_path *m,
                    const struct wpp_line *line)
{
    const struct wpp_routine *graph = r->c->routine[m->routine].routine;
    const struct wpp_edge *e = &graph->edges[m->edge];
    FILE *out = r->text.out;

    fputs(e->kind == WPP_EDGE_END_BACK ? " goes back" : " goes", out);
    if (e->kind == WPP_EDGE_REAL)
        coverage_put_target(out, graph, line, e->dst);
    else if (e->to != UINT32_MAX)
        coverage_put_target(out, graph, line, e->to);
    else
        fputs(" on", out);
    fputs(m->edge_count == 0 ? " (never done)" : " (done ", out);
    if (m->edge_count > 0) {
        put_count(out, m->edge_count);
        fputs(m->edge_count == 1 ? " time elsewhere)" : " times elsewhere)", out);
    }
}

/* No executed path has a part of it. */
static void put_no_beginning(const struct coverage_report *r, const struct missed_path *m)
{
    const struct coverage_routine *x = &r->c->routine[m->routine];
    const struct wpp_edge *e = &x->routine->edges[m->edge];

    if (x->n == 0) {
        fputs(": the routine was never executed\n", r->text.out);
        return;
    }
    fputs(": control never came", r->text.out);
    coverage_put_target(r->text.out, x->routine, &(struct wpp_line){.file = x->routine->file}, e->dst);
    fputs(", where a path begins\n", r->text.out);
}

static void show_missed(const struct coverage_report *r, const struct missed_path *m)
{
    const struct wpp_line *line = missed_path_line(r->c, m);
    FILE *out = r->text.out;

    table_count(&r->text, 15, m->reached);
    put_numbers(r, m);
    if (m->nearest == UINT32_MAX) {
        put_no_beginning(r, m);
        return;
    }
    fprintf(out, ": differs from path %" PRIu64, r->c->path[m->nearest].number);
    if (line)
        fprintf(out, " at line %" PRIu32, line->line);
    else
        fprintf(out, " at block %" PRIu32, m->block);
    fputs(", taken ", out);
    put_count(out, r->c->path[m->nearest].count);
    fputs(r->c->path[m->nearest].count == 1 ? " time" : " times", out);
    put_first(r, m->nearest);
    fputs("\n                 there it", out);
    put_way(r, m, line);
    putc('\n', out);
}

static int compare_reached(const void *left, const void *right, void *items)
{
    const struct missed_path *item = items;
    size_t x = *(const size_t *)left, y = *(const size_t *)right;

    if (item[x].reached != item[y].reached)
        return item[x].reached > item[y].reached ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool show_all_missed(const struct coverage_report *r)
{
    size_t n = r->missed->n, *order = malloc((n + 1) * sizeof *order);

    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, compare_reached, r->missed->item);
    table_heading(&r->text, "      beginning  missed path");
    for (size_t i = 0; i < n && i < r->top; i++)
        show_missed(r, &r->missed->item[order[i]]);
    table_more(&r->text, n < r->top ? n : r->top, n, "missed paths");
    if (n == 0)
        fputs("  none\n", r->text.out);
    else
        fputs("beginning: executions of paths with the same beginning, as long as one was executed\n",
              r->text.out);
    free(order);
    return true;
}

static bool show_all_executed(const struct coverage_report *r)
{
    uint64_t all = 0, shown = 0;

    table_heading(&r->text, "          count  executed path");
    for (uint32_t i = 0; i < r->c->n_routines; i++) {
        const struct coverage_routine *x = &r->c->routine[i];

        for (uint32_t k = x->first; coverage_shows(r, i) && k < x->first + x->n; k++) {
            if (all++ >= r->top)
                continue;
            if (!show_executed(r, i, k))
                return false;
            shown++;
        }
    }
    table_more(&r->text, shown, all, "executed paths");
    return true;
}

bool coverage_paths_text(const struct coverage_report *r)
{
    return (!r->all || show_all_executed(r)) && show_all_missed(r);
}
