/* SPDX-License-Identifier: MIT */
#include "wpp/format/renumber.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct place {
    uint32_t rule;
    uint64_t next;
};

struct renumbering {
    struct seq_grammar *g;
    uint32_t *number;                  /* new number by old, NONE until seen */
    uint32_t *order;
    uint32_t n, n_rules;               /* terminals seen, rules done */
    struct place *stack;
    size_t depth, capacity;
};

#define NONE UINT32_MAX

static bool enter(struct renumbering *r, uint32_t rule)
{
    if (r->depth == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        struct place *stack = realloc(r->stack, capacity * sizeof *stack);

        if (!stack)
            return false;
        r->stack = stack;
        r->capacity = capacity;
    }
    assert(r->depth < r->capacity);
    r->stack[r->depth++] = (struct place){rule, r->g->body[rule]};
    return true;
}

/* Walks a start rule, and each rule where it is first used. */
static bool renumber_start(struct renumbering *r, uint32_t start)
{
    if (!enter(r, start))
        return false;
    while (r->depth > 0) {
        struct place *top = &r->stack[r->depth - 1];
        uint32_t *symbol = &r->g->symbols[top->next];

        if (top->next == r->g->body[top->rule + 1]) {
            r->n_rules += top->rule < r->g->rules;
            r->depth--;
            continue;
        }
        top->next++;
        if (*symbol & SEQ_RULE) {
            uint32_t rule = *symbol & ~SEQ_RULE;

            assert(rule < r->g->rules);
            /* Rules are numbered in the order in which this walk finishes them. */
            if (rule >= r->n_rules && !enter(r, rule))
                return false;
            continue;
        }
        if (r->number[*symbol] == NONE) {
            r->order[r->n] = *symbol;
            r->number[*symbol] = r->n++;
        }
        *symbol = r->number[*symbol];
    }
    return true;
}

bool wpp_renumber(struct seq_grammar *g, uint32_t n, uint32_t *order, uint32_t *n_met)
{
    struct renumbering r = {.g = g, .order = order};
    bool done = true;

    r.number = malloc(((size_t)n + 1) * sizeof *r.number);
    if (!r.number)
        return false;
    memset(r.number, 0xff, n * sizeof *r.number);
    for (uint32_t k = 0; done && k < g->starts; k++)
        done = renumber_start(&r, g->rules + k);
    assert(!done || r.n_rules == g->rules);
    assert(r.n <= n);
    *n_met = r.n;
    free(r.number);
    free(r.stack);
    return done;
}
