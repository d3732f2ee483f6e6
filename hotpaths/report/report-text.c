/* SPDX-License-Identifier: MIT */
/* report-text.c - the result of an analysis for people: a table of all answers, details of the
 * first ones, and with --verbose how they were found. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "wpp/base/number-text.h"
#include "hotpaths/report/paint.h"
#include "hotpaths/report/report-details.h"
#include "hotpaths/report/report-steps.h"
#include "hotpaths/report/report-table.h"

/* ---- Names
 * ------------------------------------------------------------------------------------- */

static bool add_names(struct short_names *names, const struct report *r, const struct answer *a)
{
    for (size_t i = 0; i < a->n_members; i++) {
        const struct shown *s = &r->shown->item[a->member[i]];

        for (size_t k = 0; k < s->outline.n; k++)
            if ((k == 0 || s->outline.steps[k].terminal != s->outline.steps[k - 1].terminal) &&
                !short_names_add_path(names, r->w, s->outline.steps[k].terminal))
                return false;
        for (int side = 0; side < SHOWN_SIDES; side++)
            for (uint32_t k = 0; k < s->n_near[side]; k++)
                if (!short_names_add_path(names, r->w, s->near[side][k].terminal))
                    return false;
    }
    return true;
}

/* The short forms of all names in the report; NULL: no memory. */
static struct short_names *names_of(const struct report *r)
{
    struct short_names *names = short_names_new(r->full_names);
    bool good = names != NULL;

    for (size_t i = 0; i < r->answers->n && good; i++)
        good = add_names(names, r, &r->answers->answer[i]);
    if (good && short_names_settle(names))
        return names;
    short_names_free(names);
    return NULL;
}

/* ---- When there is no answer
 * ------------------------------------------------------------------- */

/* In the threads that were analysed. */
static uint64_t longest_run(const struct report *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    uint64_t longest = 0;

    for (uint32_t k = 0; k < g->n_threads; k++)
        if ((r->config->thread == HOT_ALL_THREADS || r->config->thread == k)
            && g->length[g->n_rules + k] > longest)
            longest = g->length[g->n_rules + k];
    return longest;
}

static void put_hint(const struct report *r)
{
    if (!longest_run(r))
        fprintf(r->out, "\nThe %s has no events.\n",
                r->config->thread == HOT_ALL_THREADS ? "run" : "thread");
    else if (r->config->min_cost)
        fputs("\nNothing costs that much; without --min-cost one is chosen.\n", r->out);
    else if (longest_run(r) < r->config->min_length)
        fprintf(r->out, "\nNothing is %" PRIu32 " paths long; --min-length asks for less.\n",
                r->config->min_length);
    else
        fprintf(r->out,
                "\nNo %" PRIu32 " paths in a row come often enough to cost more than any %" PRIu32
                " do once;\n--min-length and --max-length ask for shorter ones, --min-cost for "
                "all that cost less.\n", r->config->min_length, r->config->max_length);
}

/* ---- How it was found (--verbose)
 * ---------------------------------------------------------------- */

static uint64_t cost_shown(const struct report *r)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->answers->n; i++)
        if (__builtin_add_overflow(sum, r->answers->answer[i].cost, &sum))
            return UINT64_MAX;
    return sum;
}

/* Whether some subpaths are hot only because their occurrences overlap. */
static bool are_loops_cheaper(const struct report *r)
{
    for (size_t i = 0; i < r->shown->n; i++)
        if (r->shown->item[i].path.own_cost < hot_min_cost(r->result))
            return true;
    return false;
}

/* Writes one or more lines of that part. */
__attribute__((format(printf, 2, 3)))
static void put_note(const struct report *r, const char *format, ...)
{
    char text[400];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    table_put_wrapped(r, text, r->columns, 0, 2);
}

static void put_search(const struct report *r)
{
    size_t found = hot_count(r->result), leaders = hot_count_leaders(r->result);
    char least[NUMBER_TEXT], share[NUMBER_TEXT], chosen[60] = "";

    fprintf(r->out, "\nHow this was found:\n  %zu hot subpath%s of %" PRIu32 " to %" PRIu32
                    " paths",
            found, found == 1 ? "" : "s", r->config->min_length, r->config->max_length);
    if (r->shown->rotations && leaders < found)
        fputs(", each rotation of a loop told by itself", r->out);
    else if (leaders < found)
        fprintf(r->out, ", rotations of a loop told as one: %zu", leaders);
    putc('\n', r->out);
    if (!r->config->min_cost)
        snprintf(chosen, sizeof chosen, ", chosen for about %" PRIu32 " hot subpaths",
                 r->config->wanted);
    put_note(r, "each costs at least %s (%s; --min-cost=%" PRIu64 "%s)",
             number_scaled(hot_min_cost(r->result), least),
             number_percent(hot_min_cost(r->result), hot_total_cost(r->result), share),
             hot_min_cost(r->result), chosen);
}

static void put_overlaps(const struct report *r)
{
    uint64_t total = hot_total_cost(r->result);
    char sum[NUMBER_TEXT], own[NUMBER_TEXT];

    if (r->config->algorithm == HOT_LARUS && !r->shown->apart) {
        put_note(r, "frequencies are lower bounds; no two answers overlap");
        return;
    }
    put_note(r, "frequencies are exact%s",
             r->shown->apart ? ", of places that do not overlap" : "");
    number_percent(cost_shown(r), total, sum);
    number_percent(r->answers->own, total, own);
    if (cost_shown(r) > r->answers->own)
        put_note(r, "answers overlap: their costs add up to %s of the run, to %s where each event "
                 "counts once", sum, own);
    else
        put_note(r, "no two answers overlap");
    if (!r->shown->apart && are_loops_cheaper(r))
        put_note(r, "iterations of a loop overlap: a subpath may be hot by all its places and cost "
                 "less where each event counts once");
}

static void put_notes(const struct report *r)
{
    char sum[NUMBER_TEXT];

    put_search(r);
    put_overlaps(r);
    if (r->clocked && r->clocked != hot_total_cost(r->result))
        put_note(r, "each path costs its mean in whole ticks; the clock counted %s in all",
                 number_grouped(r->clocked, sum));
}

/* ---- The whole ---------------------------------------------------------------------------- */

static bool has_folds(const struct report *r)
{
    for (size_t i = 0; i < r->details; i++) {
        const struct answer *a = &r->answers->answer[i];

        if (details_have_order(r, a) && r->shown->item[a->leader].outline.n_folds > 0)
            return true;
    }
    return false;
}

static bool put_details(struct steps *t)
{
    const struct report *r = t->r;
    bool good = true;

    if (has_folds(r)) {
        fputs(style(r, DIM), r->out);
        table_put_wrapped(r,
                          "x N (least/mean/most): N times here; so many in a row in the whole run",
                          r->columns, 0, 0);
        fputs(style(r, PLAIN), r->out);
    }
    for (size_t i = 1; i <= r->details && good; i++)
        good = details_put(t, i);
    return good;
}

/* Tells which further answers and options there are. */
static void put_more(const struct report *r)
{
    size_t shown = r->answers->n_subpaths, all = r->shown->n_all;

    if (r->answers->n == 0 && all > 0)
        fprintf(r->out, "\nNone is shown, as --top=0 asks; --top=%zu shows all.\n", all);
    else if (shown < all)
        fprintf(r->out, "\n%zu more: --top=%zu shows all\n", all - shown, all);
    if (r->answers->n == r->details + 1)
        fprintf(r->out, "\nDetails of answer %zu: --details\n", r->answers->n);
    else if (r->answers->n > r->details)
        fprintf(r->out, "\nDetails of answers %zu to %zu: --details\n", r->details + 1,
                r->answers->n);
}

static bool put_all(const struct report *r)
{
    struct steps t;
    bool good = steps_begin(&t, r);

    good = good && table_put_heading(r);
    if (good && hot_count(r->result) == 0)
        put_hint(r);
    if (good && r->answers->n > 0) {
        good = table_put(r);
        if (good)
            table_put_legend(r);
        good = good && put_details(&t);
    }
    if (good) {
        put_more(r);
        report_put_doubts(r, &t.doubts);
        if (r->verbose)
            put_notes(r);
    }
    steps_end(&t);
    return good;
}

bool report_text(const struct report *given)
{
    struct report r = *given;
    struct short_names *names = names_of(&r);
    bool good = names != NULL;

    r.names = names;
    if (good)
        good = put_all(&r);
    short_names_free(names);
    return good;
}
