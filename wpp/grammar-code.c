/* SPDX-License-Identifier: MIT */
#include "wpp/grammar-code.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/error.h"
#include "wpp/grammar-model.h"

/* ---- Encoding ---------------------------------------------------------------- */

struct frame {
    uint32_t rule;
    uint64_t next;               /* index into symbols */
};

struct encoder {
    const struct wpp_grammar *g;
    struct wpp_coder coder;
    struct wpp_grammar_model model;
    uint32_t before;             /* the terminal that what is written derives last */
    struct frame *stack;         /* rules being written, the outermost first */
    size_t depth, capacity;
};

static void put_symbol(struct encoder *e, uint32_t symbol)
{
    struct wpp_grammar_model *m = &e->model;

    if (symbol == m->n_terminals) {
        wpp_model_step(m, &e->coder, WPP_STEP_NEW);
        wpp_model_add_terminal(m, e->before);
        e->before = symbol;
    } else {
        wpp_model_step(m, &e->coder, WPP_STEP_SYMBOL);
        wpp_model_symbol(m, &e->coder, symbol, &e->before);
    }
}

static void put_reduce(struct encoder *e, uint32_t rule)
{
    const uint32_t *body = e->g->symbols + e->g->body[rule];
    uint64_t n = e->g->body[rule + 1] - e->g->body[rule];

    assert(rule == e->model.n_rules && n >= 2);
    wpp_model_step(&e->model, &e->coder, WPP_STEP_REDUCE);
    wpp_model_length(&e->model, &e->coder, n);
    wpp_model_add_rule(&e->model, body[0], e->before);
}

static bool enter(struct encoder *e, uint32_t rule)
{
    if (e->depth == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 64;
        struct frame *stack = realloc(e->stack, capacity * sizeof *stack);

        if (!stack)
            return false;
        e->stack = stack;
        e->capacity = capacity;
    }
    e->stack[e->depth++] = (struct frame){rule, e->g->body[rule]};
    return true;
}

static bool put_start(struct encoder *e, uint32_t start)
{
    bool done = enter(e, start);

    e->before = WPP_NO_TERMINAL;
    while (done && e->depth > 0 && !e->model.no_memory) {
        struct frame *f = &e->stack[e->depth - 1];
        uint32_t symbol, rule;

        if (f->next == e->g->body[f->rule + 1]) {
            if (--e->depth > 0)
                put_reduce(e, f->rule);
            continue;
        }
        symbol = e->g->symbols[f->next++];
        rule = symbol & ~WPP_RULE;
        if (!(symbol & WPP_RULE) || rule < e->model.n_rules)
            put_symbol(e, symbol);
        else
            done = enter(e, rule);
    }
    wpp_model_step(&e->model, &e->coder, WPP_STEP_END);
    return done && !e->model.no_memory;
}

bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out)
{
    struct encoder e = {.g = g};
    bool done = wpp_model_init(&e.model, g->n_terminals, g->n_rules);

    wpp_put_varint(out, g->n_terminals);
    wpp_put_varint(out, g->n_rules);
    wpp_put_varint(out, g->n_threads);
    wpp_put_varint(out, g->body[g->n_rules + g->n_threads]);
    wpp_coder_write(&e.coder, out);
    for (uint32_t k = 0; done && k < g->n_threads; k++)
        done = put_start(&e, g->n_rules + k);
    assert(!done || (e.model.n_rules == g->n_rules && e.model.n_terminals == g->n_terminals));
    wpp_coder_finish(&e.coder);
    wpp_model_free(&e.model);
    free(e.stack);
    return done && !out->failed;
}

/* ---- Decoding ------------------------------------------------------------------ */

/* A step is a small part of a bit at least: so many come out of a byte at most. */
enum { STEPS_A_BYTE = 1 << 15 };

/* `stack` holds the start rules that are complete, then from `bottom` on the
 * symbols of the thread at hand.  Each step pushes at most one symbol, and each
 * symbol ends in exactly one body, so n_symbols bounds both arrays. */
struct decoder {
    struct wpp_coder coder;
    struct wpp_grammar_model model;
    struct wpp_grammar g;        /* its totals are those that the code begins with */
    uint64_t *body, *length;
    uint32_t *symbols, *stack;
    uint64_t n_symbols;          /* in all bodies */
    uint64_t n_taken;            /* in those that are complete */
    uint64_t n_pushed, top, bottom;
    uint32_t n_threads;          /* so far */
    uint32_t before;             /* the terminal that what is read derives last */
    const char *wrong;           /* what, once something is */
};

static bool wrong(struct decoder *d, const char *what)
{
    d->wrong = what;
    return false;
}

/* Moves n symbols from the top of the stack to become the body of `rule`. */
static bool take_body(struct decoder *d, uint32_t rule, const uint32_t *from, uint64_t n)
{
    uint64_t length = 0;

    d->body[rule] = d->n_taken;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t symbol = from[i];
        uint64_t one = symbol & WPP_RULE ? d->length[symbol & ~WPP_RULE] : 1;

        d->symbols[d->n_taken++] = symbol;
        if (__builtin_add_overflow(length, one, &length))
            return wrong(d, "a rule derives more than 2^64 events");
    }
    d->length[rule] = length;
    return true;
}

static bool push(struct decoder *d, uint32_t symbol)
{
    if (d->n_pushed == d->n_symbols)
        return wrong(d, "there are more symbols than it says");
    d->n_pushed++;
    d->stack[d->top++] = symbol;
    return true;
}

static bool do_reduce(struct decoder *d)
{
    uint64_t n = wpp_model_length(&d->model, &d->coder, 0);
    uint32_t rule = d->model.n_rules;

    if (n > d->top - d->bottom)
        return wrong(d, "a rule is longer than what was written before it");
    if (rule == d->g.n_rules)
        return wrong(d, "there are more rules than it says");
    d->top -= n;
    if (!take_body(d, rule, d->stack + d->top, n))
        return false;
    wpp_model_add_rule(&d->model, d->stack[d->top], d->before);
    return push(d, WPP_RULE | rule);
}

/* Start rules stay on the stack until all rules are numbered; until then their
 * places in `body` hold where on the stack they end. */
static void do_end(struct decoder *d)
{
    d->bottom = d->top;
    d->before = WPP_NO_TERMINAL;
    d->body[d->g.n_rules + d->n_threads++] = d->top;
}

static bool do_symbol(struct decoder *d)
{
    uint32_t symbol = wpp_model_symbol(&d->model, &d->coder, 0, &d->before);

    if (symbol == WPP_NO_SYMBOL)
        return wrong(d, "a symbol is used before it is there");
    if (symbol & WPP_RULE)
        __builtin_prefetch(&d->length[symbol & ~WPP_RULE]);
    return push(d, symbol);
}

static bool do_terminal(struct decoder *d)
{
    if (d->model.n_terminals == d->g.n_terminals)
        return wrong(d, "there are more terminals than it says");
    wpp_model_add_terminal(&d->model, d->before);
    d->before = d->model.n_terminals - 1;
    return push(d, d->before);
}

static bool do_step(struct decoder *d)
{
    switch (wpp_model_step(&d->model, &d->coder, WPP_STEP_END)) {
    case WPP_STEP_SYMBOL: return do_symbol(d);
    case WPP_STEP_REDUCE: return do_reduce(d);
    case WPP_STEP_NEW: return do_terminal(d);
    case WPP_STEP_END: do_end(d); return true;
    }
    return false;
}

static bool take_starts(struct decoder *d)
{
    uint64_t begin = 0;

    for (uint32_t k = 0; k < d->g.n_threads; k++) {
        uint32_t rule = d->g.n_rules + k;
        uint64_t end = d->body[rule];

        if (!take_body(d, rule, d->stack + begin, end - begin))
            return false;
        begin = end;
    }
    d->body[d->g.n_rules + d->g.n_threads] = d->n_taken;
    return true;
}

static bool run(struct decoder *d)
{
    while (d->n_threads < d->g.n_threads) {
        bool done = do_step(d);

        if (d->coder.in.failed)
            return wrong(d, "its code ends too early");
        if (!done || d->model.no_memory)
            return false;
    }
    if (!wpp_coder_ends(&d->coder))
        return wrong(d, "its code does not end where its last thread does");
    if (d->n_pushed != d->n_symbols || d->model.n_rules != d->g.n_rules
        || d->model.n_terminals != d->g.n_terminals)
        return wrong(d, "there are fewer symbols than it says");
    return take_starts(d);
}

static bool get_totals(struct decoder *d, struct wpp_view *code)
{
    uint64_t most = (uint64_t)wpp_left(code) * STEPS_A_BYTE;
    uint64_t terminals = wpp_get_varint(code), rules = wpp_get_varint(code);
    uint64_t threads = wpp_get_varint(code);

    d->n_symbols = wpp_get_varint(code);
    if (code->failed || d->n_symbols > most || threads > most || terminals > d->n_symbols
        || rules > d->n_symbols)
        return wrong(d, "its totals do not fit its size");
    /* Symbols are 31 bits and a flag, terminals 30. */
    if (rules + threads >= WPP_RULE || terminals >= WPP_RULE / 2)
        return wrong(d, "there are more than 2^31 rules or 2^30 terminals");
    d->g.n_terminals = (uint32_t)terminals;
    d->g.n_rules = (uint32_t)rules;
    d->g.n_threads = (uint32_t)threads;
    return true;
}

static bool allocate(struct decoder *d)
{
    size_t n_bodies = (size_t)d->g.n_rules + d->g.n_threads;

    d->g.body = d->body = malloc((n_bodies + 1) * sizeof *d->body);
    d->g.length = d->length = malloc((n_bodies + 1) * sizeof *d->length);
    d->g.symbols = d->symbols = malloc((d->n_symbols + 1) * sizeof *d->symbols);
    d->stack = malloc((d->n_symbols + 1) * sizeof *d->stack);
    return d->body && d->length && d->symbols && d->stack &&
           wpp_model_init(&d->model, d->g.n_terminals, d->g.n_rules);
}

bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error)
{
    struct decoder d = {.before = WPP_NO_TERMINAL};
    bool done = get_totals(&d, &code);

    if (done) {
        wpp_coder_read(&d.coder, code);
        done = allocate(&d) && run(&d);
    }
    if (d.wrong)
        wpp_fail(error, WPP_E_DAMAGED, "%s", d.wrong);
    else if (!done)
        wpp_fail_memory(error);
    wpp_model_free(&d.model);
    free(d.stack);
    if (!done)
        wpp_grammar_release(&d.g);
    else
        *out = d.g;
    return done;
}

void wpp_grammar_release(struct wpp_grammar *g)
{
    free((void *)g->body);
    free((void *)g->length);
    free((void *)g->symbols);
    *g = (struct wpp_grammar){0};
}
