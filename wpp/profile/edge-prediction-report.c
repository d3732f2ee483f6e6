/* SPDX-License-Identifier: MIT */
#include "wpp/profile/edge-prediction-report.h"

#include <inttypes.h>

#include "wpp/base/csv.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"

static const struct wpp_routine *routine_of(const struct prediction_report *r, uint32_t number)
{
    return wpp_routine(r->e->p->w, number);
}

static const struct wpp_terminal *terminal_of(const struct prediction_report *r, uint32_t path)
{
    return wpp_terminal(r->e->p->w, r->e->p->path[path].terminal);
}

/* The routine of a path. */
static const struct wpp_routine *owner_of(const struct prediction_report *r, uint32_t path)
{
    return routine_of(r, r->e->p->path[path].routine);
}

static double mean(double sum, uint64_t n)
{
    return n ? sum / (double)n : 0;
}

/* ---- Text -------------------------------------------------------------------------------- */

static void show_all(const struct prediction_report *r)
{
    const struct prediction_sum *s = &r->e->all;
    FILE *out = r->rows->text.out;
    char paths[NUMBER_TEXT], count[NUMBER_TEXT], insns[NUMBER_TEXT], n[NUMBER_TEXT];

    fprintf(out, "%s of %s paths are predicted whole, %s of the executions\n",
            number_percent(s->whole, s->paths, paths), number_grouped(s->paths, n),
            number_percent((double)s->whole_count, (double)s->count, count));
    fprintf(out, "%s of the executions are proven by the edge counts (definite flow)\n",
            number_percent(s->definite, (double)s->count, count));
    table_heading(&r->rows->text, "    edges  instructions  of an execution, in the mean");
    fprintf(out, "%9.1f  %12.1f  path (the longest: %" PRIu32 " edges, %s instructions)\n",
            mean(s->edges, s->count), mean(s->insns, s->count), s->longest_edges,
            number_grouped(s->longest_insns, insns));
    fprintf(out, "%9.1f  %12.1f  until the first edge that is mispredicted, or the path's end\n",
            mean(s->predicted_edges, s->count), mean(s->predicted_insns, s->count));
}

static void show_routines(const struct prediction_report *r)
{
    const struct table_text *text = &r->rows->text;

    table_heading(text, "     cost    paths    whole    executions whole    definite  routine");
    for (uint32_t i = 0; i < r->rows->routines.n; i++) {
        uint32_t number = r->rows->routines.row[i];
        const struct prediction_sum *s = &r->e->routine[number];
        const struct wpp_routine *routine = routine_of(r, number);

        table_share(text, r->e->p->routine[number].cost, r->e->p->cost);
        table_count(text, 8, s->paths);
        table_count(text, 8, s->whole);
        fputs("         ", text->out);
        table_share(text, (double)s->whole_count, (double)s->count);
        fputs("  ", text->out);
        table_share(text, s->definite, (double)s->count);
        fputs(" ", text->out);
        table_named(text, 60, routine->shown, "", routine->file, routine->line, 0);
    }
    table_more(text, r->rows->routines.n, r->rows->routines.all, "routines");
}

static void show_path(const struct prediction_report *r, uint32_t number)
{
    const struct table_text *text = &r->rows->text;
    const struct profile_path *x = &r->e->p->path[number];
    const struct predicted_path *p = &r->e->path[number];
    const struct wpp_terminal *t = terminal_of(r, number);

    table_share(text, (double)x->count, (double)r->e->p->count);
    table_count(text, 13, x->count);
    table_count(text, 13, p->bounds.definite);
    table_count(text, 13, p->bounds.potential);
    fprintf(text->out, " %4" PRIu32 " of %-4" PRIu32 " ", p->edges, t->n_edges - 1);
    name_put(text->out, short_names_of(text->names, routine_of(r, x->routine)->shown));
    path_put_number(text->out, "path", routine_of(r, x->routine), t);
    putc('\n', text->out);
}

static void show_paths(const struct prediction_report *r)
{
    table_heading(&r->rows->text,
                  "     flow         count      definite     potential   predicted  hot path");
    for (uint32_t i = 0; i < r->rows->paths.n; i++)
        show_path(r, r->rows->paths.row[i]);
    table_more(&r->rows->text, r->rows->paths.n, r->rows->paths.all, "hot paths");
    if (r->rows->paths.all == 0)
        fputs("  no path is hot (--min-share)\n", r->rows->text.out);
    fputs("definite, potential: least and most executions that the edge counts allow\n"
          "predicted: edges until one is not the most frequent of its block\n", r->rows->text.out);
}

static bool take_names(const struct prediction_report *r)
{
    struct short_names *names = r->rows->text.names;
    bool ok = true;

    for (uint32_t i = 0; ok && i < r->rows->routines.n; i++)
        ok = short_names_add(names, routine_of(r, r->rows->routines.row[i])->shown);
    for (uint32_t i = 0; ok && i < r->rows->paths.n; i++)
        ok = short_names_add(names, owner_of(r, r->rows->paths.row[i])->shown);
    return ok && short_names_settle(names);
}

bool prediction_text(const struct prediction_report *r)
{
    if (!take_names(r))
        return false;
    show_all(r);
    show_routines(r);
    show_paths(r);
    return true;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_text(const struct prediction_report *r, const char *key, const char *text)
{
    fprintf(r->rows->text.out, "\"%s\": ", key);
    json_string(r->rows->text.out, text);
    fputs(", ", r->rows->text.out);
}

/* Sums over executions, but for the numbers of paths. */
static void put_sum(const struct prediction_report *r, const struct prediction_sum *s)
{
    fprintf(r->rows->text.out, "\"paths\": %" PRIu32 ", \"whole\": %" PRIu32 ", \"count\": %" PRIu64
            ", \"whole_count\": %" PRIu64 ", \"edges\": %.17g, \"predicted_edges\": %.17g, "
            "\"instructions\": %.17g, \"predicted_instructions\": %.17g, \"definite\": %.17g, "
            "\"longest_edges\": %" PRIu32 ", \"longest_instructions\": %" PRIu64, s->paths,
            s->whole, s->count, s->whole_count, s->edges, s->predicted_edges, s->insns, s->predicted_insns,
            s->definite, s->longest_edges, s->longest_insns);
}

bool prediction_json(const struct prediction_report *r)
{
    FILE *out = r->rows->text.out;

    fputs("{", out);
    put_text(r, "file", r->rows->path);
    put_sum(r, &r->e->all);
    fputs(",\n \"routines\": [", out);
    for (uint32_t i = 0; i < r->rows->routines.n; i++) {
        uint32_t number = r->rows->routines.row[i];

        fputs(i ? ",\n  {" : "\n  {", out);
        put_text(r, "routine", routine_of(r, number)->name);
        put_text(r, "file", routine_of(r, number)->file);
        put_sum(r, &r->e->routine[number]);
        putc('}', out);
    }
    fputs("],\n \"hot_paths\": [", out);
    for (uint32_t i = 0; i < r->rows->paths.n; i++) {
        uint32_t number = r->rows->paths.row[i];
        const struct predicted_path *p = &r->e->path[number];

        fputs(i ? ",\n  {" : "\n  {", out);
        put_text(r, "routine", owner_of(r, number)->name);
        fprintf(out, "\"path\": %" PRIu64 ", \"count\": %" PRIu64 ", \"definite\": %" PRIu64
                ", \"potential\": %" PRIu64 ", \"edges\": %" PRIu32
                ", \"predicted_edges\": %" PRIu32 ", \"whole\": %s}",
                terminal_of(r, number)->path, r->e->p->path[number].count, p->bounds.definite,
                p->bounds.potential, terminal_of(r, number)->n_edges - 1, p->edges,
                p->whole ? "true" : "false");
    }
    fputs("]}\n", out);
    return true;
}

/* ---- CSV --------------------------------------------------------------------------------- */

bool prediction_csv(const struct prediction_report *r)
{
    FILE *out = r->rows->text.out;

    fputs("kind,name,routine,file,path,count,whole,definite,potential,edges,predicted_edges\r\n",
          out);
    for (uint32_t i = 0; i < r->rows->routines.n; i++) {
        uint32_t number = r->rows->routines.row[i];
        const struct prediction_sum *s = &r->e->routine[number];

        fputs("routine,", out);
        csv_text(out, routine_of(r, number)->shown);
        csv_text(out, routine_of(r, number)->name);
        csv_text(out, routine_of(r, number)->file);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.17g,,%.17g,%.17g\r\n", s->count, s->whole_count,
                s->definite, s->edges, s->predicted_edges);
    }
    for (uint32_t i = 0; i < r->rows->paths.n; i++) {
        uint32_t number = r->rows->paths.row[i];
        const struct profile_path *x = &r->e->p->path[number];
        const struct predicted_path *p = &r->e->path[number];

        fputs("path,", out);
        csv_text(out, owner_of(r, number)->shown);
        csv_text(out, owner_of(r, number)->name);
        csv_text(out, owner_of(r, number)->file);
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                terminal_of(r, number)->path, x->count, p->whole ? x->count : 0,
                p->bounds.definite, p->bounds.potential);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 "\r\n", terminal_of(r, number)->n_edges - 1, p->edges);
    }
    return true;
}
