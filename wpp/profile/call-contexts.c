/* SPDX-License-Identifier: MIT */
/* call-contexts.c - a node is a bag of pieces of the call tree, each with a count. */
#include "wpp/profile/call-contexts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/descending.h"

/* Some activations of one routine, with the piece that each ran (below), or from which each was
 * called (above). */
struct share {
    uint32_t routine, piece;
    double times, calls, cost;
};

struct bag {
    struct share *at;
    size_t n, capacity;
};

struct search {
    const struct run_costs *c;
    const struct call_tree *tree;
    const bool *chosen;
    struct context_limits limits;
    double least;              /* least inclusive cost of a node: the limit's share of the roots'
                                  cost */
    struct call_contexts *out;
    double *times;             /* by piece; 0 between two walks */
    struct descending order;
    double *cost, *calls;      /* by piece, only above: the results of spread_up() */
};

static bool put(struct bag *b, struct share share)
{
    if (b->n == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 16;
        struct share *at = realloc(b->at, capacity * sizeof *at);

        if (!at)
            return false;
        b->at = at;
        b->capacity = capacity;
    }
    b->at[b->n++] = share;
    return true;
}

static int by_routine(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* Sorts the bag and joins shares of the same piece. */
static void arrange(struct bag *b)
{
    size_t n = 0;

    if (b->n > 0)
        qsort(b->at, b->n, sizeof *b->at, by_routine);
    for (size_t i = 0; i < b->n; i++) {
        if (n > 0 && by_routine(&b->at[n - 1], &b->at[i]) == 0) {
            b->at[n - 1].times += b->at[i].times;
            b->at[n - 1].calls += b->at[i].calls;
            b->at[n - 1].cost += b->at[i].cost;
        } else {
            b->at[n++] = b->at[i];
        }
    }
    b->n = n;
}

static bool add_node(struct call_contexts *out, struct call_context node)
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

/* The shares of one routine in an arranged bag. */
struct group { size_t first, end; uint32_t routine; double cost; };

static int dearest_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->routine < y->routine ? -1 : x->routine > y->routine;
}

/* The bag's routines, most expensive first; NULL: no memory. */
static struct group *groups_of(struct bag *b, size_t *n)
{
    struct group *group = malloc((b->n + 1) * sizeof *group);

    arrange(b);
    *n = 0;
    for (size_t i = 0; group && i < b->n; i++) {
        if (i == 0 || b->at[i].routine != b->at[i - 1].routine)
            group[(*n)++] = (struct group){i, i, b->at[i].routine, 0};
        assert(*n > 0 && group[*n - 1].routine == b->at[i].routine);
        group[*n - 1].end = i + 1;
        group[*n - 1].cost += b->at[i].cost;
    }
    if (group && *n > 0)
        qsort(group, *n, sizeof *group, dearest_first);
    return group;
}

/* ---- Below ------------------------------------------------------------------------------- */

static void put_piece(struct search *s, uint32_t piece, double times)
{
    assert(piece < s->tree->n_pieces);
    if (s->c->call_first[piece] == s->c->call_first[piece + 1])
        return;
    s->times[piece] += times;
    descending_put(&s->order, piece);
}

/* Walks through the pieces put and all pieces in them: puts the calls made there into the bag.  `through`:
 * also walks into calls, except those of chosen routines.  False: no memory. */
static bool walk(struct search *s, bool through, struct bag *calls)
{
    const struct call_tree *t = s->tree;
    const struct run_costs *c = s->c;
    bool ok = true;
    uint32_t p;

    while (descending_take(&s->order, &p)) {
        double times = s->times[p];

        assert(times > 0);                   /* put_piece() was called before */
        s->times[p] = 0;
        for (uint64_t i = c->call_first[p]; ok && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i], number = item & CALL_TREE_NUMBER;
            const struct activation *a = &t->activation[number];

            if (item & CALL_TREE_CALL && through && !s->chosen[a->routine])
                put_piece(s, a->piece, times);
            else if (item & CALL_TREE_CALL)
                ok = put(calls, (struct share){a->routine, a->piece, times, a->unseen ? 0 : times,
                                               times * c->piece[a->piece]});
            else
                put_piece(s, number, times);
        }
    }
    return ok;
}

static double sum_of(const struct bag *b)
{
    double cost = 0;

    for (size_t i = 0; i < b->n; i++)
        cost += b->at[i].cost;
    return cost;
}

static bool add_below(struct search *s, struct bag *bag, uint32_t depth, uint32_t *hidden);

/* Adds a node for some activations of one routine, and nodes for their calls. */
static bool add_group(struct search *s, const struct share *share, size_t n, uint32_t depth)
{
    assert(n > 0 && depth < s->limits.depth);
    struct call_context node = {.routine = share[0].routine, .depth = depth};
    struct bag calls = {0};
    size_t number = s->out->n;
    uint32_t hidden = 0;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        put_piece(s, share[i].piece, share[i].times);
        node.calls += share[i].calls;
        node.inclusive += share[i].cost;
    }
    ok = walk(s, false, &calls);
    node.self = node.inclusive - sum_of(&calls);
    ok = ok && add_node(s->out, node) && add_below(s, &calls, depth + 1, &hidden);
    if (ok)
        s->out->node[number].hidden = hidden;
    free(calls.at);
    return ok;
}

static bool add_below(struct search *s, struct bag *bag, uint32_t depth, uint32_t *hidden)
{
    size_t n;
    struct group *group = groups_of(bag, &n);
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
static bool find_roots(struct search *s, struct bag *roots)
{
    bool ok;

    for (uint32_t k = 0; k < s->tree->n_threads; k++)
        if (s->c->counted[k])
            put_piece(s, s->tree->root[k], 1);
    ok = walk(s, s->chosen != NULL, roots);
    s->out->total = sum_of(roots);
    s->least = s->limits.share * s->out->total;
    return ok;
}

static bool begin(struct search *s, struct call_contexts *out, const struct run_costs *c,
                  const bool *chosen, struct context_limits limits)
{
    *out = (struct call_contexts){0};
    *s = (struct search){.c = c, .tree = c->tree, .chosen = chosen, .limits = limits, .out = out};
    s->times = calloc(c->tree->n_pieces + (size_t)1, sizeof *s->times);
    return descending_begin(&s->order, c->tree->n_pieces) && s->times;
}

static bool end(struct search *s, bool ok)
{
    descending_end(&s->order);
    free(s->times);
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
    struct bag roots = {0};
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
static bool find_callers(struct search *s, const double *outermost, struct bag *callers)
{
    const struct call_tree *t = s->tree;
    const struct run_costs *c = s->c;
    bool ok = true;

    for (uint32_t p = 1; p < t->n_pieces; p++)
        for (uint64_t i = c->call_first[p]; outermost[p] > 0 && ok && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i];
            const struct activation *a = &t->activation[item & CALL_TREE_NUMBER];

            if (item & CALL_TREE_CALL && !s->chosen[a->routine] && s->cost[a->piece] > 0)
                ok = put(callers, (struct share){a->routine, a->piece, 0,
                                                 outermost[p] * s->calls[a->piece],
                                                 outermost[p] * s->cost[a->piece]});
        }
    for (uint32_t k = 0; ok && k < t->n_threads; k++)
        if (s->c->counted[k] && s->cost[t->root[k]] > 0)
            ok = put(callers, (struct share){CONTEXT_NOBODY, t->root[k], 0, s->calls[t->root[k]],
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
static bool add_caller(struct search *s, const struct share *share, size_t n, const double *outermost,
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
    ok = add_node(s->out, node);
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
    struct bag callers = {0};
    struct group *group = NULL;
    size_t n = 0;
    bool ok;

    if (depth >= s->limits.depth) {
        *hidden = 1;
        return true;
    }
    assert(depth == 1 || (cost && calls));   /* the cost of a root is that of its pieces */
    spread_up(s, cost, calls, from, depth == 1);
    ok = find_callers(s, outermost, &callers) && (group = groups_of(&callers, &n));
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

static bool add_chosen(struct search *s, const struct share *share, size_t n, const double *outermost)
{
    struct call_context node = {.routine = share[0].routine};
    size_t number = s->out->n;
    uint32_t hidden = 0;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        node.calls += share[i].calls;
        node.inclusive += share[i].cost;
    }
    ok = add_node(s->out, node)
      && add_above(s, NULL, NULL, node.routine, outermost, 1, &hidden);
    if (ok)
        s->out->node[number].hidden = hidden;
    return ok;
}

bool contexts_above(struct call_contexts *out, const struct run_costs *c, const bool *chosen,
                    struct context_limits limits)
{
    struct search s;
    struct bag roots = {0};
    struct group *group = NULL;
    double *outermost = NULL;
    size_t n = 0, pieces = c->tree->n_pieces + (size_t)1;
    bool ok = begin(&s, out, c, chosen, limits) && find_roots(&s, &roots);

    if (ok) {
        s.cost = calloc(pieces, sizeof *s.cost);
        s.calls = calloc(pieces, sizeof *s.calls);
        outermost = outermost_times(&s);
        group = groups_of(&roots, &n);
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
