/* SPDX-License-Identifier: MIT */
/* reparse-flat.c - the grammar as flat bodies; its rules are in order of derived length. */
#include "sequitur/reparse.h"

#include <stdlib.h>
#include <string.h>

/* ---- What symbols derive -------------------------------------------------------- */

/* Odd, so that it has an inverse modulo 2^64. */
#define BASE UINT64_C(0x9E3779B97F4A7C15)
#define BASE_INVERSE UINT64_C(0xF1DE83E19937733D)
static_assert(BASE * BASE_INVERSE == 1, "one is the other's inverse");

static uint64_t spelled(uint32_t terminal)
{
#ifdef WPP_HOSTILE
    /* Gives many strings the same hash. */
    return terminal % 2;
#endif
    uint64_t x = terminal + UINT64_C(1);

    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    x = (x ^ x >> 27) * UINT64_C(0x81DADEF4BC2DD44D);
    return x ^ x >> 33;
}

struct derived flat_terminal(uint32_t terminal)
{
    return (struct derived){.length = 1, .hash = spelled(terminal), .shift = BASE,
                            .unshift = BASE_INVERSE, .first = terminal, .last = terminal};
}

static struct derived derive(const struct flat *f, uint32_t rule)
{
    struct derived all = {.shift = 1, .unshift = 1};

    for (uint64_t i = f->body[rule]; i < f->body[rule + 1]; i++) {
        struct derived one = flat_derived(f, f->symbols[i]);

        all.hash += all.shift * one.hash;
        all.shift *= one.shift;
        all.unshift *= one.unshift;
        all.first = i == f->body[rule] ? one.first : all.first;
        all.last = one.last;
        all.length += one.length;
    }
    return all;
}

/* ---- Checking ------------------------------------------------------------------------ */

static bool check_symbol(const struct flat *f, uint32_t user, uint32_t symbol)
{
    uint32_t rule = symbol & ~SEQ_RULE;

    return symbol & SEQ_RULE ? rule < user && rule < f->rules : symbol < f->terminals;
}

static bool check_body(const struct flat *f, uint32_t rule)
{
    uint64_t length = 0, symbols = f->body[rule + 1] - f->body[rule];

    if (f->body[rule] > f->body[rule + 1] || (rule < f->rules && symbols < 2))
        return false;
    for (uint64_t i = f->body[rule]; i < f->body[rule + 1]; i++) {
        if (!check_symbol(f, rule, f->symbols[i]))
            return false;
        length += flat_derived(f, f->symbols[i]).length;
    }
    return length == (rule < f->rules ? f->derived[rule].length : f->length[rule - f->rules]);
}

/* The derivation of a rule is compared by its hash, too. */
bool flat_check(const struct flat *f)
{
    for (uint32_t r = 0; r < f->rules + f->starts; r++)
        if (!check_body(f, r) || (r < f->rules && derive(f, r).hash != f->derived[r].hash))
            return false;
    return flat_end(f) <= f->size;
}

/* ---- Memory ------------------------------------------------------------------------- */

static uint64_t *new_bodies(struct flat *f)
{
    return seq_memory(f->s, NULL, 0, ((size_t)f->first_rules + f->starts + 1) * sizeof *f->body);
}

static void free_bodies(struct flat *f, uint64_t *body)
{
    if (body)
        seq_memory(f->s, body, ((size_t)f->first_rules + f->starts + 1) * sizeof *f->body, 0);
}

static void free_numbers(struct flat *f, uint32_t *numbers)
{
    if (numbers)
        seq_memory(f->s, numbers, ((size_t)f->first_rules + 1) * sizeof *numbers, 0);
}

static uint32_t *new_numbers(struct flat *f)
{
    return seq_memory(f->s, NULL, 0, ((size_t)f->first_rules + 1) * sizeof(uint32_t));
}

void flat_forget_derived(struct flat *f)
{
    if (f->derived)
        seq_memory(f->s, f->derived, ((size_t)f->first_rules + 1) * sizeof *f->derived, 0);
    f->derived = NULL;
}

void flat_free(struct flat *f)
{
    free_bodies(f, f->body);
    if (f->symbols)
        seq_memory(f->s, f->symbols, (f->size + 1) * sizeof *f->symbols, 0);
    flat_forget_derived(f);
    if (f->length)
        seq_memory(f->s, f->length, ((size_t)f->starts + 1) * sizeof *f->length, 0);
}

void flat_exchange(struct flat *f, uint64_t **body, uint32_t **symbols, uint64_t *size)
{
    uint64_t *own_body = f->body, own_size = f->size;
    uint32_t *own_symbols = f->symbols;

    f->body = *body;
    f->symbols = *symbols;
    f->size = *size;
    *body = own_body;
    *symbols = own_symbols;
    *size = own_size;
}

static bool flat_new(struct flat *f)
{
    f->body = new_bodies(f);
    f->symbols = seq_memory(f->s, NULL, 0, (f->size + 1) * sizeof *f->symbols);
    f->derived = seq_memory(f->s, NULL, 0, ((size_t)f->rules + 1) * sizeof *f->derived);
    f->length = seq_memory(f->s, NULL, 0, ((size_t)f->starts + 1) * sizeof *f->length);
    return f->body && f->symbols && f->derived && f->length;
}

/* ---- The export, its rules sorted ------------------------------------------------------ */

struct rank {
    uint64_t length;
    uint32_t rule;
};

static int by_length(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->rule < y->rule ? -1 : 1;
}

/* Fills in ranks[new number] and number[old number]. */
static void sort_rules(const struct seq_grammar *g, struct rank *ranks, uint32_t *number)
{
    for (uint32_t r = 0; r < g->rules; r++)
        ranks[r] = (struct rank){g->length[r], r};
    qsort(ranks, g->rules, sizeof *ranks, by_length);
    for (uint32_t r = 0; r < g->rules; r++)
        number[ranks[r].rule] = r;
}

static void copy_rules(struct flat *f, const struct seq_grammar *g, const struct rank *ranks,
                       const uint32_t *number)
{
    uint64_t n = 0;

    for (uint32_t r = 0; r < f->rules + f->starts; r++) {
        uint32_t old = r < f->rules ? ranks[r].rule : r;

        f->body[r] = n;
        for (uint64_t i = g->body[old]; i < g->body[old + 1]; i++) {
            uint32_t symbol = g->symbols[i];

            if (symbol & SEQ_RULE)
                symbol = SEQ_RULE | number[symbol & ~SEQ_RULE];
            else if (symbol >= f->terminals)
                f->terminals = symbol + 1;
            f->symbols[n++] = symbol;
        }
    }
    assert(n == f->size);
    f->body[f->rules + f->starts] = n;
}

int flat_take(struct flat *f, seq *s, const struct seq_grammar *g)
{
    *f = (struct flat){.s = s, .rules = g->rules, .starts = g->starts, .first_rules = g->rules,
                       .size = g->body[g->rules + g->starts]};
    uint32_t *number = new_numbers(f);
    size_t bytes = ((size_t)g->rules + 1) * sizeof(struct rank);
    struct rank *ranks = seq_memory(s, NULL, 0, bytes);
    bool done = flat_new(f) && number && ranks;

    if (done) {
        sort_rules(g, ranks, number);
        copy_rules(f, g, ranks, number);
        for (uint32_t r = 0; r < f->rules; r++)
            f->derived[r] = derive(f, r);
        memcpy(f->length, g->length + g->rules, f->starts * sizeof *f->length);
    }
    free_numbers(f, number);
    if (ranks)
        seq_memory(s, ranks, bytes, 0);
    assert(!done || flat_check(f));
    return done ? SEQ_OK : SEQ_E_NOMEM;
}

/* ---- Pruning -------------------------------------------------------------------------- */

/* Counts uses by rules that are used themselves; a rule is used only by larger numbers. */
static void count_uses(const struct flat *f, uint32_t *uses)
{
    memset(uses, 0, f->rules * sizeof *uses);
    for (uint32_t r = f->rules + f->starts; r-- > 0;)
        if (r >= f->rules || uses[r])
            for (uint64_t i = f->body[r]; i < f->body[r + 1]; i++)
                if (f->symbols[i] & SEQ_RULE)
                    uses[f->symbols[i] & ~SEQ_RULE]++;
}

struct pruning {
    struct flat *f;
    uint32_t *uses;          /* by rule; those with more than one stay */
    uint32_t *to;            /* symbols */
    uint64_t n;
    uint64_t *open;          /* of the bodies that are being copied: the next symbol and the end */
    size_t depth, size;
};

static bool open_body(struct pruning *p, uint32_t rule)
{
    if (p->depth + 2 > p->size) {
        size_t larger = p->size ? 2 * p->size : 64;
        uint64_t *open = seq_memory(p->f->s, p->open, p->size * sizeof *open,
                                    larger * sizeof *open);

        if (!open)
            return false;
        p->open = open;
        p->size = larger;
    }
    p->open[p->depth++] = p->f->body[rule];
    p->open[p->depth++] = p->f->body[rule + 1];
    return true;
}

/* Copies a body and replaces each use of a rule that is used once by that rule's body.  The other
 * rules already have new numbers. */
static bool copy_body(struct pruning *p, uint32_t rule, const uint32_t *number)
{
    if (!open_body(p, rule))
        return false;
    while (p->depth) {
        uint64_t *at = &p->open[p->depth - 2];

        if (at[0] == at[1]) {
            p->depth -= 2;
            continue;
        }
        uint32_t symbol = p->f->symbols[at[0]++], used = symbol & ~SEQ_RULE;
        if (!(symbol & SEQ_RULE))
            p->to[p->n++] = symbol;
        else if (p->uses[used] > 1)
            p->to[p->n++] = SEQ_RULE | number[used];
        else if (!open_body(p, used))
            return false;
    }
    return true;
}

static bool copy_used(struct pruning *p, uint32_t *number, uint64_t *body, uint32_t *rules)
{
    struct flat *f = p->f;
    uint32_t n = 0;

    for (uint32_t r = 0; r < f->rules + f->starts; r++) {
        if (r < f->rules && p->uses[r] < 2)
            continue;
        body[n] = p->n;
        if (!copy_body(p, r, number))
            return false;
        if (r < f->rules) {
            assert(n <= r);                  /* in place: rules only move down */
            f->derived[n] = f->derived[r];
            number[r] = n;
        }
        n++;
    }
    body[n] = p->n;
    assert(n >= f->starts);
    *rules = n - f->starts;
    return true;
}

int flat_prune(struct flat *f)
{
    uint32_t *number = new_numbers(f), rules = 0;
    uint64_t *body = new_bodies(f), size = flat_end(f);
    struct pruning p = {.f = f, .uses = new_numbers(f)};
    bool done = number && body && p.uses;

    if (done) {
        p.to = seq_memory(f->s, NULL, 0, (size + 1) * sizeof *p.to);
        done = p.to != NULL;
    }
    if (done) {
        count_uses(f, p.uses);
        done = copy_used(&p, number, body, &rules);
    }
    if (done) {
        assert(p.n <= size);
        flat_exchange(f, &body, &p.to, &size);
        f->rules = rules;
    }
    if (p.to)
        seq_memory(f->s, p.to, (size + 1) * sizeof *p.to, 0);
    if (p.open)
        seq_memory(f->s, p.open, p.size * sizeof *p.open, 0);
    free_bodies(f, body);
    free_numbers(f, p.uses);
    free_numbers(f, number);
    assert(!done || flat_check(f));
    return done ? SEQ_OK : SEQ_E_NOMEM;
}
