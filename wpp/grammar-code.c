/* SPDX-License-Identifier: MIT */
#include "wpp/grammar-code.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/error.h"
#include "wpp/recency.h"

/* A step is one byte, its operation.  A symbol that has been there before is named
 * by its rank in order of last use; ranks are put into classes of equal width,
 * four to each power of two, the class is part of the operation, and what
 * distinguishes the ranks of a class follows as bits in a stream of its own:
 * operations are what zstd compresses well, bits are close to random.
 *
 *      operation      meaning                     operand
 *      0              end of a thread
 *      1              terminal that is new        its number is the next one
 *      2 .. 16        reduce 2 .. 16
 *      17             reduce                      varint n - 17 in `lengths`
 *      128 .. 251     symbol                      rank, in classes */
enum {
    OP_END = 0, OP_NEW = 1, OP_REDUCE_MIN = 2, OP_REDUCE_LONG = 17, OP_SYMBOL = 128,
    N_CLASSES = 124
};

/* ---- Classes --------------------------------------------------------------- */

/* 0 1 2 3 | 4 5 6 7 | 8-9 10-11 12-13 14-15 | 16-19 ... */
static unsigned class_of(uint32_t value, unsigned *n_bits)
{
    unsigned top;

    *n_bits = 0;
    if (value < 4)
        return value;
    top = 31 - (unsigned)__builtin_clz(value);
    *n_bits = top - 2;
    return 4 * (top - 1) + (value >> *n_bits & 3);
}

static uint64_t class_base(unsigned class, unsigned *n_bits)
{
    *n_bits = class < 8 ? 0 : class / 4 - 1;
    return class < 4 ? class : (uint64_t)(4 + class % 4) << *n_bits;
}

/* ---- Encoding ---------------------------------------------------------------- */

struct frame {
    uint32_t rule;
    uint64_t next;               /* index into symbols */
};

struct encoder {
    const struct wpp_grammar *g;
    struct wpp_bytes ops, lengths, bits;
    uint64_t pending;            /* low n_pending bits still to go to `bits` */
    unsigned n_pending;
    uint32_t n_rules, n_terminals;   /* written so far */
    struct wpp_recency recency;
    struct frame *stack;         /* rules being written, the outermost first */
    size_t depth, capacity;
};

static void put_bits(struct encoder *e, uint32_t value, unsigned n)
{
    e->pending |= (uint64_t)(value & ((UINT64_C(1) << n) - 1)) << e->n_pending;
    e->n_pending += n;
    while (e->n_pending >= 8) {
        wpp_put_u8(&e->bits, (uint8_t)e->pending);
        e->pending >>= 8;
        e->n_pending -= 8;
    }
}

static void put_symbol(struct encoder *e, uint32_t symbol)
{
    unsigned n_bits, class;
    uint32_t rank;

    if (symbol == e->n_terminals) {
        e->n_terminals++;
        wpp_put_u8(&e->ops, OP_NEW);
        wpp_recency_add(&e->recency, symbol);
        return;
    }
    rank = wpp_recency_use(&e->recency, symbol);
    class = class_of(rank, &n_bits);
    assert(class < N_CLASSES);
    wpp_put_u8(&e->ops, (uint8_t)(OP_SYMBOL + class));
    put_bits(e, rank, n_bits);
}

static void put_reduce(struct encoder *e, uint32_t rule)
{
    uint64_t n = e->g->body[rule + 1] - e->g->body[rule];

    assert(rule == e->n_rules && n >= OP_REDUCE_MIN);
    e->n_rules++;
    if (n < OP_REDUCE_LONG) {
        wpp_put_u8(&e->ops, (uint8_t)n);
    } else {
        wpp_put_u8(&e->ops, OP_REDUCE_LONG);
        wpp_put_varint(&e->lengths, n - OP_REDUCE_LONG);
    }
    wpp_recency_add(&e->recency, WPP_RULE | rule);
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
    if (!enter(e, start))
        return false;
    while (e->depth > 0) {
        struct frame *f = &e->stack[e->depth - 1];
        uint32_t symbol, rule;

        if (f->next == e->g->body[f->rule + 1]) {
            if (--e->depth > 0)
                put_reduce(e, f->rule);
            continue;
        }
        symbol = e->g->symbols[f->next++];
        rule = symbol & ~WPP_RULE;
        if (!(symbol & WPP_RULE) || rule < e->n_rules)
            put_symbol(e, symbol);
        else if (!enter(e, rule))
            return false;
    }
    wpp_put_u8(&e->ops, OP_END);
    return true;
}

static void put_stream(struct wpp_bytes *out, const struct wpp_bytes *stream)
{
    wpp_put_varint(out, stream->size);
    wpp_put(out, stream->data, stream->size);
    out->failed |= stream->failed;
}

bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out)
{
    struct encoder e = {.g = g};
    bool done = wpp_recency_init(&e.recency, g->n_terminals, g->n_rules);

    for (uint32_t k = 0; done && k < g->n_threads; k++)
        done = put_start(&e, g->n_rules + k);
    assert(!done || (e.n_rules == g->n_rules && e.n_terminals == g->n_terminals));
    put_bits(&e, 0, -e.n_pending & 7);
    put_stream(out, &e.ops);
    put_stream(out, &e.lengths);
    put_stream(out, &e.bits);
    wpp_bytes_free(&e.ops);
    wpp_bytes_free(&e.lengths);
    wpp_bytes_free(&e.bits);
    wpp_recency_free(&e.recency);
    free(e.stack);
    return done && !out->failed;
}

/* ---- Decoding ------------------------------------------------------------------ */

/* `stack` holds the start rules that are complete, then from `bottom` on the
 * symbols of the thread at hand.  Each step pushes at most one symbol, and each
 * symbol ends in exactly one body, so n_steps bounds both arrays. */
struct decoder {
    struct wpp_view ops, lengths, bits;
    uint64_t pending;
    unsigned n_pending;
    struct wpp_grammar g;
    uint64_t *body, *length;
    uint32_t *symbols, *stack;
    struct wpp_recency recency;
    uint64_t n_symbols, top, bottom;
    uint32_t n_rules, n_terminals, n_threads;    /* so far; g has the totals */
    const char *wrong;                           /* what, once something is */
};

static bool wrong(struct decoder *d, const char *what)
{
    d->wrong = what;
    return false;
}

static uint32_t get_bits(struct decoder *d, unsigned n)
{
    uint32_t value;

    while (d->n_pending < n) {
        const uint8_t *byte = wpp_get_bytes(&d->bits, 1);

        d->pending |= (uint64_t)(byte ? *byte : 0) << d->n_pending;
        d->n_pending += 8;
    }
    value = (uint32_t)(d->pending & ((UINT64_C(1) << n) - 1));
    d->pending >>= n;
    d->n_pending -= n;
    return value;
}

static uint64_t get_class(struct decoder *d, unsigned class)
{
    unsigned n_bits;
    uint64_t base = class_base(class, &n_bits);

    return base + get_bits(d, n_bits);
}

/* Moves n symbols from the top of the stack to become the body of `rule`. */
static bool take_body(struct decoder *d, uint32_t rule, const uint32_t *from, uint64_t n)
{
    uint64_t length = 0;

    d->body[rule] = d->n_symbols;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t symbol = from[i];
        uint64_t one = symbol & WPP_RULE ? d->length[symbol & ~WPP_RULE] : 1;

        d->symbols[d->n_symbols++] = symbol;
        if (__builtin_add_overflow(length, one, &length))
            return wrong(d, "a rule derives more than 2^64 events");
    }
    d->length[rule] = length;
    return true;
}

static bool do_reduce(struct decoder *d, uint64_t n)
{
    if (n > d->top - d->bottom)
        return wrong(d, "a rule is longer than what was written before it");
    d->top -= n;
    if (!take_body(d, d->n_rules, d->stack + d->top, n))
        return false;
    wpp_recency_add(&d->recency, WPP_RULE | d->n_rules);
    d->stack[d->top++] = WPP_RULE | d->n_rules++;
    return true;
}

/* Start rules stay on the stack until all rules are numbered; until then their
 * places in `body` hold where on the stack they end. */
static void do_end(struct decoder *d)
{
    d->bottom = d->top;
    d->body[d->g.n_rules + d->n_threads++] = d->top;
}

static bool do_symbol(struct decoder *d, unsigned class)
{
    uint64_t rank = class < N_CLASSES ? get_class(d, class) : UINT64_MAX;

    if (rank >= d->recency.n)
        return wrong(d, "a symbol is used before it is there");
    d->stack[d->top++] = wpp_recency_use_rank(&d->recency, (uint32_t)rank);
    return true;
}

static bool do_step(struct decoder *d, unsigned op)
{
    uint64_t n;

    if (op >= OP_SYMBOL)
        return do_symbol(d, op - OP_SYMBOL);
    if (op >= OP_REDUCE_MIN && op < OP_REDUCE_LONG)
        return do_reduce(d, op);
    switch (op) {
    case OP_END:
        do_end(d);
        return true;
    case OP_NEW:
        wpp_recency_add(&d->recency, d->n_terminals);
        d->stack[d->top++] = d->n_terminals++;
        return true;
    case OP_REDUCE_LONG:
        n = wpp_get_varint(&d->lengths);
        return do_reduce(d, n > UINT64_MAX - OP_REDUCE_LONG ? n : n + OP_REDUCE_LONG);
    default:
        return wrong(d, "a step is unknown");
    }
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
    d->body[d->g.n_rules + d->g.n_threads] = d->n_symbols;
    return true;
}

static bool run(struct decoder *d)
{
    const uint8_t *last = d->ops.end;

    for (const uint8_t *p = d->ops.p; p < last; p++)
        if (!do_step(d, *p))
            return false;
    if (d->ops.p < last && last[-1] != OP_END)
        return wrong(d, "the last thread does not end");
    if (d->lengths.failed || wpp_left(&d->lengths) > 0)
        return wrong(d, "there are not as many lengths as rules that need one");
    if (d->bits.failed || wpp_left(&d->bits) > 0 || d->pending != 0)
        return wrong(d, "there are not as many bits as steps need");
    return take_starts(d);
}

static bool count_steps(struct decoder *d)
{
    uint64_t rules = 0, threads = 0, terminals = 0;

    for (const uint8_t *p = d->ops.p; p < d->ops.end; p++) {
        rules += *p >= OP_REDUCE_MIN && *p <= OP_REDUCE_LONG;
        threads += *p == OP_END;
        terminals += *p == OP_NEW;
    }
    /* Symbols are 31 bits and a flag, terminals 30. */
    if (rules + threads >= WPP_RULE || terminals >= WPP_RULE / 2)
        return wrong(d, "there are more than 2^31 rules or 2^30 terminals");
    d->g.n_rules = (uint32_t)rules;
    d->g.n_threads = (uint32_t)threads;
    d->g.n_terminals = (uint32_t)terminals;
    return true;
}

static bool allocate(struct decoder *d)
{
    size_t n_steps = wpp_left(&d->ops), n_bodies = (size_t)d->g.n_rules + d->g.n_threads;

    d->g.body = d->body = malloc((n_bodies + 1) * sizeof *d->body);
    d->g.length = d->length = malloc((n_bodies + 1) * sizeof *d->length);
    d->g.symbols = d->symbols = malloc((n_steps + 1) * sizeof *d->symbols);
    d->stack = malloc((n_steps + 1) * sizeof *d->stack);
    return d->body && d->length && d->symbols && d->stack &&
           wpp_recency_init(&d->recency, d->g.n_terminals, d->g.n_rules);
}

bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error)
{
    struct decoder d = {0};
    bool done = true;

    d.ops = wpp_get_view(&code, wpp_get_count(&code, 1));
    d.lengths = wpp_get_view(&code, wpp_get_count(&code, 1));
    d.bits = wpp_get_view(&code, wpp_get_count(&code, 1));
    if (code.failed || wpp_left(&code) > 0)
        done = wrong(&d, "its streams do not fit");
    done = done && count_steps(&d);
    if (done && !allocate(&d))
        done = wpp_fail_memory(error);
    done = done && run(&d);
    if (d.wrong)
        wpp_fail(error, WPP_E_DAMAGED, "%s", d.wrong);
    wpp_recency_free(&d.recency);
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
