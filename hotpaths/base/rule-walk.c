/* SPDX-License-Identifier: MIT */
/* rule-walk.c - walks from a place in a rule; see rule-walk.h. */
#include "hotpaths/base/rule-walk.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"

/* The head or tail to use for `rule`, whose symbol at that end is `symbol`. */
static uint32_t shortcut(const struct rule_walks *o, const uint32_t *of, uint32_t rule,
                         uint32_t symbol)
{
    uint32_t below = symbol & ~WPP_RULE;

    assert(!(symbol & WPP_RULE) || below < rule);
    if (!(symbol & WPP_RULE) || o->g->length[below] < o->reach)
        return rule;
    return of[below];
}

int rule_walks_init(struct rule_walks *o, const struct wpp_grammar *g, uint64_t reach)
{
    *o = (struct rule_walks){ .g = g, .reach = reach };
    o->head = scattered_array((size_t)g->n_rules + 1, sizeof *o->head);
    o->tail = scattered_array((size_t)g->n_rules + 1, sizeof *o->tail);
    if (!o->head || !o->tail)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; rule < g->n_rules; rule++) {
        uint64_t begin = g->body[rule], end = g->body[rule + 1];

        o->head[rule] = begin < end ? shortcut(o, o->head, rule, g->symbols[begin]) : rule;
        o->tail[rule] = begin < end ? shortcut(o, o->tail, rule, g->symbols[end - 1]) : rule;
    }
    return HOT_OK;
}

void rule_walks_clear(struct rule_walks *o)
{
    free(o->head);
    free(o->tail);
    *o = (struct rule_walks){ 0 };
}

void rule_walk_clear(struct rule_walk *w)
{
    free(w->parts);
    *w = (struct rule_walk){ 0 };
}

int rule_walk_open(struct rule_walk *w, uint64_t at, uint64_t end)
{
    assert(at <= end);
    if (at == end)
        return HOT_OK;
    if (GROW(w->parts, w->size, w->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    w->parts[w->n++] = (struct rule_walk_part){ at, end };
    return HOT_OK;
}

int rule_walk_begin(struct rule_walk *w, uint64_t at, uint64_t end)
{
    w->n = 0;
    return rule_walk_open(w, at, end);
}

/* Prefetches the head (tail) of a symbol that comes soon. */
static inline void fetch_end(const struct rule_walks *o, const uint32_t *of, uint32_t symbol)
{
    if (!(symbol & WPP_RULE))
        return;
    __builtin_prefetch(&o->g->body[symbol & ~WPP_RULE]);
    __builtin_prefetch(&of[symbol & ~WPP_RULE]);
}

/* Finished parts are closed before the next symbol is entered: so only parts with a rest are
 * open. */
uint32_t rule_walk_right_symbol(struct rule_walk *w)
{
    struct rule_walk_part *p;
    uint32_t symbol;

    if (w->n == 0)
        return RULE_WALK_END;
    p = &w->parts[w->n - 1];
    assert(p->at < p->end);      /* finished parts are closed */
    symbol = w->o->g->symbols[p->at++];
    if (p->at == p->end)
        w->n--;
    else
        fetch_end(w->o, w->o->head, w->o->g->symbols[p->at]);
    return symbol;
}

uint32_t rule_walk_left_symbol(struct rule_walk *w)
{
    struct rule_walk_part *p;
    uint32_t symbol;

    if (w->n == 0)
        return RULE_WALK_END;
    p = &w->parts[w->n - 1];
    assert(p->at < p->end);
    symbol = w->o->g->symbols[--p->end];
    if (p->at == p->end)
        w->n--;
    else
        fetch_end(w->o, w->o->tail, w->o->g->symbols[p->end - 1]);
    return symbol;
}

int rule_walk_right_enter(struct rule_walk *w, uint32_t rule)
{
    const struct wpp_grammar *g = w->o->g;

    assert(rule < g->n_rules);
    rule = w->o->head[rule];
    return rule_walk_open(w, g->body[rule], g->body[rule + 1]);
}

int rule_walk_left_enter(struct rule_walk *w, uint32_t rule)
{
    const struct wpp_grammar *g = w->o->g;

    assert(rule < g->n_rules);
    rule = w->o->tail[rule];
    return rule_walk_open(w, g->body[rule], g->body[rule + 1]);
}

uint32_t rule_walk_right(struct rule_walk *w)
{
    uint32_t symbol;

    while ((symbol = rule_walk_right_symbol(w)) != RULE_WALK_END && (symbol & WPP_RULE))
        if (rule_walk_right_enter(w, symbol & ~WPP_RULE) != HOT_OK)
            return RULE_WALK_NO_MEMORY;
    return symbol;
}

uint32_t rule_walk_left(struct rule_walk *w)
{
    uint32_t symbol;

    while ((symbol = rule_walk_left_symbol(w)) != RULE_WALK_END && (symbol & WPP_RULE))
        if (rule_walk_left_enter(w, symbol & ~WPP_RULE) != HOT_OK)
            return RULE_WALK_NO_MEMORY;
    return symbol;
}
