/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/grammar-model.h"
#include "wpp/format/lane-code.h"

/* A step takes at least a small part of a bit: the most steps that a byte can hold. */
enum { STEPS_A_BYTE = 1 << 15 };

/* Each step pushes at most one symbol, and each symbol ends in exactly one body.  So one array of n_symbols is
 * enough for the bodies that are complete and for the stack, which grows down from its end:
 *
 *      symbols   | rule 0 | rule 1 | ..  ->                <-  top .. | start 1 | start 0 |
 *                0                   n_taken                   n_symbols - top       n_symbols
 *
 * The stack holds the complete start rules and on them, from `bottom` on, the symbols of the current thread; symbols
 * that were pushed first have the highest addresses.  To be shown, the stack is turned round and moved behind the
 * bodies, where start rules get numbers; it is moved back when the reader goes on. */
struct wpp_grammar_reader {
    struct wpp_coder coder;
    struct wpp_grammar_model model;
    struct wpp_grammar g;        /* its totals are those at the beginning of the code */
    uint64_t *body, *length;
    uint32_t *symbols;
    uint64_t n_symbols;          /* in all bodies */
    uint64_t n_taken;            /* in complete bodies of rules */
    uint64_t n_pushed, top, bottom;
    uint64_t *start_ends;        /* by complete thread: where on the stack its start rule ends, */
    uint64_t *start_lengths;     /* ... and how many events it derives */
    uint64_t derived;            /* events of the current thread so far */
    uint32_t n_terminals, n_rules, n_threads;    /* so far */
    uint32_t before;             /* the last terminal derived by the code read so far */
    unsigned form;               /* WPP_FORM_...; in lanes coder, model and `before` are unused, but these are
                                    used: */
    struct wpp_lane_reader lanes;
    struct ends { uint32_t first, last; } *ends;         /* by rule: terminals that it derives */
    bool done;                   /* all has been read */
    bool shown;                  /* the stack is turned round, behind the bodies */
    const char *wrong;           /* the error, once there is one */
};

typedef struct wpp_grammar_reader reader;

static bool wrong(reader *r, const char *what)
{
    r->wrong = what;
    return false;
}

/* ---- The stack ----------------------------------------------------------------------- */

static void reverse(uint32_t *symbols, uint64_t n)
{
    for (uint32_t *low = symbols, *high = symbols + n; low + 1 < high;) {
        uint32_t symbol = *low;

        *low++ = *--high;
        *high = symbol;
    }
}

/* The symbol that was pushed last. */
static uint32_t *top_of(const reader *r)
{
    return r->symbols + (r->n_symbols - r->top);
}

static bool push(reader *r, uint32_t symbol)
{
    assert(r->n_taken + r->top == r->n_pushed);
    if (r->n_pushed == r->n_symbols)
        return wrong(r, "there are more symbols than it says");
    r->n_pushed++;
    r->top++;
    *top_of(r) = symbol;
    return true;
}

/* Pops n symbols, the lowest first, to a place that is free once they have left the stack. */
static void pop(reader *r, uint32_t *to, uint64_t n)
{
    uint32_t *from = top_of(r);

    assert(n <= r->top && to <= from);
    if (to + n > from) {
        reverse(from, n);
        memmove(to, from, n * sizeof *to);
    } else {
        for (uint64_t i = 0; i < n; i++)
            to[i] = from[n - 1 - i];
    }
    r->top -= n;
}

static const char too_long[] = "a rule derives more than 2^64 events";

/* The current thread goes on by what a symbol derives. */
static bool derive(reader *r, uint32_t symbol)
{
    uint64_t n = symbol & WPP_RULE ? r->length[symbol & ~WPP_RULE] : 1;

    return !__builtin_add_overflow(r->derived, n, &r->derived) || wrong(r, too_long);
}

/* Makes the next n symbols behind complete bodies the body of `rule`. */
static bool take_body(reader *r, uint32_t rule, uint64_t n)
{
    const uint32_t *body = r->symbols + r->n_taken;
    uint64_t length = 0;

    r->body[rule] = r->n_taken;
    r->n_taken += n;
    for (uint64_t i = 0; i < n; i++) {
        assert(!(body[i] & WPP_RULE) || (body[i] & ~WPP_RULE) < rule);
        uint64_t one = body[i] & WPP_RULE ? r->length[body[i] & ~WPP_RULE] : 1;

        if (__builtin_add_overflow(length, one, &length))
            return wrong(r, too_long);
    }
    r->length[rule] = length;
    return true;
}

/* The top n symbols become the body of the next rule, which is pushed. */
static bool reduce(reader *r, uint64_t n)
{
    uint32_t rule = r->n_rules;

    if (n > r->top - r->bottom)
        return wrong(r, "a rule is longer than what was written before it");
    if (rule == r->g.n_rules)
        return wrong(r, "there are more rules than it says");
    pop(r, r->symbols + r->n_taken, n);
    if (!take_body(r, rule, n))
        return false;
    r->n_rules++;
    return push(r, WPP_RULE | rule);
}

static void end_thread(reader *r)
{
    assert(r->n_threads < r->g.n_threads && r->bottom <= r->top);
    r->bottom = r->top;
    r->before = WPP_NO_TERMINAL;
    r->start_lengths[r->n_threads] = r->derived;
    r->start_ends[r->n_threads++] = r->top;
    r->derived = 0;
}

/* ---- Steps that come one by one --------------------------------------------------------- */

static bool do_reduce(reader *r)
{
    uint32_t rule = r->n_rules;

    if (!reduce(r, wpp_model_length(&r->model, &r->coder, 0)))
        return false;
    wpp_model_add_rule(&r->model, r->symbols[r->body[rule]], r->before);
    return true;
}

static bool do_symbol(reader *r)
{
    uint32_t symbol = wpp_model_symbol(&r->model, &r->coder, 0, &r->before);

    if (symbol == WPP_NO_SYMBOL)
        return wrong(r, "a symbol is used before it is there");
    return derive(r, symbol) && push(r, symbol);
}

static bool do_terminal(reader *r)
{
    if (r->n_terminals == r->g.n_terminals)
        return wrong(r, "there are more terminals than it says");
    wpp_model_add_terminal(&r->model, r->before);
    r->before = r->n_terminals++;
    return derive(r, r->before) && push(r, r->before);
}

static bool do_step(reader *r)
{
    switch (wpp_model_step(&r->model, &r->coder, WPP_STEP_END)) {
    case WPP_STEP_SYMBOL: return do_symbol(r);
    case WPP_STEP_REDUCE: return do_reduce(r);
    case WPP_STEP_NEW: return do_terminal(r);
    case WPP_STEP_END: end_thread(r); return true;
    }
    return false;
}

static bool run_steps(reader *r)
{
    while (r->n_threads < r->g.n_threads) {
        bool done = do_step(r);

        if (r->coder.in.failed)
            return wrong(r, "its code ends too early");
        if (!done || r->model.no_memory)
            return false;
    }
    return wpp_coder_ends(&r->coder) || wrong(r, "its code does not end where its last thread does");
}

/* ---- Blocks of lanes -------------------------------------------------------------------- */

static bool has_come(const reader *r, uint32_t symbol)
{
    return symbol & WPP_RULE ? (symbol & ~WPP_RULE) < r->n_rules : symbol < r->n_terminals;
}

/* The symbol of a name that is in a block: a young one by its number. */
static uint32_t symbol_of(const reader *r, uint32_t name)
{
    return (name & (WPP_RULE | WPP_YOUNG)) == WPP_YOUNG ? r->lanes.young[name & ~WPP_YOUNG] : name;
}

/* Pushes the names of a run. */
static bool push_run(reader *r, const uint32_t *names, uint32_t n)
{
    uint32_t *top = top_of(r);

    if (n > r->n_symbols - r->n_pushed)
        return wrong(r, "there are more symbols than it says");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t symbol = names[i];

        if (__builtin_expect((symbol & (WPP_RULE | WPP_YOUNG)) == WPP_YOUNG, 0)
            && !has_come(r, symbol = symbol_of(r, symbol)))
            return wrong(r, "a symbol is used before it is there");
        if (__builtin_expect(!derive(r, symbol), 0))
            return false;
        *--top = symbol;
    }
    r->n_pushed += n;
    r->top += n;
    return true;
}

/* A new rule takes its place in the model. */
static bool lane_reduce(reader *r, uint64_t n)
{
    uint32_t rule = r->n_rules, first, last;

    if (!reduce(r, n))
        return false;
    first = r->symbols[r->body[rule]];
    last = r->symbols[r->n_taken - 1];
    r->ends[rule].first = first & WPP_RULE ? r->ends[first & ~WPP_RULE].first : first;
    r->ends[rule].last = last & WPP_RULE ? r->ends[last & ~WPP_RULE].last : last;
    wpp_lane_model_add_rule(&r->lanes.model, rule, r->ends[rule].first, r->ends[rule].last);
    return true;
}

static bool lane_terminal(reader *r)
{
    if (r->n_terminals == r->g.n_terminals)
        return wrong(r, "there are more terminals than it says");
    wpp_lane_model_add_terminal(&r->lanes.model);
    return derive(r, r->n_terminals) && push(r, r->n_terminals++);
}

static bool do_event(reader *r, const struct wpp_lane_event *e)
{
    switch (e->kind) {
    case WPP_EVENT_PAUSE: return true;
    case WPP_EVENT_END: end_thread(r); return true;
    case WPP_EVENT_NEW: return lane_terminal(r);
    case WPP_EVENT_REDUCE: return lane_reduce(r, e->n);
    }
    return false;
}

static bool run_block(reader *r)
{
    const struct wpp_lane_reader *l = &r->lanes;
    const char *why = wpp_lane_reader_next(&r->lanes, r->n_terminals, r->n_rules,
                                           r->g.n_threads - r->n_threads);
    const uint32_t *names = l->names;

    if (why)
        return wrong(r, why);
    for (uint32_t i = 0; i < l->n_names; i++)
        if (names[i] & WPP_RULE)
            __builtin_prefetch(&r->length[names[i] & ~WPP_RULE]);
    for (uint32_t i = 0; i < l->n_events; i++) {
        if (!push_run(r, names, l->event[i].run) || !do_event(r, &l->event[i]))
            return false;
        names += l->event[i].run;
    }
    return !l->model.no_memory;
}

/* ---- Start rules ---------------------------------------------------------------------------- */

static void show_stack(reader *r)
{
    uint32_t *stack = top_of(r);

    if (r->shown)
        return;
    reverse(stack, r->top);
    memmove(r->symbols + r->n_taken, stack, r->top * sizeof *stack);
    r->shown = true;
}

static void hide_stack(reader *r)
{
    uint32_t *stack = top_of(r);

    if (!r->shown)
        return;
    memmove(stack, r->symbols + r->n_taken, r->top * sizeof *stack);
    reverse(stack, r->top);
    r->shown = false;
}

/* ---- As far as is wanted ------------------------------------------------------------------ */

static void add(uint64_t *sum, uint64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = UINT64_MAX;
}

static bool is_counted(const struct wpp_reading_goal *goal, uint32_t thread)
{
    return goal->thread == WPP_ALL_THREADS || goal->thread == thread;
}

/* Events that have come. */
static uint64_t events_so_far(const reader *r, const struct wpp_reading_goal *goal)
{
    uint64_t n = is_counted(goal, r->n_threads) ? r->derived : 0;

    for (uint32_t k = 0; k < r->n_threads; k++)
        if (is_counted(goal, k))
            add(&n, r->start_lengths[k]);
    return n;
}

/* How much of what the goal counts has come. */
struct progress {
    const struct wpp_reading_goal *goal;
    uint64_t have;
    uint64_t *values;            /* with weights: by rule, of what it derives; else NULL */
    uint32_t n_values;           /* of so many rules */
};

static uint64_t value_of(const struct progress *p, uint32_t symbol)
{
    return symbol & WPP_RULE ? p->values[symbol & ~WPP_RULE] : p->goal->weights[symbol];
}

/* Of the rules that have come meanwhile. */
static void find_values(const reader *r, struct progress *p)
{
    for (; p->n_values < r->n_rules; p->n_values++) {
        uint32_t rule = p->n_values;
        uint64_t end = rule + 1 < r->n_rules ? r->body[rule + 1] : r->n_taken;

        p->values[rule] = 0;
        for (uint64_t i = r->body[rule]; i < end; i++)
            add(&p->values[rule], value_of(p, r->symbols[i]));
    }
}

/* Counts what is on the stack. */
static bool begin_progress(const reader *r, struct progress *p)
{
    const uint32_t *first = r->symbols + r->n_symbols;
    uint64_t i = 0;

    if (!p->goal->weights) {
        p->have = events_so_far(r, p->goal);
        return true;
    }
    p->values = malloc((r->g.n_rules + (size_t)1) * sizeof *p->values);
    if (!p->values)
        return false;
    find_values(r, p);
    for (uint32_t thread = 0; thread <= r->n_threads; thread++)
        for (uint64_t end = thread < r->n_threads ? r->start_ends[thread] : r->top; i < end; i++)
            if (is_counted(p->goal, thread))
                add(&p->have, value_of(p, first[-1 - (int64_t)i]));
    return true;
}

/* Counts what a block has added; `thread` and `terminal` are the next ones before it. */
static void note_block(const reader *r, struct progress *p, uint32_t thread, uint32_t terminal)
{
    const uint32_t *name = r->lanes.names;

    if (!p->values) {
        p->have = events_so_far(r, p->goal);
        return;
    }
    find_values(r, p);
    for (uint32_t i = 0; i < r->lanes.n_events; i++) {
        const struct wpp_lane_event *e = &r->lanes.event[i];
        bool counted = is_counted(p->goal, thread);

        for (uint32_t k = 0; k < e->run; k++, name++)
            if (counted)
                add(&p->have, value_of(p, symbol_of(r, *name)));
        if (e->kind == WPP_EVENT_NEW && counted)
            add(&p->have, value_of(p, terminal));
        terminal += e->kind == WPP_EVENT_NEW;
        thread += e->kind == WPP_EVENT_END;
    }
}

static bool is_reached(const reader *r, const struct progress *p)
{
    return r->n_threads == r->g.n_threads || p->have >= p->goal->n
        || (p->goal->thread != WPP_ALL_THREADS && p->goal->thread < r->n_threads);
}

static bool ends_rightly(reader *r)
{
    if (r->form == WPP_FORM_LANES && !wpp_lane_reader_ends(&r->lanes))
        return wrong(r, "its code does not end where its last thread does");
    if (r->n_pushed != r->n_symbols || r->n_rules != r->g.n_rules || r->n_terminals != r->g.n_terminals)
        return wrong(r, "there are fewer symbols than it says");
    return true;
}

static bool run_blocks(reader *r, const struct wpp_reading_goal *goal)
{
    struct progress p = {.goal = goal};
    bool all = goal->thread == WPP_ALL_THREADS && goal->n == UINT64_MAX;
    bool done = all || begin_progress(r, &p);

    while (done && !is_reached(r, &p)) {
        uint32_t threads = r->n_threads, terminals = r->n_terminals;

        done = run_block(r);
        if (done && !all)
            note_block(r, &p, threads, terminals);
    }
    free(p.values);
    return done;
}

static bool report(const reader *r, bool done, struct wpp_error *error)
{
    if (done)
        return true;
    return r->wrong ? wpp_fail(error, WPP_E_DAMAGED, "%s", r->wrong) : wpp_fail_memory(error);
}

bool wpp_grammar_reader_is_done(const reader *r)
{
    return r->done;
}

uint32_t wpp_grammar_reader_threads(const reader *r)
{
    return r->n_threads;
}

bool wpp_grammar_reader_go_on(reader *r, const struct wpp_reading_goal *goal, struct wpp_error *error)
{
    bool good = !r->wrong;

    if (good && !r->done) {
        hide_stack(r);
        good = r->form == WPP_FORM_LANES ? run_blocks(r, goal) : run_steps(r);
        r->done = good && r->n_threads == r->g.n_threads && ends_rightly(r);
    }
    return report(r, good && !r->wrong, error);
}

/* ---- Begin and end ------------------------------------------------------------------------ */

/* The form that the first number tells. */
static unsigned form_of(uint64_t terminals)
{
    return terminals >= WPP_GRAMMAR_LANES ? WPP_FORM_LANES : terminals >= WPP_GRAMMAR_EVEN ? WPP_FORM_EVEN : 0;
}

unsigned wpp_grammar_forms(const struct wpp_bytes *code)
{
    struct wpp_view v = wpp_view(code->data, code->size);

    return form_of(wpp_get_varint(&v));
}

static bool get_totals(reader *r, struct wpp_view *code)
{
    uint64_t most = (uint64_t)wpp_left(code) * STEPS_A_BYTE;
    uint64_t terminals = wpp_get_varint(code), rules = wpp_get_varint(code);
    uint64_t threads = wpp_get_varint(code);

    r->form = form_of(terminals);
    terminals -= r->form == WPP_FORM_LANES ? WPP_GRAMMAR_LANES : r->form == WPP_FORM_EVEN ? WPP_GRAMMAR_EVEN : 0;
    r->n_symbols = wpp_get_varint(code);
    if (code->failed || r->n_symbols > most || threads > most || terminals > r->n_symbols
        || rules > r->n_symbols)
        return wrong(r, "its totals do not fit its size");
    /* Symbols have 31 bits and a flag, terminals 30. */
    if (rules + threads >= WPP_RULE || terminals >= WPP_GRAMMAR_EVEN)
        return wrong(r, "there are more than 2^31 rules or 2^30 terminals");
    if (r->form == WPP_FORM_LANES && terminals > WPP_LANE_TERMINALS)
        return wrong(r, "there are more than 2^26 terminals in lanes");
    r->g.n_terminals = (uint32_t)terminals;
    r->g.n_rules = (uint32_t)rules;
    r->g.n_threads = (uint32_t)threads;
    return true;
}

bool wpp_grammar_totals(struct wpp_view code, struct wpp_grammar *out, uint64_t *n_symbols)
{
    reader r = {0};
    bool done = get_totals(&r, &code);

    *out = r.g;
    *n_symbols = r.n_symbols;
    return done;
}

static bool allocate(reader *r)
{
    size_t n_bodies = (size_t)r->g.n_rules + r->g.n_threads;

    r->body = malloc((n_bodies + 1) * sizeof *r->body);
    r->length = malloc((n_bodies + 1) * sizeof *r->length);
    r->symbols = malloc((r->n_symbols + 1) * sizeof *r->symbols);
    r->start_ends = malloc((r->g.n_threads + (size_t)1) * sizeof *r->start_ends);
    r->start_lengths = malloc((r->g.n_threads + (size_t)1) * sizeof *r->start_lengths);
    return r->body && r->length && r->symbols && r->start_ends && r->start_lengths;
}

static bool begin_reading(reader *r, struct wpp_view code)
{
    if (r->form == WPP_FORM_LANES) {
        r->ends = malloc(((size_t)r->g.n_rules + 1) * sizeof *r->ends);
        return wpp_lane_reader_init(&r->lanes, code) && r->ends;
    }
    wpp_coder_read(&r->coder, code);
    return wpp_model_init(&r->model, r->g.n_terminals, r->g.n_rules, r->form == WPP_FORM_EVEN);
}

reader *wpp_grammar_reader_new(struct wpp_view code, struct wpp_error *error)
{
    reader *r = calloc(1, sizeof *r);

    if (!r) {
        wpp_fail_memory(error);
        return NULL;
    }
    r->before = WPP_NO_TERMINAL;
    if (report(r, get_totals(r, &code) && allocate(r) && begin_reading(r, code), error))
        return r;
    wpp_grammar_reader_free(r);
    return NULL;
}

void wpp_grammar_reader_free(reader *r)
{
    if (!r)
        return;
    wpp_model_free(&r->model);
    wpp_lane_reader_free(&r->lanes);
    free(r->ends);
    free(r->start_ends);
    free(r->start_lengths);
    free(r->body);
    free(r->length);
    free(r->symbols);
    free(r);
}

/* ---- What has been read --------------------------------------------------------------------- */

static void number_starts(reader *r)
{
    uint64_t begin = 0;

    for (uint32_t k = 0; k < r->g.n_threads; k++) {
        bool complete = k < r->n_threads;

        r->body[r->n_rules + k] = r->n_taken + begin;
        r->length[r->n_rules + k] = complete ? r->start_lengths[k] : k == r->n_threads ? r->derived : 0;
        begin = complete ? r->start_ends[k] : r->top;
    }
    r->body[r->n_rules + r->g.n_threads] = r->n_pushed;
}

void wpp_grammar_reader_show(reader *r, struct wpp_grammar *out)
{
    assert(r->n_taken + r->top == r->n_pushed && r->n_pushed <= r->n_symbols);
    show_stack(r);
    number_starts(r);
    *out = (struct wpp_grammar){r->g.n_terminals, r->n_rules, r->g.n_threads, r->body, r->symbols, r->length};
}

void wpp_grammar_reader_take(reader *r, struct wpp_grammar *out)
{
    assert(wpp_grammar_reader_is_done(r));
    wpp_grammar_reader_show(r, out);
    r->body = r->length = NULL;
    r->symbols = NULL;
}

bool wpp_grammar_reader_has_given(const reader *r)
{
    return r->symbols == NULL;
}

bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error)
{
    struct wpp_reading_goal all = {WPP_ALL_THREADS, NULL, UINT64_MAX};
    reader *r = wpp_grammar_reader_new(code, error);
    bool done = r && wpp_grammar_reader_go_on(r, &all, error);

    if (done)
        wpp_grammar_reader_take(r, out);
    wpp_grammar_reader_free(r);
    return done;
}

void wpp_grammar_release(struct wpp_grammar *g)
{
    free((void *)g->body);
    free((void *)g->length);
    free((void *)g->symbols);
    *g = (struct wpp_grammar){0};
}
