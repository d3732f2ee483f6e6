/* SPDX-License-Identifier: MIT */
#include "wpp/profile/profile-diff-report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/csv.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/profile/path-report.h"

enum { TOP_ROUTINES = 12, TOP_PATHS = 10, MAX_RUNS = 8 };

/* ---- Rows -------------------------------------------------------------------------------- */

/* A side that has the routine; B's place is today's. */
static const struct wpp_routine *routine_of(const struct diff_report *r, uint32_t row)
{
    const struct diff_routine *x = &r->d->routine[row];
    unsigned side = x->number[DIFF_B] == DIFF_NONE ? DIFF_A : DIFF_B;

    return wpp_routine(r->d->side[side]->w, x->number[side]);
}

static unsigned side_of(const struct diff_path *p)
{
    return p->terminal[DIFF_B] == DIFF_NONE ? DIFF_A : DIFF_B;
}

static const struct wpp_terminal *terminal_of(const struct diff_report *r,
                                              const struct diff_path *p)
{
    return wpp_terminal(r->d->side[side_of(p)]->w, p->terminal[side_of(p)]);
}

/* What differs equally stands by name. */
static int compare_names(const struct diff_report *r, uint32_t x, uint32_t y)
{
    const struct wpp_routine *a = routine_of(r, x), *b = routine_of(r, y);
    int order = strcmp(a->name, b->name);

    if (order == 0)
        order = strcmp(a->file, b->file);
    return order ? order : x < y ? -1 : x > y;
}

static int compare_routines(const void *a, const void *b, void *report)
{
    const struct diff_report *r = report;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (r->distance[x] != r->distance[y])
        return r->distance[x] > r->distance[y] ? -1 : 1;
    return compare_names(r, x, y);
}

static int compare_paths(const void *a, const void *b, void *report)
{
    const struct diff_report *r = report;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct diff_path *p = &r->d->path[x], *q = &r->d->path[y];
    uint64_t i = diff_distance(p->count), k = diff_distance(q->count);

    if (i != k)
        return i > k ? -1 : 1;
    if (p->routine != q->routine)
        return compare_names(r, p->routine, q->routine);
    return x < y ? -1 : x > y;
}

bool diff_report_take(struct diff_report *r)
{
    const struct profile_diff *d = r->d;

    r->distance = calloc(d->n_routines + (size_t)1, sizeof *r->distance);
    r->routine = calloc(d->n_routines + (size_t)1, sizeof *r->routine);
    r->row = calloc(d->n_paths + (size_t)1, sizeof *r->row);
    if (!r->distance || !r->routine || !r->row)
        return false;
    for (uint32_t i = 0; i < d->n_paths; i++) {
        uint64_t distance = diff_distance(d->path[i].count);
        uint64_t *sum = &r->distance[d->path[i].routine];

        *sum = profile_add(*sum, distance);
        if (distance > 0)
            r->row[r->n_rows++] = i;
    }
    for (uint32_t i = 0; i < d->n_routines; i++)
        if (r->distance[i] > 0)
            r->routine[r->n_routines++] = i;
    qsort_r(r->routine, r->n_routines, sizeof *r->routine, compare_routines, r);
    qsort_r(r->row, r->n_rows, sizeof *r->row, compare_paths, r);
    return true;
}

void diff_report_free(struct diff_report *r)
{
    free(r->distance);
    free(r->routine);
    free(r->row);
}

static uint32_t shown(const struct diff_report *r, uint32_t by_default, uint32_t all)
{
    uint64_t top = r->top ? r->top : by_default;

    return all < top ? all : (uint32_t)top;
}

static const char *routine_state(const struct diff_routine *x)
{
    if (x->number[DIFF_A] != DIFF_NONE && x->number[DIFF_B] != DIFF_NONE)
        return "both";
    if (x->number[DIFF_A] != DIFF_NONE)
        return x->changed ? "changed, A" : "only A";
    return x->changed ? "changed, B" : "only B";
}

static const char *path_state(const struct diff_path *p)
{
    return p->count[DIFF_A] == 0 ? "new" : p->count[DIFF_B] == 0 ? "gone" : "changed";
}

/* ---- Text -------------------------------------------------------------------------------- */

static void show_side(const struct diff_report *r, unsigned side)
{
    const struct path_profile *p = r->d->side[side];
    char executions[NUMBER_TEXT], paths[NUMBER_TEXT], insns[NUMBER_TEXT];

    fprintf(r->text.out, "%c: ", "AB"[side]);
    name_put(r->text.out, r->path[side]);
    fprintf(r->text.out, ": %s instructions, %s executions of %s paths\n",
            number_scaled((uint64_t)p->cost, insns), number_scaled(p->count, executions),
            number_grouped(p->n_paths, paths));
}

static void show_overlap(const struct diff_report *r, unsigned side)
{
    const struct diff_overlap *o = &r->d->overlap[side];
    char paths[NUMBER_TEXT], count[NUMBER_TEXT], cost[NUMBER_TEXT];

    fprintf(r->text.out, "%c executed %s of %c's paths, with %s of their executions and %s of "
            "their instructions\n", "AB"[!side], number_percent(o->common_paths, o->paths, paths),
            "AB"[side], number_percent((double)o->common_count, (double)o->count, count),
            number_percent(o->common_cost, o->cost, cost));
}

static void show_routines(const struct diff_report *r)
{
    uint32_t n = shown(r, TOP_ROUTINES, r->n_routines);

    table_heading(&r->text, "paths new    gone changed    executions A    executions B  routine");
    for (uint32_t i = 0; i < n; i++) {
        const struct diff_routine *x = &r->d->routine[r->routine[i]];
        const struct wpp_routine *routine = routine_of(r, r->routine[i]);
        const char *state = routine_state(x);
        char remark[32] = "";

        if (state[0] != 'b')
            snprintf(remark, sizeof remark, " [%s]", state);
        table_count(&r->text, 9, x->n_new);
        table_count(&r->text, 7, x->n_gone);
        table_count(&r->text, 7, x->n_other);
        table_count(&r->text, 15, x->count[DIFF_A]);
        table_count(&r->text, 15, x->count[DIFF_B]);
        fputs(" ", r->text.out);
        table_named(&r->text, 59, routine->shown, remark, routine->file, routine->line, 0);
    }
    table_more(&r->text, n, r->n_routines, "routines");
    if (r->n_routines == 0)
        fputs("  no routine differs\n", r->text.out);
}

static bool show_paths(const struct diff_report *r)
{
    uint32_t n = shown(r, TOP_PATHS, r->n_rows);
    bool ok = true;

    table_heading(&r->text, "   executions A    executions B  path");
    for (uint32_t i = 0; ok && i < n; i++) {
        const struct diff_path *p = &r->d->path[r->row[i]];

        table_count(&r->text, 15, p->count[DIFF_A]);
        table_count(&r->text, 15, p->count[DIFF_B]);
        fputs(" ", r->text.out);
        name_put(r->text.out, short_names_of(r->text.names, routine_of(r, p->routine)->shown));
        path_put_number(r->text.out, "path", routine_of(r, p->routine), terminal_of(r, p));
        fprintf(r->text.out, ", %s\n      ", path_state(p));
        ok = path_put_lines(r->text.out, r->d->side[side_of(p)]->w, p->terminal[side_of(p)],
                            MAX_RUNS);
        putc('\n', r->text.out);
    }
    table_more(&r->text, n, r->n_rows, "paths");
    if (r->n_rows == 0)
        fputs("  no path differs\n", r->text.out);
    return ok;
}

bool diff_report_text(const struct diff_report *r)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < r->n_routines; i++)
        ok = short_names_add(r->text.names, routine_of(r, r->routine[i])->shown);
    if (!ok || !short_names_settle(r->text.names))
        return false;
    show_side(r, DIFF_A);
    show_side(r, DIFF_B);
    show_overlap(r, DIFF_B);
    show_overlap(r, DIFF_A);
    show_routines(r);
    if (r->d->n_changed > 0)
        fputs("[changed]: the routine was compiled to other code: its paths are not compared\n",
              r->text.out);
    return show_paths(r);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_text(const struct diff_report *r, const char *key, const char *text)
{
    fprintf(r->text.out, "\"%s\": ", key);
    json_string(r->text.out, text);
    fputs(", ", r->text.out);
}

static void put_counts(const struct diff_report *r, const uint64_t count[2])
{
    fprintf(r->text.out, "\"a\": %" PRIu64 ", \"b\": %" PRIu64, count[DIFF_A], count[DIFF_B]);
}

static void put_overlap(const struct diff_report *r, unsigned side)
{
    const struct diff_overlap *o = &r->d->overlap[side];

    fprintf(r->text.out, "{\"paths\": %" PRIu32 ", \"common_paths\": %" PRIu32
            ", \"count\": %" PRIu64 ", \"common_count\": %" PRIu64 ", \"cost\": %.17g, \"common_cost\": %.17g}", o->paths,
            o->common_paths, o->count, o->common_count, o->cost, o->common_cost);
}

bool diff_report_json(const struct diff_report *r)
{
    uint32_t n_routines = shown(r, TOP_ROUTINES, r->n_routines), n = shown(r, TOP_PATHS, r->n_rows);

    fputs("{", r->text.out);
    put_text(r, "a", r->path[DIFF_A]);
    put_text(r, "b", r->path[DIFF_B]);
    fputs("\"overlap\": {\"a\": ", r->text.out);
    put_overlap(r, DIFF_A);
    fputs(", \"b\": ", r->text.out);
    put_overlap(r, DIFF_B);
    fputs("},\n \"routines\": [", r->text.out);
    for (uint32_t i = 0; i < n_routines; i++) {
        const struct diff_routine *x = &r->d->routine[r->routine[i]];
        const struct wpp_routine *routine = routine_of(r, r->routine[i]);

        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put_text(r, "routine", routine->name);
        put_text(r, "name", routine->shown);
        put_text(r, "file", routine->file);
        put_text(r, "state", routine_state(x));
        fprintf(r->text.out, "\"line\": %" PRIu32 ", \"new\": %" PRIu32 ", \"gone\": %" PRIu32
                ", \"changed\": %" PRIu32 ", ", routine->line, x->n_new, x->n_gone, x->n_other);
        put_counts(r, x->count);
        putc('}', r->text.out);
    }
    fputs("],\n \"paths\": [", r->text.out);
    for (uint32_t i = 0; i < n; i++) {
        const struct diff_path *p = &r->d->path[r->row[i]];

        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put_text(r, "routine", routine_of(r, p->routine)->name);
        put_text(r, "state", path_state(p));
        fprintf(r->text.out, "\"path\": %" PRIu64 ", ", terminal_of(r, p)->path);
        put_counts(r, p->count);
        putc('}', r->text.out);
    }
    fputs("]}\n", r->text.out);
    return true;
}

/* ---- CSV --------------------------------------------------------------------------------- */

bool diff_report_csv(const struct diff_report *r)
{
    uint32_t n_routines = shown(r, TOP_ROUTINES, r->n_routines), n = shown(r, TOP_PATHS, r->n_rows);

    fputs("kind,state,name,routine,file,line,path,a,b,new,gone,changed\r\n", r->text.out);
    for (uint32_t i = 0; i < n_routines; i++) {
        const struct diff_routine *x = &r->d->routine[r->routine[i]];
        const struct wpp_routine *routine = routine_of(r, r->routine[i]);

        fputs("routine,", r->text.out);
        csv_text(r->text.out, routine_state(x));
        csv_text(r->text.out, routine->shown);
        csv_text(r->text.out, routine->name);
        csv_text(r->text.out, routine->file);
        fprintf(r->text.out, "%" PRIu32 ",,%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                "\r\n", routine->line, x->count[DIFF_A], x->count[DIFF_B], x->n_new, x->n_gone,
                x->n_other);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct diff_path *p = &r->d->path[r->row[i]];
        const struct wpp_routine *routine = routine_of(r, p->routine);

        fputs("path,", r->text.out);
        csv_text(r->text.out, path_state(p));
        csv_text(r->text.out, routine->shown);
        csv_text(r->text.out, routine->name);
        csv_text(r->text.out, routine->file);
        fprintf(r->text.out, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,,\r\n",
                routine->line, terminal_of(r, p)->path, p->count[DIFF_A], p->count[DIFF_B]);
    }
    return true;
}
