/* SPDX-License-Identifier: MIT */
/* profile-text.c - tables for people: the answer first, nothing wider than the terminal. */
#include <inttypes.h>
#include <string.h>

#include "wpp/base/clipped-output.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/profile/profile-report.h"

enum { NAME_SIZE = 400, PLACE_SIZE = 300, LEAST_NAME = 8, LINES_WIDTH = 12 };

static void put_share(const struct profile_report *r, double cost)
{
    char text[NUMBER_TEXT];

    fprintf(r->out, "%9s ", number_percent(cost, r->costs->total, text));
}

static void put_count(const struct profile_report *r, int width, double n)
{
    char text[NUMBER_TEXT];

    fprintf(r->out, "%*s ", width, number_grouped((uint64_t)(n + 0.5), text));
}

static void put_style(const struct profile_report *r, const char *code)
{
    if (r->color)
        fputs(code, r->out);
}

/* Each table has one, behind an empty line. */
static void put_heading(const struct profile_report *r, const char *text)
{
    putc('\n', r->out);
    put_style(r, "\033[1m");
    fputs(text, r->out);
    put_style(r, "\033[0m");
    putc('\n', r->out);
}

static unsigned width_of(const char *text)
{
    return clipped_width(text, strlen(text));
}

/* The end of a path, from a folder's name on, in at most `size` characters. */
static const char *path_end(const char *path, unsigned size)
{
    const char *end = path;

    while (width_of(end) > size && strchr(end, '/'))
        end = strchr(end, '/') + 1;
    return end;
}

static void place_text(char *out, const char *file, uint32_t line, uint32_t last, unsigned size)
{
    const char *end = path_end(file, size);

    if (!file[0] || line == 0)
        snprintf(out, PLACE_SIZE, "%s", end);
    else if (last > line)
        snprintf(out, PLACE_SIZE, "%s:%" PRIu32 "-%" PRIu32, end, line, last);
    else
        snprintf(out, PLACE_SIZE, "%s:%" PRIu32, end, line);
}

/* A name and its place in what is left of the line behind `used` columns: if it is too little, the file goes
 * without its folders, then the name is shortened. */
static void put_named(const struct profile_report *r, unsigned used, const char *name,
                      const char *remark, const char *file, uint32_t line, uint32_t last)
{
    char shorter[NAME_SIZE], place[PLACE_SIZE];
    unsigned left = r->columns > used ? r->columns - used : 0, others;

    name = short_names_of(r->names, name);
    others = width_of(name) + width_of(remark) + 2 + LINES_WIDTH;
    place_text(place, file, line, last, left == 0 ? PLACE_SIZE - LINES_WIDTH
                                        : left > others + LEAST_NAME ? left - others : LEAST_NAME);
    others = width_of(remark) + width_of(place) + 2;
    if (left && width_of(name) + others > left) {
        unsigned size = left > others + LEAST_NAME ? left - others : LEAST_NAME;

        name_shorten(name, shorter, (size < NAME_SIZE ? size : NAME_SIZE - 1) + 1);
        name = shorter;
    }
    name_put(r->out, name);
    fputs(remark, r->out);
    put_style(r, "\033[2m");
    fputs("  ", r->out);
    name_put(r->out, place);
    put_style(r, "\033[0m");
    putc('\n', r->out);
}

/* ---- Tables -------------------------------------------------------------------------------- */

static void say_more(const struct profile_report *r, uint64_t shown, uint64_t all, const char *what)
{
    if (all > shown)
        fprintf(r->out, "  ... and %" PRIu64 " more %s (--top=%" PRIu64 " shows all)\n", all - shown,
                what, all);
}

static void show_functions(const struct profile_report *r)
{
    bool inlined = false;

    put_heading(r, "inclusive      self           calls  routine");
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct part *p = &r->parts->part[r->function[i]];

        put_share(r, p->inclusive);
        put_share(r, p->self);
        put_count(r, 15, p->calls);
        fputs(" ", r->out);
        put_named(r, 38, p->shown, p->kind == PART_INLINED ? " [inlined]" : "", p->file, p->line, 0);
        inlined |= p->kind == PART_INLINED;
    }
    say_more(r, r->n_functions, r->all_functions, "routines");
    if (r->all_functions == 0)
        fputs("  no routine was executed\n", r->out);
    fputs("inclusive: with what it called, recursion counted once; self: without\n", r->out);
    if (inlined)
        fputs("[inlined]: its code stands in its callers; calls: arrivals there\n", r->out);
}

static void show_loops(const struct profile_report *r)
{
    char mean[NUMBER_TEXT];

    put_heading(r, "inclusive      entered    iterations per entry  loop in");
    for (uint32_t i = 0; i < r->n_loops; i++) {
        const struct part *p = &r->parts->part[r->loop[i]];

        put_share(r, p->inclusive);
        put_count(r, 12, p->calls);
        put_count(r, 13, p->iterations);
        if (p->calls > 0)
            fprintf(r->out, "%9s  ", number_mean((uint64_t)p->iterations, (uint64_t)p->calls, mean));
        else
            fprintf(r->out, "%9s  ", "-");
        put_named(r, 48, p->shown, "", p->file, p->line, p->last_line);
    }
    say_more(r, r->n_loops, r->all_loops, "loops");
    if (r->all_loops == 0)
        fputs("  no loop went round\n", r->out);
}

static void show_lines(const struct profile_report *r)
{
    char place[PLACE_SIZE];

    put_heading(r, "     self      executions  line");
    for (size_t i = 0; i < r->n_lines; i++) {
        put_share(r, r->line[i].insns);
        put_count(r, 15, (double)r->line[i].executions);
        place_text(place, r->line[i].file, r->line[i].line, 0,
                   r->columns > 40 ? r->columns - 38 : PLACE_SIZE - 30);
        fputs(" ", r->out);
        name_put(r->out, place);
        putc('\n', r->out);
    }
    say_more(r, r->n_lines, r->all_lines, "lines");
    if (r->all_lines == 0)
        fputs("  no line is known\n", r->out);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static void show_context(const struct profile_report *r, const struct call_context *n)
{
    unsigned used = 28;

    put_share(r, n->inclusive);
    if (!r->callers) {
        put_share(r, n->self);
        used += 10;
    }
    put_count(r, 15, n->calls);
    fputs(" ", r->out);
    for (uint32_t i = 0; i < n->depth; i++)
        fputs(i < 30 ? "  " : i == 30 ? ".." : "", r->out);
    used += 2 * (n->depth < 31 ? n->depth : 31);
    if (n->routine == CONTEXT_NOBODY) {
        fputs("(no traced routine)\n", r->out);
    } else {
        const struct wpp_routine *routine = wpp_routine(r->w, n->routine);

        put_named(r, used, routine->shown, "", routine->file, routine->line, 0);
    }
}

static void show_contexts(const struct profile_report *r)
{
    uint64_t hidden = 0;

    put_heading(r, r->callers ? "inclusive           calls  routine, and below it what called it"
                              : "inclusive      self           calls  routine");
    for (size_t i = 0; i < r->contexts->n; i++) {
        show_context(r, &r->contexts->node[i]);
        hidden += r->contexts->node[i].hidden;
    }
    if (r->contexts->n == 0)
        fputs("  no traced routine was called\n", r->out);
    if (hidden)
        fprintf(r->out, "  %" PRIu64 " smaller or deeper call%s left out (--min-share, --depth)\n",
                hidden, hidden == 1 ? " is" : "s are");
}

/* ---- The whole --------------------------------------------------------------------------------- */

/* The command, on one line of the terminal. */
static void put_command(const struct profile_report *r, const char *command)
{
    char text[NAME_SIZE];

    if (r->columns == 0 || width_of(command) <= r->columns) {
        name_put(r->out, command);
    } else {
        snprintf(text, sizeof text, "%.*s...", (int)(r->columns > 80 ? 80 : r->columns) - 4, command);
        name_put(r->out, text);
    }
    putc('\n', r->out);
}

static void show_run(const struct profile_report *r)
{
    struct wpp_summary run;
    char text[NUMBER_TEXT];

    wpp_get_summary(r->w, &run);
    put_command(r, run.command[0] ? run.command : run.program[0] ? run.program : r->path);
    fprintf(r->out, "%s instruction%s, ", number_scaled((uint64_t)r->costs->total, text),
            r->costs->total == 1 ? "" : "s");
    fprintf(r->out, "%s path%s, ", number_scaled(r->costs->events, text),
            r->costs->events == 1 ? "" : "s");
    if (r->thread != UINT32_MAX)
        fprintf(r->out, "thread %" PRIu32 " alone\n", r->thread);
    else
        fprintf(r->out, "%" PRIu32 " thread%s\n", run.n_threads,
                run.n_threads == 1 ? "" : "s");
}

/* The names of all rows, so that each is as short as it tells it apart. */
static bool take_names(const struct profile_report *r)
{
    bool ok = true;

    for (uint32_t i = 0; ok && r->function && i < r->n_functions; i++)
        ok = short_names_add(r->names, r->parts->part[r->function[i]].shown);
    for (uint32_t i = 0; ok && r->loop && i < r->n_loops; i++)
        ok = short_names_add(r->names, r->parts->part[r->loop[i]].shown);
    for (size_t i = 0; ok && r->contexts && i < r->contexts->n; i++)
        if (r->contexts->node[i].routine != CONTEXT_NOBODY)
            ok = short_names_add(r->names, wpp_routine(r->w, r->contexts->node[i].routine)->shown);
    return ok && short_names_settle(r->names);
}

bool profile_text(const struct profile_report *r)
{
    if (!take_names(r))
        return false;
    show_run(r);
    if (r->contexts)
        show_contexts(r);
    if (r->function)
        show_functions(r);
    if (r->loop)
        show_loops(r);
    if (r->line)
        show_lines(r);
    return true;
}
