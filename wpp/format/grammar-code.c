/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/grammar-model.h"

/* ---- Encoding ---------------------------------------------------------------- */

struct frame {
    uint32_t rule;
    uint64_t next;               /* index into symbols */
};

/* The cost so far of the code in which all symbols are equally likely (an even model), in 256ths of
 * a bit.  If it takes hardly more, nothing can be predicted.  Then that code is used, which is
 * several times as fast to write and read. */
struct rival {
    uint64_t cost;
    uint32_t terminal, rule;     /* the cost of the next one */
    uint64_t steps, look;        /* steps so far; the step of the next comparison */
};

struct encoder {
    const struct wpp_grammar *g;
    struct wpp_bytes *out;
    size_t begin;                /* of the code in `out` */
    struct wpp_coder coder;
    struct wpp_grammar_model model;
    struct rival rival;
    uint32_t before;             /* the last terminal derived by the code written so far */
    struct frame *stack;         /* rules being written, the outermost first */
    size_t depth, capacity;
};

enum {
    COST = 256,                  /* a bit */
    REDUCE_COST = 4 * COST,      /* roughly, */
    NEW_COST = COST,             /* when there are many; a symbol's step costs next to nothing */
#ifdef WPP_HOSTILE
    FIRST_LOOK = 1 << 4,
#else
    FIRST_LOOK = 1 << 16,        /* a shorter code is not worth the comparison */
#endif
    EARLY = 1 << 20              /* until then chances still learn */
};

/* log2 n, with an error of at most a hundredth of a bit. */
static uint32_t cost_of(uint32_t n)
{
    unsigned log = 31 - (unsigned)__builtin_clz(n | 1);
    uint32_t above = (uint32_t)(((uint64_t)n << 8 >> log) - COST);

    return log * COST + above + (above * (COST - above) * 88 >> 16);
}

/* An even code is preferred if it takes at most this percentage of the current code. */
enum { MUCH_LESS = 98, HARDLY_MORE = 101 };

static bool is_no_better(const struct encoder *e, unsigned percent)
{
    uint64_t cost = (uint64_t)(e->out->size - e->begin) * 8 * COST;

    assert(e->out->size >= e->begin);
    return e->rival.cost / percent < cost / 100;
}

/* Called after each step; false when an even code is to be used instead. */
static bool goes_on(struct encoder *e)
{
    if (e->model.even || ++e->rival.steps < e->rival.look)
        return true;
    e->rival.look *= 2;
    return !is_no_better(e, e->rival.steps < EARLY ? MUCH_LESS : HARDLY_MORE);
}

static void put_symbol(struct encoder *e, uint32_t symbol)
{
    struct wpp_grammar_model *m = &e->model;

    assert(symbol & WPP_RULE ? (symbol & ~WPP_RULE) < m->n_rules : symbol <= m->n_terminals);
    if (symbol == m->n_terminals) {
        wpp_model_step(m, &e->coder, WPP_STEP_NEW);
        wpp_model_add_terminal(m, e->before);
        e->rival.terminal = cost_of(m->n_terminals);
        e->rival.cost += NEW_COST;
        e->before = symbol;
    } else {
        e->rival.cost += symbol & WPP_RULE ? e->rival.rule : e->rival.terminal;
        wpp_model_step(m, &e->coder, WPP_STEP_SYMBOL);
        wpp_model_symbol(m, &e->coder, symbol, &e->before);
    }
}

/* Whether the symbol has been written before. */
static bool is_known(const struct encoder *e, uint32_t symbol)
{
    return symbol & WPP_RULE ? (symbol & ~WPP_RULE) < e->model.n_rules
                             : symbol < e->model.n_terminals;
}

/* Prefetches what soon comes in this body. */
static inline void look_ahead(const struct encoder *e, const struct frame *f)
{
    enum { NAMES_AHEAD = 12, AHEAD = 5 };
    const uint32_t *soon = e->g->symbols + f->next;
    uint64_t left = e->g->body[f->rule + 1] - f->next;

    if (left > NAMES_AHEAD)
        wpp_model_fetch_name(&e->model, soon[NAMES_AHEAD]);
    if (left > AHEAD && is_known(e, soon[AHEAD]))
        wpp_model_fetch(&e->model, soon[AHEAD]);
}

static void put_reduce(struct encoder *e, uint64_t n, uint32_t begin)
{
    assert(n >= 2);
    wpp_model_step(&e->model, &e->coder, WPP_STEP_REDUCE);
    wpp_model_length(&e->model, &e->coder, n);
    wpp_model_add_rule(&e->model, begin, e->before);
    e->rival.rule = cost_of(e->model.n_rules);
    e->rival.cost += REDUCE_COST;
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

/* False: no memory, or an even code is to be used instead. */
static bool put_start(struct encoder *e, uint32_t start)
{
    bool done = enter(e, start);

    e->before = WPP_NO_TERMINAL;
    while (done && e->depth > 0 && !e->model.no_memory) {
        struct frame *f = &e->stack[e->depth - 1];
        uint32_t symbol, rule;

        if (f->next == e->g->body[f->rule + 1]) {
            if (--e->depth > 0) {
                const uint64_t *body = e->g->body + f->rule;

                assert(f->rule == e->model.n_rules);
                put_reduce(e, body[1] - body[0], e->g->symbols[body[0]]);
            }
            continue;
        }
        if (!e->model.even)
            look_ahead(e, f);
        symbol = e->g->symbols[f->next++];
        rule = symbol & ~WPP_RULE;
        if (symbol & WPP_RULE && rule >= e->model.n_rules) {
            done = enter(e, rule);
        } else {
            put_symbol(e, symbol);
            done = goes_on(e);
        }
    }
    wpp_model_step(&e->model, &e->coder, WPP_STEP_END);
    return done && !e->model.no_memory;
}

static void put_totals(uint32_t terminals, uint32_t rules, uint32_t threads, uint64_t symbols,
                       bool even, struct wpp_bytes *out)
{
    wpp_put_varint(out, terminals + (even ? WPP_GRAMMAR_EVEN : 0));
    wpp_put_varint(out, rules);
    wpp_put_varint(out, threads);
    wpp_put_varint(out, symbols);
}

/* Whether the finished code is not much better than an even one. */
static bool should_be_even(const struct encoder *e)
{
    return !e->model.even && e->rival.steps >= FIRST_LOOK && !e->model.no_memory
           && is_no_better(e, HARDLY_MORE);
}

/* Encodes with one of the models; *given_up: an even code is to be used instead. */
static bool encode(const struct wpp_grammar *g, bool even, struct wpp_bytes *out, bool *given_up)
{
    struct encoder e = {.g = g, .out = out, .rival.look = FIRST_LOOK};
    bool done = wpp_model_init(&e.model, g->n_terminals, g->n_rules, even);

    put_totals(g->n_terminals, g->n_rules, g->n_threads, g->body[g->n_rules + g->n_threads], even,
               out);
    e.begin = out->size;
    wpp_coder_write(&e.coder, out);
    for (uint32_t k = 0; done && k < g->n_threads; k++)
        done = put_start(&e, g->n_rules + k);
    assert(!done || (e.model.n_rules == g->n_rules && e.model.n_terminals == g->n_terminals));
    wpp_coder_finish(&e.coder);
    *given_up = should_be_even(&e);
    wpp_model_free(&e.model);
    free(e.stack);
    return done && !out->failed;
}

bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out)
{
    size_t begin = out->size;
    bool given_up;
    bool done = encode(g, false, out, &given_up);

    if (given_up) {
        out->size = begin;
        done = encode(g, true, out, &given_up);
    }
    return done;
}

/* ---- Encoding step by step -------------------------------------------------------- */

struct wpp_grammar_coder {
    struct encoder e;
    struct wpp_bytes code;       /* behind the totals */
    uint32_t *number;            /* by old terminal: the new one, or NONE */
    uint32_t *old;               /* by new terminal */
    uint32_t number_room, old_room;
    uint32_t threads;
    uint64_t symbols;            /* on all right-hand sides */
    bool gives_up;
};
#define NONE UINT32_MAX

struct wpp_grammar_coder *wpp_grammar_coder_new(bool even)
{
    struct wpp_grammar_coder *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->e.out = &c->code;
    c->e.rival.look = FIRST_LOOK;
    c->e.before = WPP_NO_TERMINAL;
    wpp_coder_write(&c->e.coder, &c->code);
    if (wpp_model_init(&c->e.model, 0, 0, even))
        return c;
    free(c);
    return NULL;
}

void wpp_grammar_coder_free(struct wpp_grammar_coder *c)
{
    if (!c)
        return;
    wpp_model_free(&c->e.model);
    wpp_bytes_free(&c->code);
    free(c->number);
    free(c->old);
    free(c);
}

/* Room for the old number. */
static bool know_old(struct wpp_grammar_coder *c, uint32_t terminal)
{
    uint32_t room = terminal + terminal / 2 + 64;
    uint32_t *number;

    if (terminal < c->number_room)
        return true;
    number = realloc(c->number, room * sizeof *number);
    if (!number)
        return false;
    for (uint32_t i = c->number_room; i < room; i++)
        number[i] = NONE;
    c->number = number;
    c->number_room = room;
    return true;
}

/* The terminal's number, by first occurrence.  NONE: no memory. */
static uint32_t renumber(struct wpp_grammar_coder *c, uint32_t terminal)
{
    uint32_t n = c->e.model.n_terminals;

    if (!know_old(c, terminal))
        return NONE;
    if (c->number[terminal] != NONE)
        return c->number[terminal];
    if (n == c->old_room) {
        uint32_t room = n + n / 2 + 64;
        uint32_t *old = realloc(c->old, room * sizeof *old);

        if (!old)
            return NONE;
        c->old = old;
        c->old_room = room;
    }
    c->old[n] = terminal;
    return c->number[terminal] = n;
}

bool wpp_grammar_coder_symbol(void *coder, uint32_t symbol)
{
    struct wpp_grammar_coder *c = coder;

    if (!(symbol & WPP_RULE))
        symbol = renumber(c, symbol);
    if (symbol == NONE || c->e.model.no_memory)
        return false;
    put_symbol(&c->e, symbol);
    c->symbols++;
    c->gives_up = !goes_on(&c->e);
    return !c->gives_up;
}

/* The rule takes the place of the symbols: one more. */
bool wpp_grammar_coder_reduce(void *coder, uint64_t n, uint32_t begin)
{
    struct wpp_grammar_coder *c = coder;

    put_reduce(&c->e, n, begin & WPP_RULE ? begin : c->number[begin]);
    c->symbols++;
    return !c->e.model.no_memory;
}

void wpp_grammar_coder_soon(void *coder, uint32_t far, uint32_t near)
{
    const struct wpp_grammar_model *m = &((struct wpp_grammar_coder *)coder)->e.model;

    if (m->even)
        return;
    if (far < m->n_rules)
        wpp_model_fetch_name(m, WPP_RULE | far);
    if (near < m->n_rules)
        wpp_model_fetch(m, WPP_RULE | near);
}

bool wpp_grammar_coder_end(struct wpp_grammar_coder *c)
{
    c->e.before = WPP_NO_TERMINAL;
    c->threads++;
    wpp_model_step(&c->e.model, &c->e.coder, WPP_STEP_END);
    return !c->e.model.no_memory && !c->code.failed;
}

bool wpp_grammar_coder_gives_up(const struct wpp_grammar_coder *c)
{
    return c->gives_up;
}

uint32_t wpp_grammar_coder_terminals(const struct wpp_grammar_coder *c)
{
    return c->e.model.n_terminals;
}

bool wpp_grammar_coder_finish(struct wpp_grammar_coder *c, struct wpp_bytes *out, uint32_t *order,
                              uint32_t n)
{
    const struct wpp_grammar_model *m = &c->e.model;

    wpp_coder_finish(&c->e.coder);
    c->gives_up = should_be_even(&c->e);
    if (c->gives_up || m->no_memory || c->code.failed)
        return false;
    assert(m->n_terminals == n);
    if (n > 0)
        memcpy(order, c->old, n * sizeof *order);
    put_totals(m->n_terminals, m->n_rules, c->threads, c->symbols, m->even, out);
    wpp_put(out, c->code.data, c->code.size);
    return !out->failed;
}

bool wpp_grammar_is_even(const struct wpp_bytes *code)
{
    struct wpp_view v = wpp_view(code->data, code->size);

    return wpp_get_varint(&v) >= WPP_GRAMMAR_EVEN;
}

/* ---- Decoding ------------------------------------------------------------------ */

/* A step takes at least a small part of a bit: the most steps that a byte can hold. */
enum { STEPS_A_BYTE = 1 << 15 };

/* Each step pushes at most one symbol, and each symbol ends in exactly one body.  So one array is
 * enough for the bodies that are complete and for the stack, which grows down from its end:
 *
 *      symbols   | rule 0 | rule 1 | ..  ->          <-  top .. | start 1 | start 0 |
 *                0                       n_taken      n_symbols - top       n_symbols
 *
 * The stack holds the complete start rules and on them, from `bottom` on, the symbols of the
 * current thread; symbols that were pushed first have the highest addresses. */
struct decoder {
    struct wpp_coder coder;
    struct wpp_grammar_model model;
    struct wpp_grammar g;        /* its totals are those at the beginning of the code */
    uint64_t *body, *length;
    uint32_t *symbols;
    uint64_t n_symbols;          /* in all bodies */
    uint64_t n_taken;            /* in complete bodies */
    uint64_t n_pushed, top, bottom;
    uint32_t n_threads;          /* so far */
    uint32_t before;             /* the last terminal derived by the code read so far */
    bool is_even;                /* whether the model is even */
    const char *wrong;           /* the error, once there is one */
};

static bool wrong(struct decoder *d, const char *what)
{
    d->wrong = what;
    return false;
}

static void reverse(uint32_t *symbols, uint64_t n)
{
    for (uint32_t *low = symbols, *high = symbols + n; low + 1 < high;) {
        uint32_t symbol = *low;

        *low++ = *--high;
        *high = symbol;
    }
}

/* The symbol that was pushed last. */
static uint32_t *top_of(const struct decoder *d)
{
    return d->symbols + (d->n_symbols - d->top);
}

/* Makes the next n symbols behind complete bodies the body of `rule`. */
static bool take_body(struct decoder *d, uint32_t rule, uint64_t n)
{
    const uint32_t *body = d->symbols + d->n_taken;
    uint64_t length = 0;

    assert(n <= d->n_symbols - d->n_taken);
    d->body[rule] = d->n_taken;
    d->n_taken += n;
    for (uint64_t i = 0; i < n; i++) {
        assert(!(body[i] & WPP_RULE) || (body[i] & ~WPP_RULE) < rule);
        uint64_t one = body[i] & WPP_RULE ? d->length[body[i] & ~WPP_RULE] : 1;

        if (__builtin_add_overflow(length, one, &length))
            return wrong(d, "a rule derives more than 2^64 events");
    }
    d->length[rule] = length;
    return true;
}

static bool push(struct decoder *d, uint32_t symbol)
{
    assert(d->n_taken + d->top == d->n_pushed);
    if (d->n_pushed == d->n_symbols)
        return wrong(d, "there are more symbols than it says");
    d->n_pushed++;
    d->top++;
    *top_of(d) = symbol;
    return true;
}

/* Pops n symbols, the lowest first, to a place that is free once they have left the stack. */
static void pop(struct decoder *d, uint32_t *to, uint64_t n)
{
    uint32_t *from = top_of(d);

    assert(n <= d->top && to <= from);
    if (to + n > from) {
        reverse(from, n);
        memmove(to, from, n * sizeof *to);
    } else {
        for (uint64_t i = 0; i < n; i++)
            to[i] = from[n - 1 - i];
    }
    d->top -= n;
}

static bool do_reduce(struct decoder *d)
{
    uint64_t n = wpp_model_length(&d->model, &d->coder, 0);
    uint32_t rule = d->model.n_rules;

    if (n > d->top - d->bottom)
        return wrong(d, "a rule is longer than what was written before it");
    if (rule == d->g.n_rules)
        return wrong(d, "there are more rules than it says");
    pop(d, d->symbols + d->n_taken, n);
    if (!take_body(d, rule, n))
        return false;
    wpp_model_add_rule(&d->model, d->symbols[d->body[rule]], d->before);
    return push(d, WPP_RULE | rule);
}

/* Start rules stay on the stack until all rules are numbered.  Until then their entries in `body`
 * hold where on the stack they end. */
static void do_end(struct decoder *d)
{
    assert(d->n_threads < d->g.n_threads && d->bottom <= d->top);
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

/* Moves the start rules behind all other bodies.  Nothing but the stack is left there, from its top
 * to its bottom. */
static bool take_starts(struct decoder *d)
{
    uint64_t begin = 0;

    reverse(top_of(d), d->top);
    for (uint32_t k = 0; k < d->g.n_threads; k++) {
        uint32_t rule = d->g.n_rules + k;
        uint64_t end = d->body[rule];

        assert(begin <= end && end <= d->top);
        if (!take_body(d, rule, end - begin))
            return false;
        begin = end;
    }
    assert(d->n_taken == d->n_symbols);
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

    d->is_even = terminals >= WPP_GRAMMAR_EVEN;
    terminals -= d->is_even ? WPP_GRAMMAR_EVEN : 0;
    d->n_symbols = wpp_get_varint(code);
    if (code->failed || d->n_symbols > most || threads > most || terminals > d->n_symbols
        || rules > d->n_symbols)
        return wrong(d, "its totals do not fit its size");
    /* Symbols have 31 bits and a flag, terminals 30. */
    if (rules + threads >= WPP_RULE || terminals >= WPP_GRAMMAR_EVEN)
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
    return d->body && d->length && d->symbols &&
           wpp_model_init(&d->model, d->g.n_terminals, d->g.n_rules, d->is_even);
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
