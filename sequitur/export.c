/* SPDX-License-Identifier: MIT */
/* export.c - the finished grammar as flat arrays; rules in the order in which their first use
 * ends. */
#include "sequitur/digrams.h"

struct exporter {
    const seq *s;
    struct seq_grammar *out;
    uint32_t *number;        /* by rule: its number in the export, UNNUMBERED before */
    uint32_t *path;          /* the nodes from a start rule to the current one */
    uint64_t symbols;
};
#define UNNUMBERED UINT32_MAX

static void *get(const seq *s, uint64_t size)
{
    return s->realloc(s->realloc_ctx, NULL, 0, size ? size : 1);
}

static void put(const seq *s, void *p, uint64_t size)
{
    if (p)
        s->realloc(s->realloc_ctx, p, size ? size : 1, 0);
}

/* Copies the body of r to rule number k.  All rules in the body have numbers. */
static void copy_body(struct exporter *e, uint32_t r, uint64_t k)
{
    const seq *s = e->s;
    uint32_t guard = s->rules[r].guard;
    uint64_t length = 0;

    for (uint32_t n = s->nodes[guard].next; n != guard; n = s->nodes[n].next) {
        uint32_t value = s->nodes[n].value;
        uint32_t number = is_rule(value) ? e->number[rule_of(value)] : 0;
        assert(!is_rule(value) || number < k);
        e->out->symbols[e->symbols++] = is_rule(value) ? SEQ_RULE | number : value;
        length += is_rule(value) ? e->out->length[number] : 1;
    }
    e->out->length[k] = length;
    e->out->body[k + 1] = e->symbols;
}

/* Numbers and copies all rules that the start rule r is the first to use. */
static void walk(struct exporter *e, uint32_t r)
{
    const seq *s = e->s;
    uint32_t depth = 0;
    uint32_t n = s->nodes[s->rules[r].guard].next;

    for (;;) {
        uint32_t value = s->nodes[n].value;
        if (is_guard(value)) {
            if (depth == 0)
                return;
            e->number[rule_of(value)] = e->out->rules;
            copy_body(e, rule_of(value), e->out->rules++);
            n = s->nodes[e->path[--depth]].next;
        } else if (is_rule(value) && e->number[rule_of(value)] == UNNUMBERED) {
            assert(depth < s->rules_live);
            e->path[depth++] = n;
            n = s->nodes[s->rules[rule_of(value)].guard].next;
        } else {
            n = s->nodes[n].next;
        }
    }
}

static uint32_t start_rule(const seq *s, uint32_t k)
{
    return s->starts[k].rule;
}

static void export_all(struct exporter *e)
{
    const seq *s = e->s;

    for (uint32_t r = 0; r < s->rules_used; r++)
        e->number[r] = UNNUMBERED;
    for (uint32_t k = 0; k < s->starts_count; k++)
        walk(e, start_rule(s, k));
    for (uint32_t k = 0; k < s->starts_count; k++)
        copy_body(e, start_rule(s, k), (uint64_t)e->out->rules + k);
    assert(e->out->rules == s->rules_live);
}

static void sizes(uint64_t rules, uint64_t symbols, uint64_t size[3])
{
    size[0] = (rules + 1) * sizeof(uint64_t);
    size[1] = symbols * sizeof(uint32_t);
    size[2] = rules * sizeof(uint64_t);
}

uint64_t seq_export_size(const seq *s)
{
    struct seq_stats stats;
    uint64_t size[3];

    seq_get_stats(s, &stats);
    sizes((uint64_t)stats.rules + stats.starts, stats.rhs_symbols, size);
    return size[0] + size[1] + size[2] + ((uint64_t)s->rules_used + stats.rules) * sizeof(uint32_t);
}

int grammar_new(const seq *s, struct seq_grammar *g, uint64_t bodies, uint64_t symbols)
{
    uint64_t size[3];

    sizes(bodies, symbols, size);
    g->body = get(s, size[0]);
    g->symbols = get(s, size[1]);
    g->length = get(s, size[2]);
    if (g->body && g->symbols && g->length) {
        g->body[0] = 0;
        return SEQ_OK;
    }
    grammar_free(s, g, bodies, symbols);
    return SEQ_E_NOMEM;
}

void grammar_free(const seq *s, struct seq_grammar *g, uint64_t bodies, uint64_t symbols)
{
    uint64_t size[3];

    sizes(bodies, symbols, size);
    put(s, g->body, size[0]);
    put(s, g->symbols, size[1]);
    put(s, g->length, size[2]);
    *g = (struct seq_grammar){0};
}

int seq_export(const seq *s, struct seq_grammar *out)
{
    struct exporter e = {.s = s, .out = out};
    struct seq_stats stats;

    if (!s->finished || s->ended)
        return SEQ_E_STATE;
    seq_get_stats(s, &stats);
    *out = (struct seq_grammar){.starts = stats.starts};
    uint64_t bodies = (uint64_t)stats.rules + stats.starts;
    if (grammar_new(s, out, bodies, stats.rhs_symbols) != SEQ_OK)
        return SEQ_E_NOMEM;
    e.number = get(s, s->rules_used * sizeof *e.number);
    e.path = get(s, stats.rules * sizeof *e.path);
    bool complete = e.number && e.path;
    if (complete) {
        export_all(&e);
        assert(e.symbols == stats.rhs_symbols);
    } else {
        grammar_free(s, out, bodies, stats.rhs_symbols);
    }
    put(s, e.number, s->rules_used * sizeof *e.number);
    put(s, e.path, stats.rules * sizeof *e.path);
    return complete ? SEQ_OK : SEQ_E_NOMEM;
}

void seq_grammar_free(const seq *s, struct seq_grammar *g)
{
    uint64_t bodies = (uint64_t)g->rules + g->starts;

    if (g->body)
        grammar_free(s, g, bodies, g->body[bodies]);
}
