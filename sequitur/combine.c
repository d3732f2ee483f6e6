/* SPDX-License-Identifier: MIT */
/* combine.c - one grammar of all pieces, as the steps that build it.
 *
 *   runs     a run terminal^times that a piece uses twice becomes a rule there, if it is none yet, as
 *            runs.h spells it; otherwise it is spelled where it stands
 *   walk     part of a start rule: a rule is entered at its first use, and is reduced and numbered when
 *            that ends
 */
#include "sequitur/pieces.h"

#include <stdlib.h>
#include <string.h>

#define UNNUMBERED UINT32_MAX

/* A run of any piece. */
struct joint_run {
    uint64_t times;
    uint32_t terminal;
    uint32_t number;         /* of its rule, or UNNUMBERED */
    uint64_t uses;           /* in the piece that was added last */
    uint32_t part[2];        /* its parts' indices; NO_RUN: the terminal alone */
    bool rule;               /* it is one from its next use on */
};
#define NO_RUN UINT32_MAX

/* A rule or a part of a start rule, of which some symbols have been walked. */
struct frame {
    size_t piece;
    uint64_t at, end;        /* in the piece's symbols */
    uint32_t which;          /* the rule, among those of all pieces; START: none */
    uint32_t begin;          /* the first symbol that it gave */
    uint64_t n;              /* symbols so far */
};
#define START UINT32_MAX

struct added {
    const seq_piece *piece;
    uint64_t first_rule;     /* its rules among those of all */
    uint32_t *run_of;        /* by its runs: the joint run */
};

struct seq_combiner {
    seq_realloc *realloc;
    void *realloc_ctx;
    struct added *added;
    size_t n, added_size;
    uint32_t *number;        /* by rule of all pieces: its number in the result */
    uint64_t rules, number_size;
    struct joint_run *runs;
    uint32_t n_runs, runs_size;
    uint32_t *slots;         /* 1 + a run, by terminal and times: open addressing; 0: free */
    uint32_t bits;
    struct frame *stack;
    uint64_t depth, stack_size;
    uint32_t numbered;       /* rules of the result so far */
    size_t walked;           /* pieces whose start rule 0 has been walked */
};

/* ---- Memory ------------------------------------------------------------------------------ */

static void *resize(const seq_combiner *c, void *p, uint64_t old_size, uint64_t size)
{
    return c->realloc(c->realloc_ctx, p, old_size, size);
}

static void *get(const seq_combiner *c, uint64_t size)
{
    return resize(c, NULL, 0, size ? size : 1);
}

static void put(const seq_combiner *c, void *p, uint64_t size)
{
    if (p)
        resize(c, p, size ? size : 1, 0);
}

/* ---- Runs -------------------------------------------------------------------------------- */

static uint32_t *slot_of(const seq_combiner *c, uint32_t terminal, uint64_t times)
{
    uint64_t hash = (terminal + times * UINT64_C(0xD6E8FEB86659FD93))
                  * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mask = (UINT64_C(1) << c->bits) - 1;
    uint64_t i = (hash ^ hash >> 32) & mask;

    assert(c->n_runs <= mask);
    while (c->slots[i] && (c->runs[c->slots[i] - 1].times != times
                           || c->runs[c->slots[i] - 1].terminal != terminal))
        i = (i + 1) & mask;
    return &c->slots[i];
}

static bool grow_runs(seq_combiner *c)
{
    enum { FIRST_BITS = 4 };
    uint32_t bits = c->slots ? c->bits + 1 : FIRST_BITS;
    uint32_t size = UINT32_C(1) << (bits - 1);
    struct joint_run *runs = resize(c, c->runs, c->runs_size * sizeof *runs, size * sizeof *runs);

    if (!runs)
        return false;
    c->runs = runs;
    c->runs_size = size;
    uint32_t *slots = get(c, sizeof *slots << bits);
    if (!slots)
        return false;
    put(c, c->slots, c->slots ? sizeof *slots << c->bits : 0);
    memset(slots, 0, sizeof *slots << bits);
    c->slots = slots;
    c->bits = bits;
    for (uint32_t i = 0; i < c->n_runs; i++)
        *slot_of(c, runs[i].terminal, runs[i].times) = i + 1;
    return true;
}

/* The index of terminal^times, NO_RUN for the terminal alone.  False: no memory. */
static bool intern(seq_combiner *c, uint32_t terminal, uint64_t times, uint32_t *index)
{
    *index = NO_RUN;
    if (times == 1)
        return true;
    if (c->n_runs == c->runs_size && !grow_runs(c))
        return false;
    uint32_t *slot = slot_of(c, terminal, times);
    if (!*slot) {
        c->runs[c->n_runs] = (struct joint_run){times, terminal, UNNUMBERED, 0, {NO_RUN, NO_RUN}, false};
        *slot = ++c->n_runs;
    }
    *index = *slot - 1;
    return true;
}

/* Makes the parts of runs from `from` on: the run without the lowest bit of its number, then that
 * bit.  They are behind the runs themselves. */
static bool intern_parts(seq_combiner *c, uint32_t from)
{
    for (uint32_t i = from; i < c->n_runs; i++) {
        uint64_t times = c->runs[i].times;
        uint64_t lowest = times & -times;
        uint64_t left = times == lowest ? lowest / 2 : times - lowest;
        uint32_t part[2];
        if (!intern(c, c->runs[i].terminal, left, &part[0])
            || !intern(c, c->runs[i].terminal, times - left, &part[1]))
            return false;
        memcpy(c->runs[i].part, part, sizeof part);
    }
    return true;
}

/* Counts how often the piece's symbols name each run. */
static bool count_uses(seq_combiner *c, const struct added *a)
{
    const seq_piece *p = a->piece;
    uint32_t known = c->n_runs;

    for (uint32_t i = 0; i < p->n_runs; i++)
        if (!intern(c, p->runs[i].terminal, p->runs[i].times, &a->run_of[i]))
            return false;
    if (!intern_parts(c, known))
        return false;
    for (uint32_t i = 0; i < c->n_runs; i++)
        c->runs[i].uses = 0;
    for (uint64_t i = 0; i < seq_piece_symbols(p); i++)
        if (!(p->symbols[i] & SEQ_RULE) && p->symbols[i] & PIECE_RUN)
            c->runs[a->run_of[p->symbols[i] & ~PIECE_RUN]].uses++;
    return true;
}

struct by_times {
    uint64_t times;
    uint32_t run;
};

static int compare_times(const void *a, const void *b)
{
    const struct by_times *x = a, *y = b;

    return x->times < y->times ? 1 : x->times > y->times ? -1 : 0;
}

/* Decides which runs become rules.  The longest come first: each that is spelled, as a rule or where
 * it stands, uses its parts once. */
static bool decide_runs(seq_combiner *c)
{
    struct by_times *order = get(c, c->n_runs * sizeof *order);

    if (!order)
        return false;
    for (uint32_t i = 0; i < c->n_runs; i++)
        order[i] = (struct by_times){c->runs[i].times, i};
    qsort(order, c->n_runs, sizeof *order, compare_times);
    for (uint32_t i = 0; i < c->n_runs; i++) {
        struct joint_run *run = &c->runs[order[i].run];
        if (run->rule || !run->uses)
            continue;
        for (int k = 0; k < 2; k++)
            if (run->part[k] != NO_RUN)
                c->runs[run->part[k]].uses++;
        run->rule = run->uses > 1;
    }
    put(c, order, c->n_runs * sizeof *order);
    return true;
}

/* ---- The walk ---------------------------------------------------------------------------- */

/* Gives a symbol to the steps and to the body that it is in. */
static bool give(const struct seq_steps *steps, struct frame *body, uint32_t symbol)
{
    if (body->n++ == 0)
        body->begin = symbol;
    return steps->symbol(steps->ctx, symbol);
}

static bool give_run(seq_combiner *c, const struct seq_steps *steps, struct frame *body, uint32_t i,
                     uint32_t terminal)
{
    struct joint_run *run;
    struct frame own = {.n = 0};

    if (i == NO_RUN)
        return give(steps, body, terminal);
    run = &c->runs[i];
    if (run->number != UNNUMBERED)
        return give(steps, body, SEQ_RULE | run->number);
    if (!run->rule)
        return give_run(c, steps, body, run->part[0], terminal)
            && give_run(c, steps, body, run->part[1], terminal);
    if (!give_run(c, steps, &own, run->part[0], terminal)
        || !give_run(c, steps, &own, run->part[1], terminal))
        return false;
    run->number = c->numbered++;
    if (body->n++ == 0)
        body->begin = SEQ_RULE | run->number;
    return steps->reduce(steps->ctx, own.n, own.begin);
}

/* A rule that piece k names, among those of all pieces. */
static uint64_t among_all(const seq_combiner *c, size_t k, uint32_t symbol)
{
    const struct added *a = &c->added[k];
    uint32_t r = symbol & ~SEQ_RULE;

    return r < a->piece->base_rules ? r : a->first_rule + r - a->piece->base_rules;
}

static bool enter(seq_combiner *c, struct frame frame)
{
    if (c->depth == c->stack_size) {
        uint64_t size = c->stack_size ? 2 * c->stack_size : 64;
        struct frame *stack = resize(c, c->stack, c->stack_size * sizeof *stack,
                                     size * sizeof *stack);
        if (!stack)
            return false;
        c->stack = stack;
        c->stack_size = size;
    }
    c->stack[c->depth++] = frame;
    return true;
}

/* Enters the body of a rule that piece k is the first to use. */
static bool enter_rule(seq_combiner *c, size_t k, uint32_t symbol)
{
    const seq_piece *p = c->added[k].piece;
    uint64_t which = among_all(c, k, symbol);
    uint32_t r = symbol & ~SEQ_RULE;

    if (r < p->base_rules)
        k = 0;
    else
        r -= p->base_rules;
    p = c->added[k].piece;
    return enter(c, (struct frame){k, p->body[r], p->body[r + 1], (uint32_t)which, 0, 0});
}

/* Tells what soon comes in this body, so that memory can be fetched. */
static inline void look_ahead(const seq_combiner *c, const struct seq_steps *steps,
                              const struct frame *f)
{
    enum { NUMBER_AHEAD = 20, NAME_AHEAD = 12, NEAR_AHEAD = 5 };
    const uint32_t *soon = c->added[f->piece].piece->symbols + f->at;
    uint64_t left = f->end - f->at;
    uint32_t far = UINT32_MAX, near = UINT32_MAX;

    if (left <= NEAR_AHEAD)
        return;
    if (left > NUMBER_AHEAD && soon[NUMBER_AHEAD] & SEQ_RULE)
        __builtin_prefetch(&c->number[among_all(c, f->piece, soon[NUMBER_AHEAD])]);
    if (left > NAME_AHEAD && soon[NAME_AHEAD] & SEQ_RULE)
        far = c->number[among_all(c, f->piece, soon[NAME_AHEAD])];
    if (soon[NEAR_AHEAD] & SEQ_RULE)
        near = c->number[among_all(c, f->piece, soon[NEAR_AHEAD])];
    if (far != UNNUMBERED || near != UNNUMBERED)
        steps->soon(steps->ctx, far, near);
}

/* The next symbol of the frame on top. */
static bool step(seq_combiner *c, const struct seq_steps *steps)
{
    struct frame *f = &c->stack[c->depth - 1];
    const struct added *a = &c->added[f->piece];
    uint32_t symbol, number;

    if (steps->soon)
        look_ahead(c, steps, f);
    symbol = a->piece->symbols[f->at++];
    if (symbol & SEQ_RULE) {
        number = c->number[among_all(c, f->piece, symbol)];
        return number == UNNUMBERED ? enter_rule(c, f->piece, symbol)
                                    : give(steps, f, SEQ_RULE | number);
    }
    if (symbol & PIECE_RUN) {
        uint32_t i = a->run_of[symbol & ~PIECE_RUN];
        return give_run(c, steps, f, i, c->runs[i].terminal);
    }
    return give(steps, f, symbol);
}

/* The rule on top becomes the next one, and a symbol of the body that it is in. */
static bool leave(seq_combiner *c, const struct seq_steps *steps)
{
    struct frame ended = c->stack[--c->depth];

    if (ended.which == START)
        return true;
    struct frame *body = &c->stack[c->depth - 1];
    c->number[ended.which] = c->numbered++;
    if (body->n++ == 0)
        body->begin = SEQ_RULE | c->number[ended.which];
    return steps->reduce(steps->ctx, ended.n, ended.begin);
}

bool seq_combiner_walk(seq_combiner *c, size_t k, uint32_t start, const struct seq_steps *steps)
{
    const seq_piece *p = c->added[k].piece;
    const uint64_t *body = p->body + p->rules + start;

    assert(c->depth == 0 && (start == 0 ? k == c->walked && k + 1 == c->n : c->walked == c->n));
    c->walked += start == 0;
    if (start >= p->starts)
        return true;
    bool done = enter(c, (struct frame){k, body[0], body[1], START, 0, 0});
    while (done && c->depth > 0) {
        const struct frame *f = &c->stack[c->depth - 1];
        done = f->at == f->end ? leave(c, steps) : step(c, steps);
    }
    return done;
}

/* ---- Pieces ------------------------------------------------------------------------------ */

int seq_combiner_new(seq_combiner **out, const seq *base)
{
    seq_combiner *c = base->realloc(base->realloc_ctx, NULL, 0, sizeof *c);

    *out = c;
    if (!c)
        return SEQ_E_NOMEM;
    *c = (seq_combiner){.realloc = base->realloc, .realloc_ctx = base->realloc_ctx};
    return SEQ_OK;
}

void seq_combiner_free(seq_combiner *c)
{
    if (!c)
        return;
    for (size_t k = 0; k < c->n; k++)
        put(c, c->added[k].run_of, c->added[k].piece->n_runs * sizeof *c->added[k].run_of);
    put(c, c->added, c->added_size * sizeof *c->added);
    put(c, c->number, c->number_size * sizeof *c->number);
    put(c, c->runs, c->runs_size * sizeof *c->runs);
    put(c, c->slots, c->slots ? sizeof *c->slots << c->bits : 0);
    put(c, c->stack, c->stack_size * sizeof *c->stack);
    c->realloc(c->realloc_ctx, c, sizeof *c, 0);
}

/* Room for one more piece, with its rules and runs. */
static bool make_room(seq_combiner *c, const seq_piece *p)
{
    if (c->n == c->added_size) {
        size_t size = c->added_size ? 2 * c->added_size : 8;
        struct added *added = resize(c, c->added, c->added_size * sizeof *added,
                                     size * sizeof *added);
        if (!added)
            return false;
        c->added = added;
        c->added_size = size;
    }
    if (c->rules + p->rules > c->number_size) {
        uint64_t size = c->rules + p->rules + c->rules / 2 + 64;
        uint32_t *number = resize(c, c->number, c->number_size * sizeof *number,
                                  size * sizeof *number);
        if (!number)
            return false;
        memset(number + c->number_size, 0xff, (size - c->number_size) * sizeof *number);
        c->number = number;
        c->number_size = size;
    }
    return true;
}

int seq_combiner_add(seq_combiner *c, const seq_piece *p)
{
    assert(c->walked == c->n && p->base_rules == (c->n ? c->added[0].piece->rules : 0));
    if (c->rules + p->rules > RULE_MAX)
        return SEQ_E_RANGE;
    if (!make_room(c, p))
        return SEQ_E_NOMEM;
    struct added *a = &c->added[c->n];
    *a = (struct added){p, c->rules, get(c, p->n_runs * sizeof *a->run_of)};
    if (!a->run_of)
        return SEQ_E_NOMEM;
    c->n++;
    c->rules += p->rules;
    return count_uses(c, a) && decide_runs(c) ? SEQ_OK : SEQ_E_NOMEM;
}
