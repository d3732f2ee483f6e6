/* SPDX-License-Identifier: MIT */
#include "wpp/picture/rule-kinds.h"

#include <stdlib.h>

#define NOTHING UINT32_MAX

/* What a symbol does to the depth of the stack, which is 0 before it.  An event that enters runs one
 * deeper than the depth before it, any other at that depth. */
struct effect {
    uint32_t first, last;          /* terminals; NOTHING: it derives none */
    int64_t net;                   /* the depth behind it */
    int64_t lowest;                /* the least depth at which an event of it runs */
    uint64_t entered;              /* events that enter and run at that depth */
};

static const struct effect nothing = {.first = NOTHING, .last = NOTHING, .lowest = INT64_MAX};

static struct effect of_terminal(const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    int enters = t->enters, leaves = t->leaves;

    return (struct effect){terminal, terminal, enters - leaves, enters, t->enters};
}

static struct effect effect_of(const wpp *w, const struct effect *by_rule, uint32_t symbol)
{
    return symbol & WPP_RULE ? by_rule[symbol & ~WPP_RULE] : of_terminal(w, symbol);
}

static struct effect append(struct effect all, struct effect next)
{
    int64_t lowest = all.net + next.lowest;

    if (next.first == NOTHING)
        return all;
    if (lowest <= all.lowest)
        all.entered = next.entered + (lowest == all.lowest ? all.entered : 0);
    all.lowest = lowest < all.lowest ? lowest : all.lowest;
    all.net += next.net;
    all.first = all.first == NOTHING ? next.first : all.first;
    all.last = next.last;
    return all;
}

static struct effect of_rule(const wpp *w, const struct wpp_grammar *g, const struct effect *by_rule,
                             uint32_t rule)
{
    struct effect all = nothing;

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++)
        all = append(all, effect_of(w, by_rule, g->symbols[i]));
    return all;
}

/* How many activations it is, one after another; 0: it is anything else. */
static uint64_t calls_of(const struct effect *e)
{
    return e->first != NOTHING && e->net == 0 && e->lowest == 1 ? e->entered : 0;
}

/* The block at which a path begins behind a cut edge; 0: at its routine's entry, or none. */
static uint32_t begin_of(const wpp *w, const struct wpp_terminal *t)
{
    const struct wpp_edge *e;

    if (t->routine == WPP_NO_ROUTINE || t->n_edges == 0)
        return 0;
    e = &wpp_routine(w, t->routine)->edges[t->edges[0]];
    return e->kind == WPP_EDGE_START ? e->dst : 0;
}

/* The block at which its activation goes on behind a path, after a back edge or a call; 0: none, or it is not
 * known. */
static uint32_t next_of(const wpp *w, const struct wpp_terminal *t)
{
    const struct wpp_edge *e;

    if (t->routine == WPP_NO_ROUTINE || t->n_edges == 0)
        return 0;
    e = &wpp_routine(w, t->routine)->edges[t->edges[t->n_edges - 1]];
    return e->kind >= WPP_EDGE_END_BACK && e->to != UINT32_MAX ? e->to : 0;
}

/* Whether control went round: what follows begins where this began. */
static bool is_loop(const wpp *w, const struct effect *e)
{
    const struct wpp_terminal *first, *last;

    if (e->first == NOTHING || e->net != 0 || e->lowest != 0 || e->entered > 0)
        return false;
    first = wpp_terminal(w, e->first);
    last = wpp_terminal(w, e->last);
    return first->routine == last->routine && begin_of(w, first) != 0
        && begin_of(w, first) == next_of(w, last);
}

static void name_node(const wpp *w, const struct effect *e, struct picture_node *node)
{
    node->calls = calls_of(e);
    node->kind = node->calls > 0 ? PICTURE_CALLS : is_loop(w, e) ? PICTURE_LOOP : PICTURE_PART;
    node->of = node->kind == PICTURE_PART ? WPP_NO_ROUTINE : wpp_terminal(w, e->first)->routine;
}

bool rule_kinds_find(const wpp *w, struct picture *p)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint32_t n = g->n_rules + g->n_threads;
    struct effect *by_rule = calloc(n + (size_t)1, sizeof *by_rule);

    for (uint32_t r = 0; by_rule && r < n; r++)
        by_rule[r] = of_rule(w, g, by_rule, r);
    for (uint32_t i = 0; by_rule && i < p->n_nodes; i++) {
        struct effect e = effect_of(w, by_rule, p->node[i].symbol);

        name_node(w, &e, &p->node[i]);
    }
    free(by_rule);
    return by_rule != NULL;
}
