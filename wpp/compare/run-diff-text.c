/* SPDX-License-Identifier: MIT */
/* run-diff-text.c - for people: where the runs part comes first. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/compare/run-diff-report.h"
#include "wpp/profile/path-report.h"

enum { MAX_RUNS = 8, MAX_FRAMES = 20 };

static const char *unit(const struct run_diff_report *r, uint64_t n)
{
    static const char *const names[][2] = {
        [COMMON_BY_PATH] = {"path", "paths"}, [COMMON_BY_LINE] = {"line", "lines"},
        [COMMON_BY_ROUTINE] = {"call", "calls"}
    };

    return names[r->d->keys.by][n != 1];
}

static void put_amount(const struct run_diff_report *r, uint64_t n)
{
    char text[NUMBER_TEXT];

    fprintf(r->text.out, "%s %s", number_grouped(n, text), unit(r, n));
}

static void put_number(const struct run_diff_report *r, uint64_t n)
{
    char text[NUMBER_TEXT];

    fputs(number_grouped(n, text), r->text.out);
}

static void put_name(const struct run_diff_report *r, const char *name)
{
    name_put(r->text.out, short_names_of(r->text.names, name));
}

static void put_file_line(const struct run_diff_report *r, const char *file, uint32_t line)
{
    name_put(r->text.out, file);
    fprintf(r->text.out, ":%" PRIu32, line);
}

/* `parse at lex.c:40`. */
static void put_place(const struct run_diff_report *r, const struct run_place *place,
                      const char *between)
{
    put_name(r, place->routine->shown);
    fputs(between, r->text.out);
    if (place->line)
        put_file_line(r, place->line->file, place->line->line);
    else
        put_file_line(r, place->routine->file, place->routine->line);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool add_inlined(const struct run_diff_report *r, const struct wpp_routine *routine,
                        const struct wpp_line *line)
{
    for (uint32_t call = line ? line->inlined : 0; call > 0;
         call = routine->inlined[call - 1].caller)
        if (!short_names_add(r->text.names, routine->inlined[call - 1].shown))
            return false;
    return true;
}

static bool add_key(const struct run_diff_report *r, unsigned side, uint32_t key)
{
    const struct key_home *home = &r->d->keys.home[key][side];
    const struct wpp_routine *routine;

    if (home->routine == WPP_NO_ROUTINE)
        return true;
    routine = wpp_routine(r->d->w[side], home->routine);
    return short_names_add(r->text.names, routine->shown) && add_inlined(r, routine, home->line);
}

static bool add_parting(const struct run_diff_report *r, const struct parting *x)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < x->n_before; i++)
        ok = add_key(r, SIDE_A, x->before[i]);
    for (unsigned s = 0; s < 2; s++) {
        for (uint32_t i = 0; ok && i < x->side[s].n_after; i++)
            ok = add_key(r, s, x->side[s].after[i]);
        for (size_t i = 0; ok && i < x->side[s].n_frames; i++)
            ok = short_names_add(r->text.names,
                                 wpp_routine(r->d->w[s], x->side[s].frames[i].routine)->shown);
    }
    return ok;
}

static bool add_rows(const struct run_diff_report *r, const struct count_rows *rows)
{
    bool ok = true;

    for (size_t i = 0; ok && i < run_diff_rows(r, rows); i++)
        ok = short_names_add(r->text.names, rows->row[i].routine->shown);
    return ok;
}

static bool add_names(const struct run_diff_report *r)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < r->d->n_threads; i++)
        for (size_t k = 0; ok && k < r->d->thread[i].n_partings; k++)
            ok = add_parting(r, &r->d->thread[i].parting[k]);
    if (r->counts)
        ok = ok && add_rows(r, &r->counts->routines) && add_rows(r, &r->counts->lines)
          && add_rows(r, &r->counts->paths);
    return ok && short_names_settle(r->text.names);
}

/* ---- Keys ----------------------------------------------------------------------------------- */

/* `, inlined swap, partition`: the innermost call first. */
static void put_inlined(const struct run_diff_report *r, const struct wpp_routine *routine,
                        const struct wpp_line *line)
{
    const char *between = ", inlined ";

    for (uint32_t call = line->inlined; call > 0; call = routine->inlined[call - 1].caller) {
        fputs(between, r->text.out);
        put_name(r, routine->inlined[call - 1].shown);
        between = ", ";
    }
}

static bool put_path(const struct run_diff_report *r, const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine;
    char name[WPP_SYMBOL_NAME];

    if (t->routine == WPP_NO_ROUTINE) {
        fputs(wpp_symbol_name(t, name), r->text.out);
        return true;
    }
    routine = wpp_routine(w, t->routine);
    put_name(r, routine->shown);
    path_put_number(r->text.out, "path", routine, t);
    fputs("  ", r->text.out);
    return path_put_lines(r->text.out, w, terminal, MAX_RUNS);
}

static bool show_key(const struct run_diff_report *r, const char *label, unsigned side,
                     uint32_t key)
{
    const struct key_home *home = &r->d->keys.home[key][side];
    bool ok = true;

    fprintf(r->text.out, "  %-6s", label);
    if (home->terminal != UINT32_MAX && (r->d->keys.by == COMMON_BY_PATH
                                         || home->routine == WPP_NO_ROUTINE)) {
        ok = put_path(r, r->d->w[side], home->terminal);
    } else {
        struct run_place place = {wpp_routine(r->d->w[side], home->routine), home->line};

        put_name(r, place.routine->shown);
        if (place.line)
            put_inlined(r, place.routine, place.line);
        fputs("  ", r->text.out);
        if (place.line)
            put_file_line(r, place.line->file, place.line->line);
        else
            put_file_line(r, place.routine->file, place.routine->line);
    }
    putc('\n', r->text.out);
    return ok;
}

static bool show_keys(const struct run_diff_report *r, const struct parting *x)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < x->n_before; i++)
        ok = show_key(r, i ? "" : "both", SIDE_A, x->before[i]);
    for (unsigned s = 0; s < 2; s++) {
        const struct parting_side *side = &x->side[s];

        if (side->n_after == 0)
            fprintf(r->text.out, "  %-6sends here\n", s ? "B" : "A");
        for (uint32_t i = 0; ok && i < side->n_after; i++)
            ok = show_key(r, i ? "" : s ? "B" : "A", s, side->after[i]);
    }
    return ok;
}

/* ---- Stacks --------------------------------------------------------------------------------- */

/* The innermost common activation may have called from another line in B. */
static void show_other_place(const struct run_diff_report *r, const struct parting *x)
{
    size_t i = x->n_common_frames - 1;
    struct run_place a = run_diff_frame_place(r->d, x, SIDE_A, i);
    struct run_place b = run_diff_frame_place(r->d, x, SIDE_B, i);

    for (unsigned s = 0; s < 2; s++)
        if (x->side[s].frames[i].last == x->side[s].event)
            return;
    if (!a.line || !b.line || a.line->line == b.line->line)
        return;
    fputs(", in B ", r->text.out);
    put_file_line(r, b.line->file, b.line->line);
}

/* Frames [first, n) of a side; of many only the innermost. */
static void show_frames(const struct run_diff_report *r, const struct parting *x, unsigned side,
                        size_t first, size_t n, const char *label)
{
    if (first == n)
        return;
    fprintf(r->text.out, "  stack of %s\n", label);
    if (n - first > MAX_FRAMES) {
        fputs("    ... ", r->text.out);
        put_number(r, n - first - MAX_FRAMES);
        fputs(" outer calls\n", r->text.out);
        first = n - MAX_FRAMES;
    }
    for (; first < n; first++) {
        struct run_place place = run_diff_frame_place(r->d, x, side, first);

        fputs("    ", r->text.out);
        put_place(r, &place, "  ");
        if (first + 1 == x->n_common_frames)
            show_other_place(r, x);
        fputs(x->side[side].frames[first].unseen ? "  (its call was not recorded)\n" : "\n",
              r->text.out);
    }
}

static void show_stacks(const struct run_diff_report *r, const struct parting *x)
{
    size_t common = x->n_common_frames;

    show_frames(r, x, SIDE_A, 0, common, "both");
    show_frames(r, x, SIDE_A, common, x->side[SIDE_A].n_frames, common ? "A goes on" : "A");
    show_frames(r, x, SIDE_B, common, x->side[SIDE_B].n_frames, common ? "B goes on" : "B");
}

/* ---- Partings ------------------------------------------------------------------------------- */

static void show_thread_name(const struct run_diff_report *r, const struct thread_diff *t)
{
    unsigned side = t->thread[SIDE_A] == UINT32_MAX ? SIDE_B : SIDE_A;
    const char *name = wpp_thread(r->d->w[side], t->thread[side])->name;

    fprintf(r->text.out, "thread %" PRIu32, t->thread[side]);
    if (t->thread[!side] != UINT32_MAX && t->thread[!side] != t->thread[side])
        fprintf(r->text.out, " of A, %" PRIu32 " of B", t->thread[SIDE_B]);
    if (name[0]) {
        putc(' ', r->text.out);
        name_put(r->text.out, name);
    }
    fputs(": ", r->text.out);
}

static void show_answer(const struct run_diff_report *r, const struct parting *x, bool first)
{
    struct run_place place = run_diff_place(r->d, x);

    fputs(first ? "the runs part after " : "they part again after ", r->text.out);
    put_amount(r, x->common);
    if (place.routine) {
        fputs(", in ", r->text.out);
        put_place(r, &place, " at ");
    }
    fputs("\n  event ", r->text.out);
    put_number(r, x->side[SIDE_A].event);
    fputs(" of A, ", r->text.out);
    put_number(r, x->side[SIDE_B].event);
    fputs(" of B\n", r->text.out);
}

static void show_meeting(const struct run_diff_report *r, const struct thread_diff *t,
                         const struct parting *x)
{
    const struct parting_side *a = &x->side[SIDE_A], *b = &x->side[SIDE_B];

    if (!x->meets) {
        fprintf(r->text.out, "  they do not meet again, as far as was looked\n");
        return;
    }
    fputs("  they meet again ", r->text.out);
    if (x->by_return) {
        fputs("when ", r->text.out);
        put_name(r, wpp_routine(r->d->w[SIDE_A],
                                a->frames[x->returned_frame].routine)->shown);
        fputs(" has returned, ", r->text.out);
    }
    fputs("after ", r->text.out);
    put_amount(r, a->meet_key - a->key);
    fputs(" of A and ", r->text.out);
    put_number(r, b->meet_key - b->key);
    fputs(" of B, at event ", r->text.out);
    put_number(r, a->meet_event);
    fputs(" of A, ", r->text.out);
    put_number(r, b->meet_event);
    fputs(" of B;\n  from there ", r->text.out);
    put_amount(r, x->common_after);
    fputs(x->common_after == 1 ? " is equal" : " are equal", r->text.out);
    if (a->meet_key + x->common_after == t->keys[SIDE_A]
        && b->meet_key + x->common_after == t->keys[SIDE_B])
        fputs(", until the end", r->text.out);
    putc('\n', r->text.out);
}

static bool show_parting(const struct run_diff_report *r, const struct thread_diff *t, size_t i)
{
    const struct parting *x = &t->parting[i];

    show_thread_name(r, t);
    show_answer(r, x, i == 0);
    if (!show_keys(r, x))
        return false;
    show_stacks(r, x);
    show_meeting(r, t, x);
    return true;
}

static bool show_thread(const struct run_diff_report *r, const struct thread_diff *t)
{
    for (unsigned s = 0; s < 2; s++)
        if (t->thread[!s] == UINT32_MAX) {
            show_thread_name(r, t);
            fprintf(r->text.out, "only %c has it: ", "AB"[s]);
            put_amount(r, t->keys[s]);
            putc('\n', r->text.out);
            return true;
        }
    if (t->n_partings == 0) {
        show_thread_name(r, t);
        fputs("equal: ", r->text.out);
        put_amount(r, t->keys[SIDE_A]);
        putc('\n', r->text.out);
    }
    for (size_t i = 0; i < t->n_partings; i++)
        if (!show_parting(r, t, i))
            return false;
    return true;
}

/* ---- Counts --------------------------------------------------------------------------------- */

/* A sum, which may be larger than any number that is shown. */
static uint64_t whole(double n)
{
    return n < 0x1p64 ? (uint64_t)(n + 0.5) : UINT64_MAX;
}

static void put_scaled(const struct run_diff_report *r, int width, double n)
{
    char text[NUMBER_TEXT];

    fprintf(r->text.out, "%*s ", width, number_scaled(whole(n), text));
}

static void put_difference(const struct run_diff_report *r, double a, double b)
{
    char text[NUMBER_TEXT], number[NUMBER_TEXT + 1];

    snprintf(number, sizeof number, "%c%s", b < a ? '-' : '+',
             number_scaled(whole(b < a ? a - b : b - a), text));
    fprintf(r->text.out, "%12s ", number);
}

static const char *state_of(const struct count_row *row)
{
    return !row->has[SIDE_B] ? " [only A]" : !row->has[SIDE_A] ? " [only B]" : "";
}

static void show_figures(const struct run_diff_report *r, const struct count_row *row)
{
    put_difference(r, row->insns[SIDE_A], row->insns[SIDE_B]);
    for (unsigned s = 0; s < 2; s++)
        put_scaled(r, 14, row->insns[s]);
    for (unsigned s = 0; s < 2; s++)
        table_count(&r->text, 14, whole(row->executions[s]));
    fputs(" ", r->text.out);
}

static void show_routines(const struct run_diff_report *r)
{
    const struct count_rows *rows = &r->counts->routines;
    size_t n = run_diff_rows(r, rows);

    table_heading(&r->text, "  difference instructions A instructions B        calls A        calls B"
                            "  routine");
    for (size_t i = 0; i < n; i++) {
        const struct count_row *row = &rows->row[i];

        show_figures(r, row);
        table_named(&r->text, 76, row->routine->shown, state_of(row), row->file, row->line, 0);
    }
    table_more(&r->text, n, rows->n, "routines");
    if (rows->n == 0)
        fputs("  no routine differs\n", r->text.out);
}

static void show_lines(const struct run_diff_report *r)
{
    const struct count_rows *rows = &r->counts->lines;
    size_t n = run_diff_rows(r, rows);

    table_heading(&r->text, "  difference instructions A instructions B   executions A   executions B"
                            "  line");
    for (size_t i = 0; i < n; i++) {
        const struct count_row *row = &rows->row[i];

        show_figures(r, row);
        put_file_line(r, row->file, row->line);
        fputs(state_of(row), r->text.out);
        fputs("  ", r->text.out);
        put_name(r, row->routine->shown);
        putc('\n', r->text.out);
    }
    table_more(&r->text, n, rows->n, "lines");
    if (rows->n == 0)
        fputs("  no line differs\n", r->text.out);
}

static bool show_paths(const struct run_diff_report *r)
{
    const struct count_rows *rows = &r->counts->paths;
    size_t n = run_diff_rows(r, rows);
    bool ok = true;

    table_heading(&r->text, "  difference instructions A instructions B   executions A   executions B"
                            "  path");
    for (size_t i = 0; ok && i < n; i++) {
        const struct count_row *row = &rows->row[i];

        show_figures(r, row);
        put_name(r, row->routine->shown);
        path_put_number(r->text.out, "path", row->routine, row->path);
        fprintf(r->text.out, "%s\n      ", state_of(row));
        ok = path_put_lines(r->text.out, r->d->w[row->side], row->terminal, MAX_RUNS);
        putc('\n', r->text.out);
    }
    table_more(&r->text, n, rows->n, "paths");
    if (rows->n == 0)
        fputs("  no path differs\n", r->text.out);
    return ok;
}

static bool show_counts(const struct run_diff_report *r)
{
    static const char *const side[2] = {"A: ", "B: "};

    putc('\n', r->text.out);
    for (unsigned s = 0; s < 2; s++) {
        char text[NUMBER_TEXT];

        fputs(side[s], r->text.out);
        name_put(r->text.out, r->path[s]);
        fprintf(r->text.out, ": %s instructions\n",
                number_scaled(whole(r->counts->insns[s]), text));
    }
    show_routines(r);
    show_lines(r);
    return show_paths(r);
}

bool run_diff_text(const struct run_diff_report *r)
{
    bool ok = add_names(r);

    for (uint32_t i = 0; ok && i < r->d->n_threads; i++)
        ok = show_thread(r, &r->d->thread[i]);
    return ok && (!r->counts || show_counts(r));
}
