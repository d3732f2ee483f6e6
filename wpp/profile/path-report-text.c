/* SPDX-License-Identifier: MIT */
/* path-report-text.c - a path profile for people: the answer first. */
#include <inttypes.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/profile/path-report.h"

enum { MAX_RUNS = 8, MAX_BLOCKS = 24 };

static const struct wpp_routine *routine_of(const struct path_report *r, uint32_t number)
{
    return wpp_routine(r->p->w, number);
}

static void show_routines(const struct path_report *r)
{
    table_heading(&r->text,
                  "     cost    paths  of possible           calls      executions  routine");
    for (uint32_t i = 0; i < r->routines.n; i++) {
        const struct profile_routine *x = &r->p->routine[r->routines.row[i]];
        const struct wpp_routine *routine = routine_of(r, r->routines.row[i]);

        table_share(&r->text, x->cost, r->p->cost);
        table_count(&r->text, 8, x->n);
        table_count(&r->text, 12, routine->num_paths);
        table_count(&r->text, 15, x->entered);
        table_count(&r->text, 15, x->count);
        fputs(" ", r->text.out);
        table_named(&r->text, 65, routine->shown, "", routine->file, routine->line, 0);
    }
    table_more(&r->text, r->routines.n, r->routines.all, "routines");
    if (r->routines.all == 0)
        fputs("  no routine was executed\n", r->text.out);
}

/* ---- Paths ------------------------------------------------------------------------------- */

/* What the profile counts. */
static const char *word_of(const struct path_report *r)
{
    return r->p->kind == WPP_PROFILE_EDGES ? "edge" : "path";
}

static const char *words_of(const struct path_report *r)
{
    return r->p->kind == WPP_PROFILE_EDGES ? "edges" : "paths";
}

/* Below a path: its lines and blocks. */
static bool show_way(const struct path_report *r, const struct wpp_terminal *t, bool all,
                     uint32_t terminal)
{
    uint32_t n = all || t->n_blocks <= MAX_BLOCKS ? t->n_blocks : MAX_BLOCKS;

    fputs("      ", r->text.out);
    if (!path_put_lines(r->text.out, r->p->w, terminal, all ? 0 : MAX_RUNS))
        return false;
    fputs("\n      blocks", r->text.out);
    for (uint32_t i = 0; i < n; i++)
        fprintf(r->text.out, " %" PRIu32, t->blocks[i]);
    fputs(n < t->n_blocks ? " ...\n" : "\n", r->text.out);
    return true;
}

static bool show_path(const struct path_report *r, const struct profile_path *x)
{
    const struct wpp_terminal *t = wpp_terminal(r->p->w, x->terminal);
    bool all = r->request.tables & PATH_TABLE_PATHS;

    table_share(&r->text, (double)x->count, (double)r->p->count);
    table_share(&r->text, x->cost, r->p->cost);
    table_count(&r->text, 15, x->count);
    fputs(" ", r->text.out);
    name_put(r->text.out, short_names_of(r->text.names, routine_of(r, x->routine)->shown));
    path_put_number(r->text.out, word_of(r), routine_of(r, x->routine), t);
    putc('\n', r->text.out);
    return show_way(r, t, all, x->terminal);
}

static void say_hot(const struct path_report *r)
{
    char flow[NUMBER_TEXT], cost[NUMBER_TEXT], n[NUMBER_TEXT], of[NUMBER_TEXT];

    if (r->request.tables & PATH_TABLE_PATHS)
        return;
    fprintf(r->text.out, "hot: at least %g %% of all executions: %s of %s %s, with %s of the "
            "executions and %s of the cost\n", r->request.min_share,
            number_grouped(r->paths.all, n), number_grouped(r->p->n_paths, of), words_of(r),
            number_percent((double)r->hot_count, (double)r->p->count, flow),
            number_percent(r->hot_cost, r->p->cost, cost));
}

static bool show_paths(const struct path_report *r)
{
    bool all = r->request.tables & PATH_TABLE_PATHS, ok = true;
    char heading[80], what[32];

    snprintf(what, sizeof what, "%s%s", all ? "" : "hot ", words_of(r));
    snprintf(heading, sizeof heading, "     flow      cost           count  %s%s",
             all ? "" : "hot ", word_of(r));
    table_heading(&r->text, heading);
    for (uint32_t i = 0; ok && i < r->paths.n; i++)
        ok = show_path(r, &r->p->path[r->paths.row[i]]);
    table_more(&r->text, r->paths.n, r->paths.all, what);
    if (r->paths.all == 0)
        fprintf(r->text.out, all ? "  no %s was executed\n" : "  no %s is hot (--min-share)\n",
                word_of(r));
    say_hot(r);
    return ok;
}

/* ---- Parts of routines ------------------------------------------------------------------- */

/* A line of its own in front of each routine's parts. */
static void show_owner(const struct path_report *r, const struct path_parts *list, uint32_t i)
{
    const struct wpp_routine *routine = routine_of(r, list->row[i].routine);

    if (i == 0 || list->row[i - 1].routine != list->row[i].routine)
        table_named(&r->text, 0, routine->shown, "", routine->file, routine->line, 0);
}

static void show_blocks(const struct path_report *r)
{
    table_heading(&r->text, "     cost      executions     insns  block  lines");
    for (uint32_t i = 0; i < r->blocks.n; i++) {
        const struct path_part *x = &r->blocks.row[i];
        const struct wpp_block *b = &routine_of(r, x->routine)->blocks[x->number];

        show_owner(r, &r->blocks, i);
        table_share(&r->text, (double)x->count * b->insns, r->p->cost);
        table_count(&r->text, 15, x->count);
        table_count(&r->text, 9, b->insns);
        fprintf(r->text.out, "%6" PRIu32 "  ", x->number);
        path_put_block_lines(r->text.out, b, r->request.chosen ? 0 : MAX_RUNS);
        putc('\n', r->text.out);
    }
    table_more(&r->text, r->blocks.n, r->blocks.all, "blocks");
}

static void put_block_number(const struct path_report *r, uint32_t number)
{
    if (number == 1)
        fputs("exit", r->text.out);
    else if (number == UINT32_MAX)
        fputs("?", r->text.out);
    else
        fprintf(r->text.out, "%" PRIu32, number);
}

static void show_edges(const struct path_report *r)
{
    table_heading(&r->text, "  of block      executions  edge");
    for (uint32_t i = 0; i < r->edges.n; i++) {
        const struct path_part *x = &r->edges.row[i];
        const struct wpp_edge *e = &routine_of(r, x->routine)->edges[x->number];
        const char *kind = path_edge_text(e->kind);

        show_owner(r, &r->edges, i);
        table_share(&r->text, (double)x->count, (double)x->of);
        table_count(&r->text, 15, x->count);
        fprintf(r->text.out, " %" PRIu32 " -> ", e->src);
        put_block_number(r, path_edge_target(e));
        fprintf(r->text.out, "%s%s\n", kind[0] ? "  " : "", kind);
    }
    table_more(&r->text, r->edges.n, r->edges.all, "edges");
}

static void show_lines(const struct path_report *r)
{
    table_heading(&r->text, "     executions  line");
    for (size_t i = 0; i < r->n_lines; i++) {
        table_count(&r->text, 15, r->lines.item[i].count);
        fputs(" ", r->text.out);
        table_place(&r->text, 17, r->lines.item[i].file, r->lines.item[i].line);
    }
    table_more(&r->text, r->n_lines, r->lines.n, "lines");
}

/* ---- The whole --------------------------------------------------------------------------- */

static void show_run(const struct path_report *r)
{
    struct wpp_summary run;
    char text[NUMBER_TEXT], more[NUMBER_TEXT];

    wpp_get_summary(r->p->w, &run);
    table_command(&r->text, run.command[0] ? run.command : run.program[0] ? run.program : r->path);
    fprintf(r->text.out, "%s instructions, ", number_scaled((uint64_t)r->p->cost, text));
    fprintf(r->text.out, "%s executions of %s %s", number_scaled(r->p->count, text),
            number_grouped(r->p->n_paths, more), words_of(r));
    if (r->p->kind != WPP_PROFILE_EDGES)
        fputs(r->p->kind == WPP_PROFILE_CUT_PATHS ? "; calls cut paths"
                                                  : "; calls do not cut paths", r->text.out);
    if (r->p->runs > 1)
        fprintf(r->text.out, "; %s runs", number_grouped(r->p->runs, text));
    putc('\n', r->text.out);
    if (r->p->unread > 0)
        fprintf(r->text.out, "%s more executions are of modules that could not be read\n",
                number_scaled(r->p->unread, text));
}

/* The names of all rows, so that each is as short as it tells it apart. */
static bool take_names(const struct path_report *r)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < r->routines.n; i++)
        ok = short_names_add(r->text.names, routine_of(r, r->routines.row[i])->shown);
    for (uint32_t i = 0; ok && i < r->paths.n; i++)
        ok = short_names_add(r->text.names,
                             routine_of(r, r->p->path[r->paths.row[i]].routine)->shown);
    return ok && short_names_settle(r->text.names);
}

bool path_report_text(const struct path_report *r)
{
    unsigned tables = r->request.tables;

    if (!take_names(r))
        return false;
    show_run(r);
    if (tables & PATH_TABLE_ROUTINES)
        show_routines(r);
    if ((tables & (PATH_TABLE_HOT | PATH_TABLE_PATHS)) && !show_paths(r))
        return false;
    if (tables & PATH_TABLE_BLOCKS)
        show_blocks(r);
    if (tables & PATH_TABLE_EDGES)
        show_edges(r);
    if (tables & PATH_TABLE_LINES)
        show_lines(r);
    return true;
}
