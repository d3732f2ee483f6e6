/* SPDX-License-Identifier: MIT */
/* profile-text.c - tables for people: the answer first, no line wider than the terminal. */
#include <inttypes.h>

#include "wpp/base/number-text.h"
#include "wpp/profile/profile-report.h"

static void put_share(const struct profile_report *r, double cost)
{
    table_share(&r->text, cost, r->costs->total);
}

static void put_count(const struct profile_report *r, int width, double n)
{
    table_count(&r->text, width, (uint64_t)(n + 0.5));
}

/* ---- Tables ------------------------------------------------------------------------------ */

static void show_functions(const struct profile_report *r)
{
    bool inlined = false;

    table_heading(&r->text, "inclusive      self           calls  routine");
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct part *p = &r->parts->part[r->function[i]];

        put_share(r, p->inclusive);
        put_share(r, p->self);
        put_count(r, 15, p->calls);
        fputs(" ", r->text.out);
        table_named(&r->text, 38, p->shown, p->kind == PART_INLINED ? " [inlined]" : "", p->file, p->line, 0);
        inlined |= p->kind == PART_INLINED;
    }
    table_more(&r->text, r->n_functions, r->all_functions, "routines");
    if (r->all_functions == 0)
        fputs("  no routine was executed\n", r->text.out);
    fputs("inclusive: with what it called, recursion counted once; self: without\n", r->text.out);
    if (inlined)
        fputs("[inlined]: its code stands in its callers; calls: arrivals there\n", r->text.out);
}

static void show_loops(const struct profile_report *r)
{
    char mean[NUMBER_TEXT];

    table_heading(&r->text, "inclusive      entered    iterations per entry  loop in");
    for (uint32_t i = 0; i < r->n_loops; i++) {
        const struct part *p = &r->parts->part[r->loop[i]];

        put_share(r, p->inclusive);
        put_count(r, 12, p->calls);
        put_count(r, 13, p->iterations);
        if (p->calls > 0)
            fprintf(r->text.out, "%9s  ", number_mean((uint64_t)p->iterations, (uint64_t)p->calls, mean));
        else
            fprintf(r->text.out, "%9s  ", "-");
        table_named(&r->text, 48, p->shown, "", p->file, p->line, p->last_line);
    }
    table_more(&r->text, r->n_loops, r->all_loops, "loops");
    if (r->all_loops == 0)
        fputs("  no loop went round\n", r->text.out);
}

static void show_lines(const struct profile_report *r)
{
    table_heading(&r->text, "     self      executions  line");
    for (size_t i = 0; i < r->n_lines; i++) {
        put_share(r, r->line[i].insns);
        put_count(r, 15, (double)r->line[i].executions);
        fputs(" ", r->text.out);
        table_place(&r->text, 38, r->line[i].file, r->line[i].line);
    }
    table_more(&r->text, r->n_lines, r->all_lines, "lines");
    if (r->all_lines == 0)
        fputs("  no line is known\n", r->text.out);
}

/* ---- Contexts ---------------------------------------------------------------------------- */

static void show_context(const struct profile_report *r, const struct call_context *n)
{
    unsigned used = 28;

    put_share(r, n->inclusive);
    if (!r->callers) {
        put_share(r, n->self);
        used += 10;
    }
    put_count(r, 15, n->calls);
    fputs(" ", r->text.out);
    for (uint32_t i = 0; i < n->depth; i++)
        fputs(i < 30 ? "  " : i == 30 ? ".." : "", r->text.out);
    used += 2 * (n->depth < 31 ? n->depth : 31);
    if (n->routine == CONTEXT_NOBODY) {
        fputs("(no traced routine)\n", r->text.out);
    } else {
        const struct wpp_routine *routine = wpp_routine(r->w, n->routine);

        table_named(&r->text, used, routine->shown, "", routine->file, routine->line, 0);
    }
}

static void show_contexts(const struct profile_report *r)
{
    uint64_t hidden = 0;

    table_heading(&r->text, r->callers ? "inclusive           calls  routine, and below it what called it"
                              : "inclusive      self           calls  routine");
    for (size_t i = 0; i < r->contexts->n; i++) {
        show_context(r, &r->contexts->node[i]);
        hidden += r->contexts->node[i].hidden;
    }
    if (r->contexts->n == 0)
        fputs("  no traced routine was called\n", r->text.out);
    if (hidden)
        fprintf(r->text.out, "  %" PRIu64 " smaller or deeper call%s left out (--min-share, --depth)\n",
                hidden, hidden == 1 ? " is" : "s are");
}

/* ---- The whole --------------------------------------------------------------------------- */

static void show_run(const struct profile_report *r)
{
    struct wpp_summary run;
    char text[NUMBER_TEXT];

    wpp_get_summary(r->w, &run);
    table_command(&r->text, run.command[0] ? run.command : run.program[0] ? run.program : r->path);
    fprintf(r->text.out, "%s instruction%s, ", number_scaled((uint64_t)r->costs->total, text),
            r->costs->total == 1 ? "" : "s");
    fprintf(r->text.out, "%s path%s, ", number_scaled(r->costs->events, text),
            r->costs->events == 1 ? "" : "s");
    if (r->thread != UINT32_MAX)
        fprintf(r->text.out, "thread %" PRIu32 " alone\n", r->thread);
    else
        fprintf(r->text.out, "%" PRIu32 " thread%s\n", run.n_threads,
                run.n_threads == 1 ? "" : "s");
}

/* Adds the names of all rows, so that each can be shortened as far as it stays unique. */
static bool take_names(const struct profile_report *r)
{
    bool ok = true;

    for (uint32_t i = 0; ok && r->function && i < r->n_functions; i++)
        ok = short_names_add(r->text.names, r->parts->part[r->function[i]].shown);
    for (uint32_t i = 0; ok && r->loop && i < r->n_loops; i++)
        ok = short_names_add(r->text.names, r->parts->part[r->loop[i]].shown);
    for (size_t i = 0; ok && r->contexts && i < r->contexts->n; i++)
        if (r->contexts->node[i].routine != CONTEXT_NOBODY)
            ok = short_names_add(r->text.names, wpp_routine(r->w, r->contexts->node[i].routine)->shown);
    return ok && short_names_settle(r->text.names);
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
