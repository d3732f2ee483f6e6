/* SPDX-License-Identifier: MIT */
/* reach.c - bounds for the cost of subpaths; see reach.h. */
#include "hotpaths/reach.h"

#include <stdlib.h>

/* Terminals on one side of a border: the one that a subpath begins with, at least. */
static uint64_t side(const struct reach *r)
{
    return r->a->max_length > 1 ? r->a->max_length - 1 : 1;
}

/* A terminal's or a rule's. */
static struct reach_rule of_symbol(const struct reach *r, uint32_t symbol)
{
    uint64_t cost;

    if (symbol & WPP_RULE)
        return r->rule[symbol & ~WPP_RULE];
    cost = r->a->cost[symbol];
    return (struct reach_rule){ .first = cost, .last = cost, .length = 1 };
}

/* ---- One right-hand side ------------------------------------------------------------ */

void reach_begin(struct reach_scan *s, const struct reach *r, uint32_t rule)
{
    uint64_t begin = r->a->g->body[rule];

    *s = (struct reach_scan){ .r = r, .rule = rule, .low = begin, .at = begin, .high = begin,
                              .end = r->a->g->body[rule + 1] };
}

static void extend_after(struct reach_scan *s)
{
    const uint32_t *symbols = s->r->a->g->symbols;

    for (; s->high < s->end && s->n_after < side(s->r); s->high++) {
        struct reach_rule next = of_symbol(s->r, symbols[s->high]);

        if (s->end - s->high > FETCH_AHEAD && (symbols[s->high + FETCH_AHEAD] & WPP_RULE))
            __builtin_prefetch(&s->r->rule[symbols[s->high + FETCH_AHEAD] & ~WPP_RULE]);
        s->after += next.first;
        s->n_after += next.length;
    }
}

static void shorten_before(struct reach_scan *s)
{
    for (; s->low < s->at; s->low++) {
        struct reach_rule first = of_symbol(s->r, s->r->a->g->symbols[s->low]);

        if (s->n_before - first.length < side(s->r))
            return;
        s->before -= first.last;
        s->n_before -= first.length;
    }
}

bool reach_next(struct reach_scan *s)
{
    struct reach_rule passed;

    if (s->at == s->end)
        return false;
    passed = of_symbol(s->r, s->r->a->g->symbols[s->at]);
    if (s->at < s->high) {
        s->after -= passed.first;
        s->n_after -= passed.length;
    } else {
        s->high++;
    }
    s->at++;
    s->before += passed.last;
    s->n_before += passed.length;
    shorten_before(s);
    extend_after(s);
    return true;
}

uint64_t reach_after(const struct reach_scan *s)
{
    uint64_t most = side(s->r) * s->r->a->dearest;
    unsigned __int128 after = s->after;

    if (s->n_after < side(s->r))
        after += s->r->rule[s->rule].context;
    return after < most ? (uint64_t)after : most;
}

uint64_t reach_across(const struct reach_scan *s)
{
    uint64_t most = s->r->a->max_length * s->r->a->dearest;
    unsigned __int128 all = s->before + reach_after(s);

    return all < most ? (uint64_t)all : most;
}

/* ---- All rules -------------------------------------------------------------------------- */

/* Adds a symbol's end, of which no more than *left terminals count. */
static void add_end(const struct reach *r, uint64_t *cost, uint64_t *left, uint64_t length,
                    uint64_t end)
{
    uint64_t most = *left * r->a->dearest;

    *cost += length > *left && end > most ? most : end;
    *left -= length < *left ? length : *left;
}

static void measure(struct reach *r, uint32_t rule)
{
    const struct wpp_grammar *g = r->a->g;
    struct reach_rule *out = &r->rule[rule], part;
    uint64_t left = side(r);

    *out = (struct reach_rule){ .length = g->length[rule] };
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1] && left > 0; i++) {
        part = of_symbol(r, g->symbols[i]);
        add_end(r, &out->first, &left, part.length, part.first);
    }
    left = side(r);
    for (uint64_t i = g->body[rule + 1]; i > g->body[rule] && left > 0; i--) {
        part = of_symbol(r, g->symbols[i - 1]);
        add_end(r, &out->last, &left, part.length, part.last);
    }
}

/* Top-down: a rule's users are all done before it. */
static void find_contexts(struct reach *r)
{
    const struct wpp_grammar *g = r->a->g;
    struct reach_scan scan;

    for (uint32_t rule = rule_count(g); rule-- > 0;) {
        if (!r->a->frequency[rule])
            continue;
        reach_begin(&scan, r, rule);
        while (reach_next(&scan)) {
            uint32_t symbol = g->symbols[scan.at - 1];
            struct reach_rule *used = &r->rule[symbol & ~WPP_RULE];
            uint64_t after;

            if (!(symbol & WPP_RULE))
                continue;
            after = reach_after(&scan);
            used->context = after > used->context ? after : used->context;
        }
    }
}

int reach_init(struct reach *r, const struct analysis *a)
{
    uint32_t n = rule_count(a->g);

    *r = (struct reach){ .a = a };
    r->rule = malloc(((size_t)n + 1) * sizeof *r->rule);
    if (!r->rule)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; rule < n; rule++)
        measure(r, rule);
    find_contexts(r);
    return HOT_OK;
}

void reach_clear(struct reach *r)
{
    free(r->rule);
    *r = (struct reach){ 0 };
}
