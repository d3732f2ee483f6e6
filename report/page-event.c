/* SPDX-License-Identifier: MIT */
/* page-event.c - one event of a run: its path, stack, rules, time; and where something is next. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/page.h"
#include "wpp/base/json.h"
#include "wpp/read/reader.h"
#include "wpp/replay/finder-parts.h"
#include "wpp/replay/line-trail.h"
#include "wpp/replay/stack-text.h"

static void put_line(FILE *out, const struct wpp_line *line)
{
    fputs("[", out);
    json_string(out, line->file);
    fprintf(out, ",%" PRIu32 "]", line->line);
}

/* ---- The path ------------------------------------------------------------------------------------ */

static void put_inlined(FILE *out, const struct wpp_routine *routine, uint32_t call)
{
    if (call == 0)
        return;
    fputc(',', out);
    json_string(out, routine->inlined[call - 1].shown);
}

/* Lines in the order in which they ran: [file, line] or [file, line, inlined function]. */
static bool put_trail(FILE *out, const struct wpp_terminal *t, const struct wpp_routine *routine)
{
    struct trail trail;

    if (!trail_of(t, routine, &trail))
        return false;
    fputs(",\"lines\":[", out);
    for (size_t i = 0; i < trail.n; i++) {
        fputs(i ? ",[" : "[", out);
        json_string(out, trail.line[i].file);
        fprintf(out, ",%" PRIu32, trail.line[i].line);
        put_inlined(out, routine, trail.line[i].inlined);
        fputc(']', out);
    }
    fputc(']', out);
    trail_free(&trail);
    return true;
}

static bool put_path(FILE *out, const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);
    char name[WPP_SYMBOL_NAME];

    fprintf(out, ",\"terminal\":%" PRIu32 ",\"enters\":%s,\"leaves\":%s,\"insns\":%" PRIu64, terminal,
            t->enters ? "true" : "false", t->leaves ? "true" : "false", t->insns);
    if (!routine) {
        fputs(",\"routine\":null,\"name\":", out);
        json_string(out, wpp_symbol_name(t, name));
        fputs(",\"lines\":[]", out);
        return true;
    }
    fprintf(out, ",\"routine\":%" PRIu32 ",\"path\":%" PRIu64, t->routine, t->path);
    return put_trail(out, t, routine);
}

/* ---- Around it ----------------------------------------------------------------------------------- */

/* Innermost first; `line` is where the activation has come to. */
static void put_frames(FILE *out, const struct page_run *r, const struct wpp_frame *frame, size_t n)
{
    const size_t most = 300;

    fprintf(out, "{\"depth\":%zu,\"stack\":[", n);
    for (size_t i = n; i > 0 && n - i < most; i--) {
        const struct wpp_frame *f = &frame[i - 1];
        const struct wpp_line *at = path_end(r->w, wpp_terminal(r->w, f->terminal));

        fprintf(out, "%s{\"routine\":%" PRIu32 ",\"first\":%" PRIu64 ",\"end\":%" PRIu64
                ",\"unseen\":%s,\"at\":", i < n ? "," : "", f->routine, f->first, f->end,
                f->unseen ? "true" : "false");
        if (at)
            put_line(out, at);
        else
            fputs("null", out);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* The rules that the event lies in, outermost first: [rule, first event, events]. */
static uint32_t put_rules(FILE *out, const struct page_run *r, uint32_t thread, uint64_t event)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    struct prefix_sums sums = wpp_event_sums(r->w);
    uint32_t symbol = (g->n_rules + thread) | WPP_RULE;
    uint64_t rest = event;
    const char *between = "";

    fputs(",\"rules\":[", out);
    for (;;) {
        uint32_t rule = symbol & ~WPP_RULE;

        symbol = g->symbols[prefix_sums_find(&sums, g->body[rule], g->body[rule + 1], &rest)];
        if (!(symbol & WPP_RULE))
            break;
        fprintf(out, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]", between, symbol & ~WPP_RULE,
                event - rest, g->length[symbol & ~WPP_RULE]);
        between = ",";
    }
    fputc(']', out);
    return symbol;
}

/* If there is no such event, that is the answer. */
static bool has_event(const struct page_run *r, uint32_t thread, double event, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (thread < g->n_threads && event >= 0 && event < (double)g->length[g->n_rules + thread])
        return true;
    fputs("{\"error\":\"there is no such event\"}", out);
    return false;
}

bool page_event(struct page_run *r, uint32_t thread, double event, FILE *out)
{
    uint64_t number = (uint64_t)event, time;
    uint32_t terminal;

    if (!has_event(r, thread, event, out))
        return true;
    fprintf(out, "{\"thread\":%" PRIu32 ",\"event\":%" PRIu64, thread, number);
    if (wpp_time_of(r->w, thread, number, &time))
        fprintf(out, ",\"time\":%" PRIu64, time);
    terminal = put_rules(out, r, thread, number);
    if (!put_path(out, r->w, terminal))
        return false;
    fputc('}', out);
    return true;
}

bool page_stack(struct page_run *r, uint32_t thread, double event, FILE *out)
{
    struct wpp_frame *frame;
    size_t n;

    if (!has_event(r, thread, event, out))
        return true;
    if (!page_need_stacks(r, NULL) || !wpp_stack_at(r->stacks, thread, (uint64_t)event, &frame, &n))
        return false;
    put_frames(out, r, frame, n);
    free(frame);
    return true;
}

/* ---- Looking for something ------------------------------------------------------------------------- */

static bool weigh(struct page_run *r, enum page_what what, uint32_t number, const char *file,
                  uint32_t line)
{
    switch (what) {
    case PAGE_ROUTINE:
        return number < r->w->n_routines && wpp_weigh_routine(r->w, number, r->weights);
    case PAGE_LINE:
        return wpp_weigh_line(r->w, file, line, r->weights);
    case PAGE_PATH:
        if (number >= r->w->n_terminals)
            return false;
        r->weights[number] = 1;
        return true;
    }
    return false;
}

/* Per thread, as far as the finder knows. */
static void put_counts(FILE *out, const struct page_run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    fputs(",\"counts\":[", out);
    for (uint32_t i = 0; i < g->n_threads; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", r->finder ? wpp_finder_count(r->finder, i, 0,
                g->length[g->n_rules + i]) : 0);
    fputc(']', out);
}

/* Counts further.  More than 2^64 executions are as none. */
static void count_on(struct page_run *r, uint64_t symbols)
{
    enum finder_state state = r->found || !r->finder ? FINDER_READY : finder_go_on(r->finder, symbols);

    if (state == FINDER_TOO_MANY) {
        wpp_finder_free(r->finder);
        r->finder = NULL;
    }
    r->found = state != FINDER_MORE;
}

/* The sum over all paths; of a run with one thread that is the thread's count. */
static bool put_count(FILE *out, const struct page_run *r)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;
    uint64_t *count = calloc(n + (size_t)1, sizeof *count), sum = 0;

    if (!count)
        return false;
    wpp_terminal_counts(r->w, count);
    for (uint32_t t = 0; r->finder && t < n; t++)
        sum += count[t] * r->weights[t];
    fprintf(out, ",\"counts\":[%" PRIu64 "]", sum);
    free(count);
    return true;
}

static void put_firsts(FILE *out, const struct page_run *r)
{
    fputs("{\"firsts\":[", out);
    for (uint32_t k = 0; k < wpp_grammar(r->w)->n_threads; k++) {
        const struct page_firsts *f = &r->firsts[k];
        size_t i = 0;

        while (i < f->n && !r->weights[f->terminal[i]])
            i++;
        fputs(k ? "," : "", out);
        if (r->finder && i < f->n)
            fprintf(out, "%" PRIu64, f->event[i]);
        else
            fputs("null", out);
    }
    fputc(']', out);
}

bool page_seek(struct page_run *r, enum page_what what, uint32_t number, const char *file,
               uint32_t line, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    struct wpp_error error;

    wpp_finder_free(r->finder);
    free(r->weights);
    r->finder = NULL;
    r->found = false;
    r->weights = calloc(g->n_terminals + (size_t)1, sizeof *r->weights);
    if (!r->weights)
        return false;
    if (weigh(r, what, number, file, line)) {
        r->finder = finder_begin(r->w, r->weights, &error);
        if (!r->finder && error.status == WPP_E_MEMORY)
            return false;
    }
    if (!page_need_firsts(r))
        return false;
    put_firsts(out, r);
    if (g->n_threads == 1 && !put_count(out, r))
        return false;
    fputc('}', out);
    return true;
}

bool page_seek_on(struct page_run *r, double symbols, FILE *out)
{
    count_on(r, symbols < 0x1p63 ? (uint64_t)symbols : UINT64_MAX);
    fprintf(out, "{\"ready\":%s", r->found ? "true" : "false");
    if (r->found)
        put_counts(out, r);
    fputc('}', out);
    return true;
}

bool page_find(struct page_run *r, uint32_t thread, double event, bool forwards, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    uint64_t tokens = thread < g->n_threads ? g->length[g->n_rules + thread] : 0, before, place;
    uint64_t number = event < 0 ? 0 : event > (double)tokens ? tokens : (uint64_t)event;
    uint32_t within;

    count_on(r, UINT64_MAX);
    before = r->finder && tokens ? wpp_finder_count(r->finder, thread, 0, number) : 0;
    if (r->finder && tokens && (forwards || before > 0)
        && wpp_finder_nth(r->finder, thread, forwards ? before : before - 1, &place, &within))
        fprintf(out, "{\"event\":%" PRIu64 ",\"number\":%" PRIu64 "}", place, forwards ? before : before - 1);
    else
        fputs("{\"event\":null}", out);
    return true;
}
