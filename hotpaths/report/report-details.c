/* SPDX-License-Identifier: MIT */
/* report-details.c - an answer with its source; see report-details.h. */
#include "hotpaths/report/report-details.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/number-text.h"
#include "hotpaths/report/paint.h"
#include "hotpaths/report/report-table.h"

enum {
    MOST_ALTERNATIVES = 5,      /* without --verbose */
    ALTERNATIVE_INDENT = 15
};

static const char *percent(const struct report *r, uint64_t cost, char out[static NUMBER_TEXT])
{
    return number_percent(cost, hot_total_cost(r->result), out);
}

/* ---- Figures -------------------------------------------------------------------------------- */

static bool put_title(const struct report *r, size_t number)
{
    const struct answer *a = &r->answers->answer[number - 1];
    const struct shown *s = &r->shown->item[a->leader];
    const char *kind = answer_kind_name(answer_kind(r->w, s));
    struct answer_place place;
    char share[NUMBER_TEXT];

    if (!answer_place_of(&place, r->w, r->shown->cost, s, r->system))
        return false;
    fprintf(r->out, "\n%s%2zu %7s  %s%s  ", style(r, BOLD), number, percent(r, a->own, share), kind,
            style(r, PLAIN));
    table_put_where(r, &place, strlen(kind) + 14);
    putc('\n', r->out);
    answer_place_free(&place);
    return true;
}

static void put_paths(FILE *out, uint32_t n)
{
    fprintf(out, "%" PRIu32 " path%s", n, n == 1 ? "" : "s");
}

/* Writes the number of paths: of an iteration, if these are told. */
static void put_length(FILE *out, const struct report *r, const struct hot_subpath *p)
{
    bool in_iterations = table_iterations(p) > 0;

    fputs(", ", out);
    put_paths(out, in_iterations && p->turn ? p->turn : p->length);
    if (p->turn && in_iterations)
        fputs(" each", out);
    else if (p->turn)
        fprintf(out, " of a loop of %" PRIu32, p->turn);
    else if (in_iterations)
        fprintf(out, ", the first %" PRIu32 " again and again", p->period);
    if (p->turn && in_iterations && r->verbose) {
        fputs(", found as ", out);
        put_paths(out, p->length);
    }
}

/* Writes the cost of a subpath as a product: how often, times the cost of one.  For a loop, that of
 * one iteration; there may also be parts of iterations. */
static void put_product(FILE *out, const struct report *r, const struct hot_subpath *p)
{
    uint64_t iterations = table_iterations(p);
    bool is_all = iterations == 0 || iterations * p->own_unit_cost == p->own_cost;
    char number[NUMBER_TEXT], unit[NUMBER_TEXT], cost[NUMBER_TEXT];

    /* `instructions`; for one, `instruction`. */
    fprintf(out, "%s %.*s %s ", number_scaled(p->own_cost, cost),
            (int)strlen(r->cost_unit) - (p->own_cost == 1), r->cost_unit, is_all ? "=" : "in");
    if (iterations > 0)
        fprintf(out, "%s iterations of %s", number_grouped(iterations, number),
                number_grouped(p->own_unit_cost, unit));
    else if (p->frequency == 1)
        fprintf(out, "once %s", number_grouped(p->unit_cost, unit));
    else
        fprintf(out, "%s times %s", number_grouped(p->frequency, number),
                number_grouped(p->unit_cost, unit));
    put_length(out, r, p);
}

/* Writes how often the loop is repeated in all, if the subpath does not include all of it: a row
 * may be too short for an occurrence, or begin or end with another rotation. */
static void put_all_iterations(FILE *out, const struct hot_subpath *p,
                               const struct hot_turns *t)
{
    bool has_short = t->least * p->turn + p->turn - 1 < p->length;
    uint64_t told = table_iterations(p);
    char number[NUMBER_TEXT];

    if (told == 0 || t->rows == 0 || t->turns == told)
        return;
    fprintf(out, ": %s iterations ", number_grouped(t->turns, number));
    if (has_short)
        fprintf(out, "with rows of less than %" PRIu32 " paths", p->length);
    else
        fputs("in all", out);
}

/* Writes how often a loop is repeated in a row. */
static void put_rows(FILE *out, const struct report *r, const struct hot_subpath *p,
                     const struct hot_turns *t)
{
    char least[NUMBER_TEXT], average[NUMBER_TEXT], most[NUMBER_TEXT], number[NUMBER_TEXT];

    fputs("; in a row ", out);
    if (t->rows == 0)
        fputs("no iteration is whole", out);
    else if (t->least == t->most)
        fprintf(out, "%s%s iteration%s", t->rows > 1 ? "always " : "",
                number_grouped(t->least, least), t->least == 1 ? "" : "s");
    else
        fprintf(out, "%s to %s iterations, %s on average", number_grouped(t->least, least),
                number_grouped(t->most, most), number_mean(t->turns, t->rows, average));
    if (t->rows > 1)
        fprintf(out, ", %s times", number_grouped(t->rows, number));
    if (r->verbose)
        put_all_iterations(out, p, t);
}

/* False: no memory. */
static bool put_figures(const struct report *r, const struct answer *a)
{
    const struct shown *s = &r->shown->item[a->leader];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;

    if (good) {
        fputs(a->n_members > 1 ? "the first alternative: " : "", out);
        put_product(out, r, &s->path);
        if (s->path.turn && s->path.turn <= HOT_TURN_MAX)
            put_rows(out, r, &s->path, &s->loop);
        good = fclose(out) == 0;
    }
    if (good)
        table_put_wrapped(r, text, r->columns, 0, STEP_INDENT);
    free(text);
    return good;
}

static void put_share(const struct report *r, const char *what, uint64_t cost)
{
    char share[NUMBER_TEXT];

    fprintf(r->out, "    %s%s: %s%s\n", style(r, DIM), what, percent(r, cost, share),
            style(r, PLAIN));
}

/* Writes the share including what answers above have, if it overlaps these; and the share of all up
 * to this one. */
static void put_shares(const struct report *r, size_t number)
{
    const struct answer *a = &r->answers->answer[number - 1];
    uint64_t sum = 0;

    for (size_t i = 0; i < number; i++)
        sum += r->answers->answer[i].own;
    if (a->own != a->cost)
        put_share(r, "counting what answers above have, too", a->cost);
    if (r->shown->covers)
        put_share(r, "with all above", sum);
}

static void put_threads(const struct report *r, const struct shown *s)
{
    char number[NUMBER_TEXT];

    for (uint32_t k = 0; r->shown->by_thread && k < r->shown->g->n_threads; k++)
        if (s->by_thread[k]) {
            fprintf(r->out, "    %sthread %" PRIu32 " ", style(r, DIM), k);
            name_put(r->out, wpp_thread(r->w, k)->name);
            fprintf(r->out, ": %s times%s\n", number_grouped(s->by_thread[k], number),
                    style(r, PLAIN));
        }
}

/* ---- Alternatives
 * ----------------------------------------------------------------------------- */

static void give_letter(struct steps *t, uint32_t terminal)
{
    if (!t->letter[terminal])
        t->letter[terminal] = ++t->n_letters;
}

/* Gives letters to the paths of an answer of several subpaths, in order of appearance. */
static bool give_letters(struct steps *t, const struct answer *a)
{
    const struct report *r = t->r;

    free(t->letter);
    t->letter = NULL;
    t->n_letters = 0;
    if (a->n_members == 1)
        return true;
    t->letter = calloc((size_t)r->shown->g->n_terminals + 1, sizeof *t->letter);
    for (size_t i = 0; t->letter && i < a->n_members; i++) {
        const struct outline *outline = &r->shown->item[a->member[i]].outline;

        for (size_t k = 0; k < outline->n; k++)
            give_letter(t, outline->steps[k].terminal);
    }
    return t->letter != NULL;
}

/* Writes steps [at, end) by their letters, repetitions once: A B2 (C D)3. */
static void put_letters(const struct steps *t, FILE *out, const struct outline *s, size_t *fold,
                        size_t at, size_t end)
{
    char letter[LETTER_TEXT];

    for (size_t begin = at; at < end;) {
        const struct outline_fold *f = *fold < s->n_folds ? &s->folds[*fold] : NULL;

        fputs(at > begin ? " " : "", out);
        if (!f || f->at != at) {
            fputs(steps_letter(t->letter[s->steps[at++].terminal], letter), out);
            continue;
        }
        ++*fold;
        fputs(f->period > 1 ? "(" : "", out);
        put_letters(t, out, s, fold, at, at + f->period);
        fprintf(out, "%s%zu", f->period > 1 ? ")" : "", f->count);
        at += f->period * f->count;
    }
}

/* The alternative by its letters, freed by free; NULL: no memory. */
static char *letters_text(const struct steps *t, const struct shown *s)
{
    char *text = NULL;
    size_t size, fold = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    put_letters(t, out, &s->outline, &fold, 0, s->outline.n);
    fputs(s->outline.n < s->path.length ? " again and again" : "", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Writes the share and the letters of an alternative; ` ...` if the line is too short for all. */
static bool put_alternative(const struct steps *t, const struct shown *s)
{
    unsigned room = t->r->columns > ALTERNATIVE_INDENT ? t->r->columns - ALTERNATIVE_INDENT : 0;
    char share[NUMBER_TEXT], *text = letters_text(t, s);
    const char *more = "";

    if (!text)
        return false;
    if (t->r->columns && strlen(text) > room) {
        size_t n = room > 4 ? room - 4 : 0;

        while (n > 0 && text[n] != ' ')
            n--;
        text[n] = '\0';
        more = " ...";
    }
    fprintf(t->r->out, "      %7s  %s%s\n", percent(t->r, s->path.own_cost, share), text, more);
    free(text);
    return true;
}

/* Writes the paths that the first alternative does not have. */
static bool put_other_paths(struct steps *t, const struct answer *a)
{
    const struct outline *first = &t->r->shown->item[a->leader].outline;
    uint32_t letters = 0, told;

    for (size_t i = 0; i < first->n; i++)
        letters = t->letter[first->steps[i].terminal] > letters
                      ? t->letter[first->steps[i].terminal] : letters;
    told = letters;
    for (size_t i = 1; i < a->n_members; i++) {
        const struct outline *outline = &t->r->shown->item[a->member[i]].outline;

        for (size_t k = 0; k < outline->n; k++) {
            if (t->letter[outline->steps[k].terminal] <= told)
                continue;
            told = t->letter[outline->steps[k].terminal];
            if (steps_leave_out(t, 1))
                continue;
            if (told == letters + 1)
                fputs("    paths of other alternatives:\n", t->r->out);
            if (!steps_put_head(t, outline->steps[k].terminal))
                return false;
        }
    }
    return true;
}

static bool put_alternatives(struct steps *t, const struct answer *a)
{
    const struct report *r = t->r;
    size_t shown = r->verbose || a->n_members <= MOST_ALTERNATIVES + 1 ? a->n_members
                                                                       : MOST_ALTERNATIVES;
    char share[NUMBER_TEXT];

    fprintf(r->out, "    %s%zu alternatives, %s together; as letters, A9: nine times path A%s\n",
            style(r, TURNS), a->n_members, percent(r, a->cost, share), style(r, PLAIN));
    for (size_t i = 0; i < shown; i++)
        if (!put_alternative(t, &r->shown->item[a->member[i]]))
            return false;
    if (shown < a->n_members)
        fprintf(r->out, "      and %zu more (--verbose)\n", a->n_members - shown);
    return true;
}

/* Writes the paths, as many as there is room for. */
static bool put_paths_of(struct steps *t, const struct answer *a)
{
    const struct report *r = t->r;
    const struct shown *s = &r->shown->item[a->leader];

    t->lines = t->left_out = 0;
    if (!(details_have_order(r, a) ? steps_put(t, s) : steps_put_different(t, s)) ||
        (a->n_members > 1 && !put_other_paths(t, a)))
        return false;
    if (t->left_out)
        fprintf(r->out, "    and %zu more path%s (--details)\n", t->left_out,
                t->left_out == 1 ? "" : "s");
    return true;
}

/* ---- Neighbours
 * --------------------------------------------------------------------------------- */

static bool put_neighbours(struct steps *t, const struct shown *s, int side)
{
    const struct report *r = t->r;
    const char *where = side == SHOWN_BEFORE ? "before" : "behind";
    uint64_t others = s->path.frequency;
    char number[NUMBER_TEXT];

    for (uint32_t i = 0; i < s->n_near[side]; i++) {
        uint64_t times = s->near[side][i].times;

        fprintf(r->out, "  %s%s, %s time%s:%s\n", style(r, TURNS), where,
                number_grouped(times, number), times == 1 ? "" : "s", style(r, PLAIN));
        others -= times < others ? times : others;
        if (!steps_put_one(t, s->near[side][i].terminal))
            return false;
    }
    if (others > 0 && r->config->algorithm == HOT_EXACT && !r->shown->apart)
        fprintf(r->out, "  %s%s, %s time%s: others, or nothing%s\n", style(r, TURNS), where,
                number_grouped(others, number), others == 1 ? "" : "s", style(r, PLAIN));
    return true;
}

bool details_have_order(const struct report *r, const struct answer *a)
{
    return a->n_members == 1 || r->verbose;
}

bool details_put(struct steps *t, size_t number)
{
    const struct report *r = t->r;
    const struct answer *a = &r->answers->answer[number - 1];
    const struct shown *s = &r->shown->item[a->leader];
    bool near = r->shown->has_neighbours;

    t->number = number;
    if (!give_letters(t, a) || !put_title(r, number) || !put_figures(r, a))
        return false;
    put_shares(r, number);
    put_threads(r, s);
    return (!near || put_neighbours(t, s, SHOWN_BEFORE)) &&
           put_paths_of(t, a) &&
           (!near || put_neighbours(t, s, SHOWN_BEHIND)) &&
           (a->n_members == 1 || put_alternatives(t, a));
}
