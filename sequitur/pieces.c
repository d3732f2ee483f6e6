/* SPDX-License-Identifier: MIT */
/* pieces.c - takes the rules of a part of the input; see pieces.h. */
#include "sequitur/pieces.h"
#include "sequitur/base.h"

#include <string.h>

#define UNNUMBERED UINT32_MAX

struct taker {
    seq *s;
    seq_piece *out;
    uint32_t *number;        /* by rule of s: its number in the piece; runs: their symbol */
    uint32_t *path;          /* the nodes from a start rule to the current one */
    uint64_t symbols;
};

/* ---- Memory ------------------------------------------------------------------------------ */

static void *get(const seq *s, uint64_t size)
{
    return s->realloc(s->realloc_ctx, NULL, 0, size ? size : 1);
}

static void put(seq_realloc *reallocate, void *ctx, void *p, uint64_t size)
{
    if (p)
        reallocate(ctx, p, size ? size : 1, 0);
}

void seq_piece_free(seq_piece *p)
{
    if (!p)
        return;
    put(p->realloc, p->realloc_ctx, p->body, p->body_size);
    put(p->realloc, p->realloc_ctx, p->symbols, p->symbols_size);
    put(p->realloc, p->realloc_ctx, p->runs, p->runs_size);
    p->realloc(p->realloc_ctx, p, sizeof *p, 0);
}

uint64_t seq_piece_symbols(const seq_piece *p)
{
    return p->body[p->rules + p->starts];
}

/* The piece's arrays, for `symbols` symbols. */
static seq_piece *piece_new(const seq *s, uint64_t symbols)
{
    seq_piece *p = get(s, sizeof *p);

    if (!p)
        return NULL;
    uint32_t rules = s->rules_live - s->base_live - (s->runs->n - (s->base ? s->base->runs->n : 0));
    *p = (seq_piece){
        .rules = rules, .starts = s->starts_count, .n_runs = s->runs->n,
        .body_size = ((uint64_t)rules + s->starts_count + 1) * sizeof *p->body,
        .symbols_size = symbols * sizeof *p->symbols,
        .runs_size = s->runs->n * sizeof *p->runs,
        .realloc = s->realloc, .realloc_ctx = s->realloc_ctx,
    };
    p->body = get(s, p->body_size);
    p->symbols = get(s, p->symbols_size);
    p->runs = get(s, p->runs_size);
    if (p->body && p->symbols && p->runs)
        return p;
    seq_piece_free(p);
    return NULL;
}

/* ---- Taking the rules -------------------------------------------------------------------- */

static uint32_t symbol_of(const struct taker *t, uint32_t value)
{
    return is_rule(value) ? t->number[rule_of(value)] : value;
}

static void copy_body(struct taker *t, uint32_t r, uint64_t k)
{
    const seq *s = t->s;
    uint32_t guard = s->rules[r].guard;

    for (uint32_t n = s->nodes[guard].next; n != guard; n = s->nodes[n].next) {
        assert(!is_rule(s->nodes[n].value) || symbol_of(t, s->nodes[n].value) != UNNUMBERED);
        t->out->symbols[t->symbols++] = symbol_of(t, s->nodes[n].value);
    }
    t->out->body[k + 1] = t->symbols;
}

/* Numbers and copies all rules that the start rule r is the first to use. */
static void walk(struct taker *t, uint32_t r, uint32_t *rules)
{
    const seq *s = t->s;
    uint32_t depth = 0;
    uint32_t n = s->nodes[s->rules[r].guard].next;

    for (;;) {
        uint32_t value = s->nodes[n].value;
        if (is_guard(value)) {
            if (depth == 0)
                return;
            t->number[rule_of(value)] = SEQ_RULE | (t->out->base_rules + *rules);
            copy_body(t, rule_of(value), (*rules)++);
            n = s->nodes[t->path[--depth]].next;
        } else if (is_rule(value) && t->number[rule_of(value)] == UNNUMBERED) {
            assert(depth < s->rules_live);
            t->path[depth++] = n;
            n = s->nodes[s->rules[rule_of(value)].guard].next;
        } else {
            n = s->nodes[n].next;
        }
    }
}

/* Rules of the base have its numbers; runs are numbered by their list. */
static void number_known(struct taker *t)
{
    const seq *s = t->s;

    for (uint32_t r = 0; r < s->rules_used; r++)
        t->number[r] = is_of_base(s, r) ? s->base->numbers[r] : UNNUMBERED;
    for (uint32_t i = 0; i < s->runs->n; i++)
        t->number[s->runs->list[i].rule] = PIECE_RUN | i;
    if (s->runs->n)
        memcpy(t->out->runs, s->runs->list, s->runs->n * sizeof *t->out->runs);
}

static void take_all(struct taker *t)
{
    const seq *s = t->s;
    uint32_t rules = 0;

    number_known(t);
    t->out->body[0] = 0;
    for (uint32_t k = 0; k < s->starts_count; k++)
        walk(t, s->starts[k].rule, &rules);
    assert(rules == t->out->rules);
    for (uint32_t k = 0; k < s->starts_count; k++)
        copy_body(t, s->starts[k].rule, (uint64_t)rules + k);
}

int piece_take(seq *s, seq_piece **out)
{
    struct taker t = {.s = s};
    struct seq_stats stats;
    uint64_t number_size = s->rules_used * sizeof *t.number;
    uint64_t path_size = s->rules_live * sizeof *t.path;

    assert(s->ended && s->runs);
    seq_get_stats(s, &stats);
    t.out = piece_new(s, stats.rhs_symbols);
    t.number = s->numbers ? s->numbers : get(s, number_size);
    t.path = get(s, path_size);
    int status = t.out && t.number && t.path ? SEQ_OK : SEQ_E_NOMEM;
    if (status == SEQ_OK) {
        if (s->base)
            t.out->base_rules = s->base->base_numbered;
        take_all(&t);
        assert(t.symbols == stats.rhs_symbols);
        s->base_numbered = t.out->rules;
        *out = t.out;
    } else {
        seq_piece_free(t.out);
    }
    if (t.number != s->numbers)
        put(s->realloc, s->realloc_ctx, t.number, number_size);
    put(s->realloc, s->realloc_ctx, t.path, path_size);
    return status;
}
