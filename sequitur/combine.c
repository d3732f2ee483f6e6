/* SPDX-License-Identifier: MIT */
/* combine.c - one grammar of all pieces.
 *
 *   runs     which terminal^times are there, and how often all pieces use each.  A run that is used
 *            twice becomes a rule, as runs.h spells it; one used once is spelled where it stands
 *   walk     the start rules of all pieces, one behind the other; rules are numbered as their first
 *            use ends, and their bodies are copied
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
    uint64_t uses;
    uint32_t part[2];        /* its parts' indices; NO_RUN: the terminal alone */
};
#define NO_RUN UINT32_MAX

/* Where the walk is: in the symbols of a piece, or in the parts of a run. */
struct frame {
    size_t piece;            /* OF_RUN: at and end are 0 to 2, its parts */
    uint64_t at, end;
    uint32_t which;          /* the rule, among those of all pieces, or the run; START: none */
};
#define OF_RUN SIZE_MAX
#define START UINT32_MAX

struct combiner {
    const seq *s;            /* whose memory it is */
    seq_piece *const *pieces;
    size_t n;
    uint64_t *first_rule;    /* by piece: its rules among those of all */
    uint32_t **run_of;       /* by piece, by its runs: the joint run */
    uint32_t *number;        /* by rule: its number in the result */
    struct joint_run *runs;
    uint32_t n_runs, runs_size;
    uint32_t *slots;         /* 1 + a run, by terminal and times: open addressing; 0: free */
    uint32_t bits;
    struct frame *stack;
    uint64_t depth, stack_size;
    struct seq_grammar *out;
    uint64_t rules, symbols; /* of the result: how many there will be */
    uint64_t written;
};

/* ---- Memory ------------------------------------------------------------------------------ */

static void *resize(const struct combiner *c, void *p, uint64_t old_size, uint64_t size)
{
    return c->s->realloc(c->s->realloc_ctx, p, old_size, size);
}

static void *get(const struct combiner *c, uint64_t size)
{
    return resize(c, NULL, 0, size ? size : 1);
}

static void put(const struct combiner *c, void *p, uint64_t size)
{
    if (p)
        resize(c, p, size ? size : 1, 0);
}

/* ---- Runs -------------------------------------------------------------------------------- */

static uint32_t *slot_of(const struct combiner *c, uint32_t terminal, uint64_t times)
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

static bool grow_runs(struct combiner *c)
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
static bool intern(struct combiner *c, uint32_t terminal, uint64_t times, uint32_t *index)
{
    *index = NO_RUN;
    if (times == 1)
        return true;
    if (c->n_runs == c->runs_size && !grow_runs(c))
        return false;
    uint32_t *slot = slot_of(c, terminal, times);
    if (!*slot) {
        c->runs[c->n_runs] = (struct joint_run){times, terminal, UNNUMBERED, 0, {NO_RUN, NO_RUN}};
        *slot = ++c->n_runs;
    }
    *index = *slot - 1;
    return true;
}

static bool intern_pieces(struct combiner *c)
{
    for (size_t k = 0; k < c->n; k++) {
        const seq_piece *p = c->pieces[k];
        for (uint32_t i = 0; i < p->n_runs; i++)
            if (!intern(c, p->runs[i].terminal, p->runs[i].times, &c->run_of[k][i]))
                return false;
        for (uint64_t i = 0; i < seq_piece_symbols(p); i++)
            if (!(p->symbols[i] & SEQ_RULE) && p->symbols[i] & PIECE_RUN)
                c->runs[c->run_of[k][p->symbols[i] & ~PIECE_RUN]].uses++;
    }
    return true;
}

/* Makes the parts of all runs: the run without the lowest bit of its number, then that bit. */
static bool intern_parts(struct combiner *c)
{
    for (uint32_t i = 0; i < c->n_runs; i++) {
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

struct by_times {
    uint64_t times;
    uint32_t run;
};

static int compare_times(const void *a, const void *b)
{
    const struct by_times *x = a, *y = b;

    return x->times < y->times ? 1 : x->times > y->times ? -1 : 0;
}

/* Counts the uses in runs, the longest first: each run that occurs uses its parts once.  A run that
 * a piece no longer uses has none. */
static bool count_parts(struct combiner *c)
{
    struct by_times *order = get(c, c->n_runs * sizeof *order);

    if (!order)
        return false;
    for (uint32_t i = 0; i < c->n_runs; i++)
        order[i] = (struct by_times){c->runs[i].times, i};
    qsort(order, c->n_runs, sizeof *order, compare_times);
    for (uint32_t i = 0; i < c->n_runs; i++) {
        const struct joint_run *run = &c->runs[order[i].run];
        for (int k = 0; k < 2 && run->uses; k++)
            if (run->part[k] != NO_RUN)
                c->runs[run->part[k]].uses++;
        c->rules += run->uses > 1;
        c->symbols += run->uses > 1 ? 2 : run->uses;
    }
    put(c, order, c->n_runs * sizeof *order);
    return true;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static void write_run(struct combiner *c, uint32_t i, uint32_t terminal)
{
    if (i == NO_RUN) {
        c->out->symbols[c->written++] = terminal;
    } else if (c->runs[i].uses > 1) {
        assert(c->runs[i].number != UNNUMBERED);
        c->out->symbols[c->written++] = SEQ_RULE | c->runs[i].number;
    } else {
        write_run(c, c->runs[i].part[0], terminal);
        write_run(c, c->runs[i].part[1], terminal);
    }
}

/* A rule that piece k names, among those of all pieces. */
static uint32_t among_all(const struct combiner *c, size_t k, uint32_t symbol)
{
    uint32_t r = symbol & ~SEQ_RULE;
    uint32_t base_rules = c->pieces[k]->base_rules;

    return r < base_rules ? r : (uint32_t)(c->first_rule[k] + r - base_rules);
}

static void write_symbol(struct combiner *c, size_t k, uint32_t symbol)
{
    if (symbol & SEQ_RULE) {
        assert(c->number[among_all(c, k, symbol)] != UNNUMBERED);
        c->out->symbols[c->written++] = SEQ_RULE | c->number[among_all(c, k, symbol)];
    } else if (symbol & PIECE_RUN) {
        uint32_t i = c->run_of[k][symbol & ~PIECE_RUN];
        write_run(c, i, c->runs[i].terminal);
    } else {
        c->out->symbols[c->written++] = symbol;
    }
}

/* Ends body k of the result. */
static void end_body(struct combiner *c, uint64_t k)
{
    uint64_t length = 0;

    for (uint64_t i = c->out->body[k]; i < c->written; i++) {
        uint32_t symbol = c->out->symbols[i];
        length += symbol & SEQ_RULE ? c->out->length[symbol & ~SEQ_RULE] : 1;
    }
    c->out->length[k] = length;
    c->out->body[k + 1] = c->written;
}

/* ---- The walk ---------------------------------------------------------------------------- */

static bool enter(struct combiner *c, struct frame frame)
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

static bool visit_run(struct combiner *c, uint32_t i)
{
    return i == NO_RUN || c->runs[i].number != UNNUMBERED
        || enter(c, (struct frame){OF_RUN, 0, 2, i});
}

/* Enters the body that the symbol names, if this is its first use. */
static bool visit(struct combiner *c, size_t k, uint32_t symbol)
{
    if (symbol & SEQ_RULE) {
        const seq_piece *p = c->pieces[k];
        uint32_t r = symbol & ~SEQ_RULE;
        uint32_t which = among_all(c, k, symbol);
        if (c->number[which] != UNNUMBERED)
            return true;
        if (r < p->base_rules)
            k = 0;
        else
            r -= p->base_rules;
        p = c->pieces[k];
        return enter(c, (struct frame){k, p->body[r], p->body[r + 1], which});
    }
    return !(symbol & PIECE_RUN) || visit_run(c, c->run_of[k][symbol & ~PIECE_RUN]);
}

/* The body that the frame has gone through becomes the next rule. */
static void leave(struct combiner *c, const struct frame *f)
{
    uint32_t rule = c->out->rules;

    if (f->which == START || (f->piece == OF_RUN && c->runs[f->which].uses < 2))
        return;
    if (f->piece == OF_RUN) {
        const struct joint_run *run = &c->runs[f->which];
        write_run(c, run->part[0], run->terminal);
        write_run(c, run->part[1], run->terminal);
        c->runs[f->which].number = rule;
    } else {
        const seq_piece *p = c->pieces[f->piece];
        uint32_t r = f->which - (uint32_t)c->first_rule[f->piece];
        for (uint64_t i = p->body[r]; i < p->body[r + 1]; i++)
            write_symbol(c, f->piece, p->symbols[i]);
        c->number[f->which] = rule;
    }
    end_body(c, rule);
    c->out->rules++;
}

static bool walk(struct combiner *c, struct frame start)
{
    bool done = enter(c, start);

    while (done && c->depth > 0) {
        struct frame *f = &c->stack[c->depth - 1];
        if (f->at == f->end) {
            struct frame ended = *f;
            c->depth--;
            leave(c, &ended);
        } else if (f->piece == OF_RUN) {
            done = visit_run(c, c->runs[f->which].part[f->at++]);
        } else {
            uint32_t symbol = c->pieces[f->piece]->symbols[f->at++];
            done = visit(c, f->piece, symbol);
        }
    }
    return done;
}

/* The start rules k of all pieces, one behind the other. */
static bool walk_start(struct combiner *c, uint32_t k)
{
    for (size_t i = 0; i < c->n; i++) {
        const seq_piece *p = c->pieces[i];
        const uint64_t *body = p->body + p->rules + k;
        if (k < p->starts && !walk(c, (struct frame){i, body[0], body[1], START}))
            return false;
    }
    return true;
}

static void write_start(struct combiner *c, uint32_t k)
{
    for (size_t i = 0; i < c->n; i++) {
        const seq_piece *p = c->pieces[i];
        if (k >= p->starts)
            continue;
        for (uint64_t at = p->body[p->rules + k]; at < p->body[p->rules + k + 1]; at++)
            write_symbol(c, i, p->symbols[at]);
    }
    end_body(c, (uint64_t)c->out->rules + k);
}

/* ---- All of it --------------------------------------------------------------------------- */

/* Counts what the pieces have; makes the arrays that go by it. */
static bool begin(struct combiner *c)
{
    c->first_rule = get(c, c->n * sizeof *c->first_rule);
    c->run_of = get(c, c->n * sizeof *c->run_of);
    if (c->run_of)
        memset(c->run_of, 0, c->n * sizeof *c->run_of);
    if (!c->first_rule || !c->run_of)
        return false;
    for (size_t k = 0; k < c->n; k++) {
        const seq_piece *p = c->pieces[k];
        assert(p->base_rules == (k ? c->pieces[0]->rules : 0));
        c->first_rule[k] = c->rules;
        c->rules += p->rules;
        c->symbols += seq_piece_symbols(p);
        if (c->out->starts < p->starts)
            c->out->starts = p->starts;
        c->run_of[k] = get(c, p->n_runs * sizeof **c->run_of);
        if (!c->run_of[k])
            return false;
    }
    c->number = get(c, c->rules * sizeof *c->number);
    if (c->number)
        memset(c->number, 0xff, c->rules * sizeof *c->number);
    return c->number != NULL;
}

static void end(struct combiner *c, uint64_t piece_rules)
{
    for (size_t k = 0; c->run_of && k < c->n; k++)
        put(c, c->run_of[k], c->pieces[k]->n_runs * sizeof **c->run_of);
    put(c, c->run_of, c->n * sizeof *c->run_of);
    put(c, c->first_rule, c->n * sizeof *c->first_rule);
    put(c, c->number, piece_rules * sizeof *c->number);
    put(c, c->runs, c->runs_size * sizeof *c->runs);
    put(c, c->slots, c->slots ? sizeof *c->slots << c->bits : 0);
    put(c, c->stack, c->stack_size * sizeof *c->stack);
}

static bool combine(struct combiner *c)
{
    struct seq_grammar *g = c->out;

    for (uint32_t k = 0; k < g->starts; k++)
        if (!walk_start(c, k))
            return false;
    for (uint32_t k = 0; k < g->starts; k++)
        write_start(c, k);
    assert(g->rules == c->rules && c->written == c->symbols);
    return true;
}

int seq_combine(const seq *s, seq_piece *const *pieces, size_t n, struct seq_grammar *out)
{
    struct combiner c = {.s = s, .pieces = pieces, .n = n, .out = out};
    uint64_t piece_rules = 0;

    *out = (struct seq_grammar){0};
    bool done = begin(&c);
    piece_rules = c.rules;
    done = done && intern_pieces(&c) && intern_parts(&c) && count_parts(&c);
    uint64_t bodies = c.rules + out->starts;
    int status = !done ? SEQ_E_NOMEM : bodies > RULE_MAX ? SEQ_E_RANGE
                                     : grammar_new(s, out, bodies, c.symbols);
    if (status == SEQ_OK && !combine(&c)) {
        grammar_free(s, out, bodies, c.symbols);
        status = SEQ_E_NOMEM;
    }
    end(&c, piece_rules);
    return status;
}
