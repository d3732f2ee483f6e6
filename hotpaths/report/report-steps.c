/* SPDX-License-Identifier: MIT */
/* report-steps.c - the paths of a subpath as text; see report-steps.h. */
#include "hotpaths/report/report-steps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/report/own-code.h"
#include "hotpaths/report/paint.h"
#include "wpp/base/clipped-output.h"
#include "wpp/base/number-text.h"

enum {
    MOST_RANGES = 6,            /* of line numbers in a step's head */
    LEVEL_INDENT = 3,
    LINES_INDENT = 3,           /* of source lines, relative to their step */
    LEAST_NAME = 12,
    MOST_LINES = 40             /* of an answer, before its last path */
};

bool steps_begin(struct steps *t, const struct report *r)
{
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    *t = (struct steps){ .r = r, .started = report_started(r) };
    t->mentions = calloc((size_t)run.n_terminals + 1, sizeof *t->mentions);
    return t->mentions != NULL;
}

void steps_end(struct steps *t)
{
    free(t->mentions);
    free(t->seen);
    free(t->letter);
}

const char *steps_letter(uint32_t number, char out[static LETTER_TEXT])
{
    char *p = out + LETTER_TEXT - 1;

    *p = '\0';
    for (; number > 0 && p > out; number = (number - 1) / 26)
        *--p = (char)('A' + (number - 1) % 26);
    return memmove(out, p, (size_t)(out + LETTER_TEXT - p));
}

/* ---- Heads ----------------------------------------------------------------------------- */

static size_t count_ranges(const struct executed_file *f, uint32_t gap)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_lines; i = executed_range_end(f, i, gap))
        n++;
    return n;
}

/* Writes the lines exactly if that takes few ranges, else roughly. */
static void put_ranges(FILE *out, const struct executed_file *f)
{
    uint32_t gap = count_ranges(f, 0) <= MOST_RANGES ? 0 : REPORT_CONTEXT;
    size_t shown = 0;

    name_put(out, f->name);
    for (size_t i = 0, end; i < f->n_lines; i = end) {
        end = executed_range_end(f, i, gap);
        assert(end > i && end <= f->n_lines && f->lines[i] <= f->lines[end - 1]);
        if (shown == MOST_RANGES) {
            fputs(",...", out);
            return;
        }
        fprintf(out, "%c%" PRIu32, shown++ ? ',' : ':', f->lines[i]);
        if (end - i > 1)
            fprintf(out, "-%" PRIu32, f->lines[end - 1]);
    }
}

/* Writes the range from the first line to the last of the first file. */
static void put_rough_range(FILE *out, const struct executed_lines *p)
{
    const struct executed_file *f = &p->files[0];
    const char *base = strrchr(f->name, '/');

    assert(f->n_lines > 0);
    name_put(out, base ? base + 1 : f->name);
    fprintf(out, ":%" PRIu32, f->lines[0]);
    if (f->n_lines > 1)
        fprintf(out, "-%" PRIu32, f->lines[f->n_lines - 1]);
    fputs(p->n_files > 1 ? ",..." : "", out);
}

/* The lines of a path as text, freed by free; NULL: no memory. */
static char *lines_text(const struct executed_lines *p, bool rough)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (rough && p->n_files > 0)
        put_rough_range(out, p);
    for (size_t i = 0; i < p->n_files && !rough; i++) {
        fputs(i ? " " : "", out);
        put_ranges(out, &p->files[i]);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Writes how often it is repeated here; and in a row, in the whole run: (least/mean/most). */
static void put_turns(FILE *out, size_t turns, const struct hot_turns *all)
{
    char number[NUMBER_TEXT], least[NUMBER_TEXT], average[NUMBER_TEXT], most[NUMBER_TEXT];

    assert(!all || !all->rows || all->least <= all->most);
    fprintf(out, "x %s", number_grouped(turns, number));
    if (all && all->rows)
        fprintf(out, " (%s/%s/%s)", number_grouped(all->least, least),
                number_mean(all->turns, all->rows, average), number_grouped(all->most, most));
}

/* The text behind the lines, in two parts: the path, and the rest. */
struct tail {
    char path[40], rest[160];
};

static void find_tail(struct tail *tail, const struct steps *t, const struct outline_step *step,
                      const struct wpp_terminal *terminal, size_t turns,
                      const struct hot_turns *all)
{
    const struct mention *mention = &t->mentions[step->terminal];
    FILE *out = fmemopen(tail->rest, sizeof tail->rest, "w");

    snprintf(tail->path, sizeof tail->path, "path %" PRIu64, terminal->path);
    tail->rest[0] = '\0';
    if (!out)
        return;
    if (turns > 1) {
        fputs("  ", out);
        put_turns(out, turns, all);
    }
    if (step->leaves)
        fputs("  returns", out);
    if (mention->shown && mention->last != t->number)
        fprintf(out, "  (shown in %zu)", mention->shown);
    fclose(out);
}

static unsigned width(const char *text)
{
    return clipped_width(text, strlen(text));
}

/* Writes a name, its lines and the tail into the rest of the line.  If they do not fit, the lines
 * become rough, then the name shorter. */
static bool put_fitting(const struct report *r, const char *name, const struct executed_lines *p,
                        bool rough, const struct tail *tail, size_t used)
{
    char *lines = lines_text(p, rough), shorter[200];
    size_t others = used + width(tail->path) + width(tail->rest) + 4;

    if (lines && r->columns && others + width(name) + width(lines) > r->columns) {
        free(lines);
        lines = lines_text(p, true);
    }
    if (!lines)
        return false;
    others += width(lines);
    if (r->columns && others + width(name) > r->columns) {
        size_t room = r->columns > others + LEAST_NAME ? r->columns - others : LEAST_NAME;

        name_shorten(name, shorter, (room < sizeof shorter ? room : sizeof shorter - 1) + 1);
        name = shorter;
    }
    fprintf(r->out, "%s", style(r, ROUTINE));
    name_put(r->out, name);
    fprintf(r->out, "%s  %s%s%s%s%s%s\n", style(r, PLAIN), lines, lines[0] ? "  " : "",
            style(r, DIM), tail->path, style(r, PLAIN), tail->rest);
    free(lines);
    return true;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool find_lines(struct executed_lines *p, const struct report *r, uint32_t terminal)
{
    return r->system ? executed_lines_of(p, r->w, terminal)
                     : executed_lines_own(p, r->w, terminal);
}

/* Whether the source is shown only on request. */
static bool is_hidden(const struct report *r, const struct wpp_routine *routine,
                      const struct executed_lines *p)
{
    return !r->system && p->n_files > 0 &&
           own_code_is_system_file(routine->directory, p->files[0].name);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^ hash * 31;
}

static uint64_t hash_lines(uint32_t routine, const struct executed_lines *p)
{
    uint64_t hash = mix(1, routine);

    for (size_t i = 0; i < p->n_files; i++)
        for (size_t k = 0; k < p->files[i].n_lines; k++)
            hash = mix(mix(hash, i), mix(p->files[i].lines[k], p->files[i].inlined[k]));
    return hash;
}

/* The answer that has shown the same lines of the routine; 0: none, and now this one does.  Without
 * memory they are shown again. */
static size_t see_lines(struct steps *t, uint32_t routine, const struct executed_lines *p)
{
    uint64_t hash = hash_lines(routine, p);

    for (size_t i = 0; i < t->n_seen; i++)
        if (t->seen[i].hash == hash)
            return t->seen[i].number;
    if (GROW(t->seen, t->seen_size, t->n_seen + 1) == HOT_OK)
        t->seen[t->n_seen++] = (struct seen_lines){ hash, t->number };
    return 0;
}

/* Whether to show the source now.  Notes the answer that shows it. */
static bool shows_source(struct steps *t, uint32_t terminal, uint32_t routine,
                         const struct executed_lines *p)
{
    struct mention *mention = &t->mentions[terminal];

    if (mention->shown)
        return false;
    if (is_hidden(t->r, wpp_routine(t->r->w, routine), p)) {
        t->doubts.system = true;
        return false;
    }
    mention->shown = see_lines(t, routine, p);
    if (mention->shown == t->number)
        mention->last = t->number;
    if (mention->shown)
        return false;
    mention->shown = t->number;
    mention->last = t->number;
    return true;
}

static bool put_path(struct steps *t, const struct outline_step *step,
                     const struct wpp_terminal *terminal, size_t turns,
                     const struct hot_turns *all, size_t columns, bool source)
{
    const struct report *r = t->r;
    const struct wpp_routine *routine = wpp_routine(r->w, terminal->routine);
    struct executed_lines p;
    struct tail tail;
    bool good, shows;

    if (!find_lines(&p, r, step->terminal))
        return false;
    fputs(step->called ? "-> " : "", r->out);
    shows = source && shows_source(t, step->terminal, terminal->routine, &p);
    find_tail(&tail, t, step, terminal, turns, all);
    good = put_fitting(r, short_names_of(r->names, routine->shown), &p, is_hidden(r, routine, &p),
                       &tail, columns);
    if (good && shows)
        good = report_source(r, routine, &p, columns + LINES_INDENT, t->started, &t->doubts);
    for (size_t i = 0; shows && i < p.n_files; i++)
        t->lines += p.files[i].n_lines;
    t->mentions[step->terminal].last = t->number;
    executed_lines_free(&p);
    return good;
}

/* Writes the letter of a path into the indentation of `columns`. */
static void put_letter(const struct steps *t, uint32_t terminal, size_t columns)
{
    char letter[LETTER_TEXT];

    if (!t->letter || !t->letter[terminal]) {
        indent(t->r->out, columns);
        return;
    }
    steps_letter(t->letter[terminal], letter);
    fprintf(t->r->out, " %s%s%s", style(t->r, TURNS), letter, style(t->r, PLAIN));
    indent(t->r->out, columns - 1 - strlen(letter));
}

static bool put_step(struct steps *t, const struct outline_step *step, size_t turns,
                     const struct hot_turns *all, size_t nesting, bool source)
{
    const struct report *r = t->r;
    const struct wpp_terminal *terminal = wpp_terminal(r->w, step->terminal);
    size_t level = step->depth < 20 ? step->depth : 20;
    size_t columns = STEP_INDENT + LEVEL_INDENT * (level + nesting);
    char name[WPP_SYMBOL_NAME];

    t->lines++;
    /* The arrow of a call is in the indentation. */
    put_letter(t, step->terminal, step->called ? columns - LEVEL_INDENT : columns);
    if (terminal->routine != WPP_NO_ROUTINE)
        return put_path(t, step, terminal, turns, all, columns, source);
    fputs(wpp_symbol_name(terminal, name), r->out);
    if (turns > 1) {
        fprintf(r->out, "  %s", style(r, TURNS));
        put_turns(r->out, turns, all);
        fputs(style(r, PLAIN), r->out);
    }
    putc('\n', r->out);
    return true;
}

static bool put_steps(struct steps *t, size_t at, size_t end, size_t nesting);

bool steps_leave_out(struct steps *t, size_t paths)
{
    if (t->r->whole_details || t->lines < MOST_LINES)
        return false;
    t->left_out += paths;
    return true;
}

/* Steps over the folds within this one, whose steps are left out. */
static void skip_folds(struct steps *t, const struct outline_fold *fold)
{
    const struct outline *s = &t->shown->outline;

    while (t->fold < s->n_folds && s->folds[t->fold].at < fold->at + fold->period)
        t->fold++;
}

/* Writes repetitions of several steps once. */
static bool put_fold(struct steps *t, const struct outline_fold *fold, size_t nesting)
{
    const struct hot_turns *all = &t->shown->folds[t->fold++];
    const struct outline_step *step = &t->shown->outline.steps[fold->at];

    if (steps_leave_out(t, fold->period)) {
        skip_folds(t, fold);
        return true;
    }
    if (fold->period == 1)
        return put_step(t, step, fold->count, all, nesting, true);
    indent(t->r->out, STEP_INDENT + LEVEL_INDENT * nesting);
    fputs(style(t->r, TURNS), t->r->out);
    put_turns(t->r->out, fold->count, all);
    fprintf(t->r->out, "%s:\n", style(t->r, PLAIN));
    return put_steps(t, fold->at, fold->at + fold->period, nesting + 1);
}

/* Writes steps [at, end) with repetitions folded, also inside other repetitions.  The recursion
 * halves the range each time. */
static bool put_steps(struct steps *t, size_t at, size_t end, size_t nesting)
{
    const struct outline *s = &t->shown->outline;

    while (at < end) {
        const struct outline_fold *fold = &s->folds[t->fold];

        if (t->fold == s->n_folds || fold->at != at) {
            if (!steps_leave_out(t, 1) && !put_step(t, &s->steps[at], 1, NULL, nesting, true))
                return false;
            at++;
            continue;
        }
        if (!put_fold(t, fold, nesting))
            return false;
        at += fold->period * fold->count;
        if (at < end && fold->period > 1 && !steps_leave_out(t, 0)) {
            indent(t->r->out, STEP_INDENT + LEVEL_INDENT * nesting);
            fprintf(t->r->out, "%sthen:%s\n", style(t->r, TURNS), style(t->r, PLAIN));
        }
    }
    return true;
}

bool steps_put(struct steps *t, const struct shown *shown)
{
    t->shown = shown;
    t->fold = 0;
    return put_steps(t, 0, shown->outline.n, 0);
}

bool steps_put_different(struct steps *t, const struct shown *shown)
{
    const struct outline *s = &shown->outline;
    uint32_t last = 0;

    /* Letters are given in order of appearance. */
    t->shown = shown;
    for (size_t i = 0; i < s->n; i++) {
        if (t->letter[s->steps[i].terminal] <= last)
            continue;
        last = t->letter[s->steps[i].terminal];
        if (!steps_leave_out(t, 1) && !put_step(t, &s->steps[i], 1, NULL, 0, true))
            return false;
    }
    return true;
}

bool steps_put_one(struct steps *t, uint32_t terminal)
{
    struct outline_step step = { .terminal = terminal };

    return put_step(t, &step, 1, NULL, 0, true);
}

bool steps_put_head(struct steps *t, uint32_t terminal)
{
    struct outline_step step = { .terminal = terminal };

    return put_step(t, &step, 1, NULL, 0, false);
}
