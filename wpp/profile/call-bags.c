/* SPDX-License-Identifier: MIT */
#include "wpp/profile/call-bags.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Bags ---------------------------------------------------------------------------------- */

bool call_bag_put(struct call_bag *b, struct call_share share)
{
    if (b->n == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 16;
        struct call_share *at = realloc(b->at, capacity * sizeof *at);

        if (!at)
            return false;
        b->at = at;
        b->capacity = capacity;
    }
    b->at[b->n++] = share;
    return true;
}

double call_bag_cost(const struct call_bag *b)
{
    double cost = 0;

    for (size_t i = 0; i < b->n; i++)
        cost += b->at[i].cost;
    return cost;
}

static int by_routine(const void *a, const void *b)
{
    const struct call_share *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* Sorts the bag and joins shares of the same piece. */
static void arrange(struct call_bag *b)
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

static int dearest_first(const void *a, const void *b)
{
    const struct call_group *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->routine < y->routine ? -1 : x->routine > y->routine;
}

struct call_group *call_bag_groups(struct call_bag *b, size_t *n)
{
    struct call_group *group = malloc((b->n + 1) * sizeof *group);

    arrange(b);
    *n = 0;
    for (size_t i = 0; group && i < b->n; i++) {
        if (i == 0 || b->at[i].routine != b->at[i - 1].routine)
            group[(*n)++] = (struct call_group){i, i, b->at[i].routine, 0};
        assert(*n > 0 && group[*n - 1].routine == b->at[i].routine);
        group[*n - 1].end = i + 1;
        group[*n - 1].cost += b->at[i].cost;
    }
    if (group && *n > 0)
        qsort(group, *n, sizeof *group, dearest_first);
    return group;
}

/* ---- Walks --------------------------------------------------------------------------------- */

bool call_walk_begin(struct call_walk *w, const struct run_costs *costs)
{
    *w = (struct call_walk){.costs = costs};
    w->times = calloc(costs->tree->n_pieces + (size_t)1, sizeof *w->times);
    return descending_begin(&w->order, costs->tree->n_pieces) && w->times;
}

void call_walk_end(struct call_walk *w)
{
    descending_end(&w->order);
    free(w->times);
    *w = (struct call_walk){0};
}

void call_walk_put(struct call_walk *w, uint32_t piece, double times)
{
    assert(piece < w->costs->tree->n_pieces);
    if (w->costs->call_first[piece] == w->costs->call_first[piece + 1])
        return;
    w->times[piece] += times;
    descending_put(&w->order, piece);
}

void call_walk_put_roots(struct call_walk *w)
{
    const struct call_tree *t = w->costs->tree;

    for (uint32_t k = 0; k < t->n_threads; k++)
        if (w->costs->counted[k])
            call_walk_put(w, t->root[k], 1);
}

bool call_walk(struct call_walk *w, const bool *chosen, struct call_bag *calls)
{
    const struct run_costs *c = w->costs;
    bool ok = true;
    uint32_t p;

    while (descending_take(&w->order, &p)) {
        double times = w->times[p];

        assert(times > 0);                   /* call_walk_put() was called before */
        w->times[p] = 0;
        w->visited += c->call_first[p + 1] - c->call_first[p];
        for (uint64_t i = c->call_first[p]; ok && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i], number = item & CALL_TREE_NUMBER;
            const struct activation *a = &c->tree->activation[number];

            if (item & CALL_TREE_CALL && chosen && !chosen[a->routine])
                call_walk_put(w, a->piece, times);
            else if (item & CALL_TREE_CALL)
                ok = call_bag_put(calls, (struct call_share){a->routine, a->piece, times, a->unseen ? 0 : times,
                                                             times * c->piece[a->piece]});
            else
                call_walk_put(w, number, times);
        }
    }
    return ok;
}
