/* SPDX-License-Identifier: MIT */
/* call-contexts.c - a node is a bag of pieces of the call tree, each with a count. */
#include "wpp/profile/call-contexts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/call-bags.h"

struct search {
    const struct run_costs *c;
    const struct call_tree *tree;
    const bool *chosen;
    struct context_limits limits;
    double least;              /* least inclusive cost of a node: the limit's share of the roots'
                                  cost */
    struct call_contexts *out;
    struct call_walk walk;
    double *cost, *calls;      /* by piece, only above: the results of spread_up() */
};

bool contexts_add(struct call_contexts *out, struct call_context node)
{
    if (out->n == out->capacity) {
        size_t capacity = out->capacity ? 2 * out->capacity : 64;
        struct call_context *at = realloc(out->node, capacity * sizeof *at);

        if (!at)
            return false;
        out->node = at;
        out->capacity = capacity;
    }
    out->node[out->n++] = node;
    return true;
}

/* ---- Below ------------------------------------------------------------------------------- */

static bool add_below(struct search *s, struct call_bag *bag, uint32_t depth, uint32_t *hidden);

/* Adds a node for some activations of one routine, and nodes for their calls. */
static bool add_group(struct search *s, const struct call_share *share, size_t n, uint32_t depth)
{
    assert(n > 0 && depth < s->limits.depth);
    struct call_context node = {.routine = share[0].routine, .depth = depth};
    struct call_bag calls = {0};
    size_t number = s->out->n;
    uint32_t hidden = 0;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        call_walk_put(&s->walk, share[i].piece, share[i].times);
        node.calls += share[i].calls;
        node.inclusive += share[i].cost;
    }
    ok = call_walk(&s->walk, NULL, &calls);
    node.self = node.inclusive - call_bag_cost(&calls);
    ok = ok && contexts_add(s->out, node) && add_below(s, &calls, depth + 1, &hidden);
    if (ok)
        s->out->node[number].hidden = hidden;
    free(calls.at);
    return ok;
}

static bool add_below(struct search *s, struct call_bag *bag, uint32_t depth, uint32_t *hidden)
{
    size_t n;
    struct call_group *group = call_bag_groups(bag, &n);
    bool ok = group;

    for (size_t i = 0; ok && i < n; i++) {
        if (depth >= s->limits.depth || group[i].cost < s->least)
            ++*hidden;
        else
            ok = add_group(s, &bag->at[group[i].first], group[i].end - group[i].first, depth);
    }
    free(group);
    return ok;
}

/* Finds the roots of the tree: the outermost activations, or those of chosen routines. */
static bool find_roots(struct search *s, struct call_bag *roots)
{
    bool ok;

    call_walk_put_roots(&s->walk);
    ok = call_walk(&s->walk, s->chosen, roots);
    s->out->total = call_bag_cost(roots);
    s->least = s->limits.share * s->out->total;
    return ok;
}

static bool begin(struct search *s, struct call_contexts *out, const struct run_costs *c,
                  const bool *chosen, struct context_limits limits)
{
    *out = (struct call_contexts){0};
    *s = (struct search){.c = c, .tree = c->tree, .chosen = chosen, .limits = limits, .out = out};
    return call_walk_begin(&s->walk, c);
}

static bool end(struct search *s, bool ok)
{
    call_walk_end(&s->walk);
    free(s->cost);
    free(s->calls);
    if (!ok)
        contexts_free(s->out);
    return ok;
}

bool contexts_below(struct call_contexts *out, const struct run_costs *c, const bool *chosen,
                    struct context_limits limits)
{
    struct search s;
    struct call_bag roots = {0};
    uint32_t hidden = 0;
    bool ok = begin(&s, out, c, chosen, limits) && find_roots(&s, &roots)
           && add_below(&s, &roots, 0, &hidden);

    free(roots.at);
    return end(&s, ok);
}

/* ---- Above ------------------------------------------------------------------------------- */

/* Sets s->cost and s->calls of each piece to the sums over the calls of routine `from` in it,
 * without calls inside such calls.  A call adds `cost` and `calls` of the callee's piece; with
 * `roots`, it adds the callee's cost, and 1. */
static void spread_up(struct search *s, const double *cost, const double *calls, uint32_t from,
                      bool roots)
{
    const struct call_tree *t = s->tree;
    const struct run_costs *c = s->c;

    for (uint32_t p = 1; p < t->n_pieces; p++) {
        s->cost[p] = s->calls[p] = 0;
        assert(c->call_first[p] <= c->call_first[p + 1]);
        for (uint64_t i = c->call_first[p]; i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i], number = item & CALL_TREE_NUMBER;
            const struct activation *a = &t->activation[number];

            if (item & CALL_TREE_CALL) {
                if (a->routine != from || s->chosen[a->routine] != roots)
                    continue;
                s->cost[p] += roots ? s->c->piece[a->piece] : cost[a->piece];
                s->calls[p] += roots ? !a->unseen : calls[a->piece];
            } else {
                s->cost[p] += s->cost[number];
                s->calls[p] += s->calls[number];
            }
        }
    }
}

/* Finds the activations that ran the pieces of the walk up, except activations within a chosen
 * one. */
static bool find_callers(struct search *s, const double *outermost, struct call_bag *callers)
{
    const struct call_tree *t = s->tree;
    const struct run_costs *c = s->c;
    bool ok = true;

    for (uint32_t p = 1; p < t->n_pieces; p++)
        for (uint64_t i = c->call_first[p]; outermost[p] > 0 && ok && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i];
            const struct activation *a = &t->activation[item & CALL_TREE_NUMBER];

            if (item & CALL_TREE_CALL && !s->chosen[a->routine] && s->cost[a->piece] > 0)
                ok = call_bag_put(callers, (struct call_share){a->routine, a->piece, 0,
                                                 outermost[p] * s->calls[a->piece],
                                                 outermost[p] * s->cost[a->piece]});
        }
    for (uint32_t k = 0; ok && k < t->n_threads; k++)
        if (s->c->counted[k] && s->cost[t->root[k]] > 0)
            ok = call_bag_put(callers, (struct call_share){CONTEXT_NOBODY, t->root[k], 0, s->calls[t->root[k]],
                                             s->cost[t->root[k]]});
    return ok;
}

/* How often each piece occurs in the run outside of chosen activations. */
static double *outermost_times(struct search *s)
{
    const struct call_tree *t = s->tree;
    const struct run_costs *c = s->c;
    double *times = calloc(t->n_pieces + (size_t)1, sizeof *times);

    for (uint32_t k = 0; times && k < t->n_threads; k++)
        if (s->c->counted[k])
            times[t->root[k]] += 1;
    for (uint32_t p = t->n_pieces; times && p-- > 1;)
        for (uint64_t i = c->call_first[p]; times[p] > 0 && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i], number = item & CALL_TREE_NUMBER;
            const struct activation *a = &t->activation[number];

            if (item & CALL_TREE_CALL && !s->chosen[a->routine])
                times[a->piece] += times[p];
            else if (!(item & CALL_TREE_CALL))
                times[number] += times[p];
        }
    return times;
}

static bool add_above(struct search *s, const double *cost, const double *calls, uint32_t from,
                      const double *outermost, uint32_t depth, uint32_t *hidden);

/* Adds a node above, and nodes for its callers; the walk up has found the costs by piece. */
static bool add_caller(struct search *s, const struct call_share *share, size_t n, const double *outermost,
                       uint32_t depth)
{
    assert(n > 0 && depth > 0 && depth < s->limits.depth);
    struct call_context node = {.routine = share[0].routine, .depth = depth};
    size_t number = s->out->n, bytes = (s->tree->n_pieces + (size_t)1) * sizeof(double);
    double *cost = NULL, *calls = NULL;
    uint32_t hidden = 0;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        node.calls += share[i].calls;
        node.inclusive += share[i].cost;
    }
    ok = contexts_add(s->out, node);
    if (ok && node.routine != CONTEXT_NOBODY) {
        cost = malloc(bytes);
        calls = malloc(bytes);
        ok = cost && calls;
        if (ok) {
            memcpy(cost, s->cost, bytes);
            memcpy(calls, s->calls, bytes);
            ok = add_above(s, cost, calls, node.routine, outermost, depth + 1, &hidden);
            memcpy(s->cost, cost, bytes);
            memcpy(s->calls, calls, bytes);
        }
    }
    if (ok)
        s->out->node[number].hidden = hidden;
    free(cost);
    free(calls);
    return ok;
}

static bool add_above(struct search *s, const double *cost, const double *calls, uint32_t from,
                      const double *outermost, uint32_t depth, uint32_t *hidden)
{
    struct call_bag callers = {0};
    struct call_group *group = NULL;
    size_t n = 0;
    bool ok;

    if (depth >= s->limits.depth) {
        *hidden = 1;
        return true;
    }
    assert(depth == 1 || (cost && calls));   /* the cost of a root is that of its pieces */
    spread_up(s, cost, calls, from, depth == 1);
    ok = find_callers(s, outermost, &callers) && (group = call_bag_groups(&callers, &n));
    for (size_t i = 0; ok && i < n; i++) {
        if (group[i].cost < s->least)
            ++*hidden;
        else
            ok = add_caller(s, &callers.at[group[i].first], group[i].end - group[i].first, outermost,
                            depth);
    }
    free(group);
    free(callers.at);
    return ok;
}

static bool add_chosen(struct search *s, const struct call_share *share, size_t n, const double *outermost)
{
    struct call_context node = {.routine = share[0].routine};
    size_t number = s->out->n;
    uint32_t hidden = 0;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        node.calls += share[i].calls;
        node.inclusive += share[i].cost;
    }
    ok = contexts_add(s->out, node)
      && add_above(s, NULL, NULL, node.routine, outermost, 1, &hidden);
    if (ok)
        s->out->node[number].hidden = hidden;
    return ok;
}

bool contexts_above(struct call_contexts *out, const struct run_costs *c, const bool *chosen,
                    struct context_limits limits)
{
    struct search s;
    struct call_bag roots = {0};
    struct call_group *group = NULL;
    double *outermost = NULL;
    size_t n = 0, pieces = c->tree->n_pieces + (size_t)1;
    bool ok = begin(&s, out, c, chosen, limits) && find_roots(&s, &roots);

    if (ok) {
        s.cost = calloc(pieces, sizeof *s.cost);
        s.calls = calloc(pieces, sizeof *s.calls);
        outermost = outermost_times(&s);
        group = call_bag_groups(&roots, &n);
        ok = s.cost && s.calls && outermost && group;
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = group[i].cost < s.least
          || add_chosen(&s, &roots.at[group[i].first], group[i].end - group[i].first, outermost);
    free(outermost);
    free(group);
    free(roots.at);
    return end(&s, ok);
}

void contexts_free(struct call_contexts *c)
{
    free(c->node);
    *c = (struct call_contexts){0};
}
