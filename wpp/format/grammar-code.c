/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/grammar-counts.h"
#include "wpp/format/grammar-model.h"
#include "wpp/format/lane-code.h"

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

/* The forms of the code. */
enum form { CHANCES, EVEN, LANES };

struct encoder {
    const struct wpp_grammar *g;
    enum form form;
    struct wpp_bytes *out;
    size_t begin;                /* of the code in `out` */
    uint32_t n_terminals, n_rules;       /* so far */
    struct wpp_coder coder;      /* these three are unused in LANES, */
    struct wpp_grammar_model model;
    uint32_t before;             /* ... the last terminal derived by the code written so far */
    struct wpp_lane_writer *lanes;       /* in LANES only */
    bool no_memory;
    struct rival rival;
    struct frame *stack;         /* rules being written, the outermost first */
    size_t depth, capacity;
};

enum {
    COST = 256,                  /* a bit */
    REDUCE_COST = 4 * COST,      /* roughly, */
    NEW_COST = COST,             /* when there are many; a symbol's step costs next to nothing */
#ifdef WPP_HOSTILE
    FIRST_LOOK = 1 << 4,
    LANES_HAVE_A_RIVAL = false,  /* with blocks so short (lane-code.h) no grammar would be in lanes */
#else
    FIRST_LOOK = 1 << 16,        /* a shorter code is not worth the comparison */
    LANES_HAVE_A_RIVAL = true,
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
    if (e->form == LANES && !LANES_HAVE_A_RIVAL)
        return false;
    uint64_t cost = (uint64_t)(e->out->size - e->begin) * 8 * COST;

    assert(e->out->size >= e->begin);
    return e->rival.cost / percent < cost / 100;
}

/* Called after each step; false when an even code is to be used instead.  Lanes are put down in
 * blocks, so in between their code is somewhat longer than `out`. */
static bool goes_on(struct encoder *e)
{
    if (e->form == EVEN || ++e->rival.steps < e->rival.look)
        return true;
    e->rival.look *= 2;
    return !is_no_better(e, e->rival.steps < EARLY ? MUCH_LESS : HARDLY_MORE);
}

static void put_terminal(struct encoder *e)
{
    wpp_model_step(&e->model, &e->coder, WPP_STEP_NEW);
    wpp_model_add_terminal(&e->model, e->before);
    e->before = e->n_terminals;
    e->no_memory |= e->model.no_memory;
}

static void put_symbol(struct encoder *e, uint32_t symbol)
{
    bool is_new = symbol == e->n_terminals;

    assert(symbol & WPP_RULE ? (symbol & ~WPP_RULE) < e->n_rules : symbol <= e->n_terminals);
    if (e->form == LANES) {
        e->no_memory |= !wpp_lane_writer_symbol(e->lanes, symbol);
    } else if (is_new) {
        put_terminal(e);
    } else {
        wpp_model_step(&e->model, &e->coder, WPP_STEP_SYMBOL);
        wpp_model_symbol(&e->model, &e->coder, symbol, &e->before);
        e->no_memory |= e->model.no_memory;
    }
    if (is_new)
        e->rival.terminal = cost_of(++e->n_terminals);
    e->rival.cost += is_new ? NEW_COST : symbol & WPP_RULE ? e->rival.rule : e->rival.terminal;
}

/* Whether the symbol has been written before. */
static bool is_known(const struct encoder *e, uint32_t symbol)
{
    return symbol & WPP_RULE ? (symbol & ~WPP_RULE) < e->n_rules : symbol < e->n_terminals;
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
    if (e->form == LANES) {
        e->no_memory |= !wpp_lane_writer_reduce(e->lanes, n, begin);
    } else {
        wpp_model_step(&e->model, &e->coder, WPP_STEP_REDUCE);
        wpp_model_length(&e->model, &e->coder, n);
        wpp_model_add_rule(&e->model, begin, e->before);
        e->no_memory |= e->model.no_memory;
    }
    e->rival.rule = cost_of(++e->n_rules);
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

static void put_end(struct encoder *e)
{
    e->before = WPP_NO_TERMINAL;
    if (e->form == LANES)
        e->no_memory |= !wpp_lane_writer_end(e->lanes);
    else
        wpp_model_step(&e->model, &e->coder, WPP_STEP_END);
}

/* False: no memory, or an even code is to be used instead. */
static bool put_start(struct encoder *e, uint32_t start)
{
    bool done = enter(e, start);

    while (done && e->depth > 0 && !e->no_memory) {
        struct frame *f = &e->stack[e->depth - 1];
        uint32_t symbol, rule;

        if (f->next == e->g->body[f->rule + 1]) {
            if (--e->depth > 0) {
                const uint64_t *body = e->g->body + f->rule;

                assert(f->rule == e->n_rules);
                put_reduce(e, body[1] - body[0], e->g->symbols[body[0]]);
            }
            continue;
        }
        if (e->form == CHANCES)
            look_ahead(e, f);
        symbol = e->g->symbols[f->next++];
        rule = symbol & ~WPP_RULE;
        if (symbol & WPP_RULE && rule >= e->n_rules) {
            done = enter(e, rule);
        } else {
            put_symbol(e, symbol);
            done = goes_on(e);
        }
    }
    put_end(e);
    return done && !e->no_memory;
}

static void put_totals(uint32_t terminals, uint32_t rules, uint32_t threads, uint64_t symbols,
                       enum form form, struct wpp_bytes *out)
{
    static const uint64_t marks[] = {[EVEN] = WPP_GRAMMAR_EVEN, [LANES] = WPP_GRAMMAR_LANES};

    wpp_put_varint(out, terminals + marks[form]);
    wpp_put_varint(out, rules);
    wpp_put_varint(out, threads);
    wpp_put_varint(out, symbols);
}

/* Whether the finished code is not much better than an even one. */
static bool should_be_even(const struct encoder *e)
{
    return e->form != EVEN && e->rival.steps >= FIRST_LOOK && !e->no_memory
           && is_no_better(e, HARDLY_MORE);
}

/* Begins the code in `out`.  Room for so many terminals and rules; more may come. */
static bool begin(struct encoder *e, enum form form, uint32_t n_terminals, uint32_t n_rules)
{
    e->form = form;
    e->begin = e->out->size;
    e->before = WPP_NO_TERMINAL;
    e->rival.look = FIRST_LOOK;
    if (form == LANES) {
        e->lanes = wpp_lane_writer_new(e->out);
        return e->lanes != NULL;
    }
    wpp_coder_write(&e->coder, e->out);
    return wpp_model_init(&e->model, n_terminals, n_rules, form == EVEN);
}

static void finish(struct encoder *e)
{
    if (e->form == LANES)
        e->no_memory |= !wpp_lane_writer_finish(e->lanes);
    else
        wpp_coder_finish(&e->coder);
}

static void free_encoder(struct encoder *e)
{
    wpp_lane_writer_free(e->lanes);
    wpp_model_free(&e->model);
    free(e->stack);
}

/* Encodes in one of the forms; *given_up: an even code is to be used instead. */
static bool encode(const struct wpp_grammar *g, enum form form, struct wpp_bytes *out,
                   bool *given_up)
{
    struct encoder e = {.g = g, .out = out};
    bool done;

    put_totals(g->n_terminals, g->n_rules, g->n_threads, g->body[g->n_rules + g->n_threads], form,
               out);
    done = begin(&e, form, g->n_terminals, g->n_rules);
    for (uint32_t k = 0; done && k < g->n_threads; k++)
        done = put_start(&e, g->n_rules + k);
    assert(!done || (e.n_rules == g->n_rules && e.n_terminals == g->n_terminals));
    if (done)
        finish(&e);
    *given_up = should_be_even(&e);
    free_encoder(&e);
    return done && !e.no_memory && !out->failed;
}

/* In the form, unless an even code takes hardly more. */
static bool encode_or_even(const struct wpp_grammar *g, enum form form, struct wpp_bytes *out)
{
    size_t begin = out->size;
    bool given_up;
    bool done = encode(g, form, out, &given_up);

    if (given_up) {
        out->size = begin;
        done = encode(g, EVEN, out, &given_up);
    }
    return done;
}

bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out)
{
    return encode_or_even(g, CHANCES, out);
}

/* A code with fewer symbols is read in a moment anyway, and in lanes it would be a tenth longer. */
enum {
#ifdef WPP_HOSTILE
    LANES_FROM = 1 << 6
#else
    LANES_FROM = 1 << 19
#endif
};

bool wpp_grammar_encode_fast(const struct wpp_grammar *g, struct wpp_bytes *out)
{
    bool in_lanes = g->body[g->n_rules + g->n_threads] >= LANES_FROM
                 && g->n_terminals <= WPP_LANE_TERMINALS;

    return encode_or_even(g, in_lanes ? LANES : CHANCES, out);
}

/* ---- Encoding step by step -------------------------------------------------------- */

/* What the steps have made so far, to count it at the end. */
struct kept {
    uint64_t *body;              /* n_rules + 1 */
    uint32_t *symbols, *stack, *starts;
    uint64_t n_rules, n_symbols, n_stack, n_starts;
    uint64_t rules_room, symbols_room, stack_room, starts_room;
};

struct wpp_grammar_coder {
    struct encoder e;
    struct kept kept;            /* in LANES only */
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
    if (begin(&c->e, even ? EVEN : LANES, 0, 0))
        return c;
    free(c);
    return NULL;
}

void wpp_grammar_coder_free(struct wpp_grammar_coder *c)
{
    if (!c)
        return;
    free_encoder(&c->e);
    wpp_bytes_free(&c->code);
    free(c->kept.body);
    free(c->kept.symbols);
    free(c->kept.stack);
    free(c->kept.starts);
    free(c->number);
    free(c->old);
    free(c);
}

/* Room for n more elements. */
static bool reserve(void *array, uint64_t used, uint64_t n, uint64_t *room, size_t each)
{
    uint64_t larger = used + n + used / 2 + 64;
    void *old, *p;

    if (used + n <= *room)
        return true;
    memcpy(&old, array, sizeof old);
    p = realloc(old, larger * each);
    if (!p)
        return false;
    memcpy(array, &p, sizeof p);
    *room = larger;
    return true;
}

static bool keep_symbol(struct kept *k, uint32_t symbol)
{
    if (!reserve(&k->stack, k->n_stack, 1, &k->stack_room, sizeof *k->stack))
        return false;
    k->stack[k->n_stack++] = symbol;
    return true;
}

static bool keep_rule(struct kept *k, uint64_t n)
{
    if (n > k->n_stack
        || !reserve(&k->symbols, k->n_symbols, n, &k->symbols_room, sizeof *k->symbols)
        || !reserve(&k->body, k->n_rules, 2, &k->rules_room, sizeof *k->body))
        return false;
    k->n_stack -= n;
    memcpy(k->symbols + k->n_symbols, k->stack + k->n_stack, n * sizeof *k->symbols);
    k->body[0] = 0;
    k->n_symbols += n;
    k->body[++k->n_rules] = k->n_symbols;
    return keep_symbol(k, WPP_RULE | (uint32_t)(k->n_rules - 1));
}

static bool keep_start(struct kept *k)
{
    if (!reserve(&k->starts, k->n_starts, k->n_stack, &k->starts_room, sizeof *k->starts))
        return false;
    if (k->n_stack > 0)
        memcpy(k->starts + k->n_starts, k->stack, k->n_stack * sizeof *k->starts);
    k->n_starts += k->n_stack;
    k->n_stack = 0;
    return true;
}

bool wpp_grammar_coder_counts(const struct wpp_grammar_coder *c, uint64_t *counts,
                              uint64_t *longest)
{
    static const uint64_t none;
    const struct kept *k = &c->kept;

    return wpp_grammar_counts(&(struct wpp_rules){c->e.n_terminals, c->e.n_rules,
                                                  k->body ? k->body : &none, k->symbols, k->starts,
                                                  k->n_starts}, counts, longest);
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
    uint32_t n = c->e.n_terminals;

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
    if (symbol == NONE || c->e.no_memory)
        return false;
    /* So many terminals: nothing can be predicted. */
    if (c->e.form == LANES && !(symbol & WPP_RULE) && symbol >= WPP_LANE_TERMINALS) {
        c->gives_up = true;
        return false;
    }
    put_symbol(&c->e, symbol);
    if (c->e.form == LANES && !keep_symbol(&c->kept, symbol))
        return false;
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
    if (c->e.form == LANES && !keep_rule(&c->kept, n))
        return false;
    return !c->e.no_memory;
}

bool wpp_grammar_coder_end(struct wpp_grammar_coder *c)
{
    c->threads++;
    put_end(&c->e);
    if (c->e.form == LANES && !keep_start(&c->kept))
        return false;
    return !c->e.no_memory && !c->code.failed;
}

bool wpp_grammar_coder_gives_up(const struct wpp_grammar_coder *c)
{
    return c->gives_up;
}

uint32_t wpp_grammar_coder_terminals(const struct wpp_grammar_coder *c)
{
    return c->e.n_terminals;
}

bool wpp_grammar_coder_finish(struct wpp_grammar_coder *c, struct wpp_bytes *out, uint32_t *order,
                              uint32_t n)
{
    const struct encoder *e = &c->e;

    finish(&c->e);
    c->gives_up = should_be_even(e);
    if (c->gives_up || e->no_memory || c->code.failed)
        return false;
    assert(e->n_terminals == n);
    if (n > 0)
        memcpy(order, c->old, n * sizeof *order);
    put_totals(e->n_terminals, e->n_rules, c->threads, c->symbols, e->form, out);
    wpp_put(out, c->code.data, c->code.size);
    return !out->failed;
}
