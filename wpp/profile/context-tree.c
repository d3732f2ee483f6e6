/* SPDX-License-Identifier: MIT */
/* context-tree.c - the tree is opened level by level; then questions collect nodes that have equal chains of calls. */
#include "wpp/profile/context-tree.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/profile/call-bags.h"

/* ---- Making it ------------------------------------------------------------------------------ */

/* Items that are visited for each item of the call tree, and for small trees. */
enum { VISITS = 8, VISITS_LEAST = 1 << 16 };

struct context_opening {
    const struct run_costs *costs;
    uint32_t most;
    struct call_walk walk;
    uint32_t capacity;             /* of t->node and bag */
    struct call_bag *bag;          /* by node: its activations, until it is opened */
    uint32_t next;                 /* the first node that was not looked at */
};

static bool grow(struct context_tree *t)
{
    struct context_opening *o = t->opening;
    uint32_t capacity = o->capacity ? 2 * o->capacity : 64;
    struct context_node *node = realloc(t->node, capacity * sizeof *node);
    struct call_bag *bag = realloc(o->bag, capacity * sizeof *bag);

    t->node = node ? node : t->node;
    o->bag = bag ? bag : o->bag;
    o->capacity = node && bag ? capacity : o->capacity;
    return node && bag;
}

static bool makes_calls(const struct run_costs *c, uint32_t piece)
{
    return c->call_first[piece] < c->call_first[piece + 1];
}

/* Of what makes no calls nothing needs to be opened. */
static bool add_node(struct context_tree *t, uint32_t parent, const struct call_share *share, size_t n)
{
    struct context_node *node;
    struct call_bag *bag;

    if (t->n == t->opening->capacity && !grow(t))
        return false;
    node = &t->node[t->n];
    bag = &t->opening->bag[t->n++];
    *node = (struct context_node){.routine = share->routine, .parent = parent};
    *bag = (struct call_bag){0};
    for (size_t i = 0; i < n; i++) {
        node->calls += share[i].calls;
        node->inclusive += share[i].cost;
        if (makes_calls(t->opening->costs, share[i].piece) && !call_bag_put(bag, share[i]))
            return false;
    }
    node->open = bag->n == 0;
    return true;
}

/* Adds a node for each routine that is called by what was put. */
static bool add_children(struct context_tree *t, uint32_t parent)
{
    struct call_bag calls = {0};
    struct call_group *group = NULL;
    size_t n = 0;
    bool ok = call_walk(&t->opening->walk, NULL, &calls) && (group = call_bag_groups(&calls, &n));

    for (size_t i = 0; ok && i < n; i++)
        ok = add_node(t, parent, &calls.at[group[i].first], group[i].end - group[i].first);
    free(group);
    free(calls.at);
    return ok;
}

static bool open_node(struct context_tree *t, uint32_t number)
{
    struct call_bag *own = &t->opening->bag[number];
    uint32_t first = t->n;
    bool ok;

    for (size_t i = 0; i < own->n; i++)
        call_walk_put(&t->opening->walk, own->at[i].piece, own->at[i].times);
    free(own->at);
    *own = (struct call_bag){0};
    ok = add_children(t, number);
    t->node[number].first = first;
    t->node[number].n = t->n - first;
    t->node[number].open = true;
    return ok;
}

/* Marks the routines that are called below nodes that were not opened. */
static bool find_left(struct context_tree *t)
{
    const struct context_opening *o = t->opening;
    const struct run_costs *c = o->costs;
    bool *reached = calloc(c->tree->n_pieces + (size_t)1, sizeof *reached);

    for (uint32_t k = 0; reached && k < t->n; k++)
        for (size_t i = 0; i < o->bag[k].n; i++)
            reached[o->bag[k].at[i].piece] = true;
    for (uint32_t p = c->tree->n_pieces; reached && p-- > 1;)
        for (uint64_t i = c->call_first[p]; reached[p] && i < c->call_first[p + 1]; i++) {
            uint32_t item = c->call_item[i], number = item & CALL_TREE_NUMBER;

            if (item & CALL_TREE_CALL)
                t->left[c->tree->activation[number].routine] = true;
            reached[item & CALL_TREE_CALL ? c->tree->activation[number].piece : number] = true;
        }
    free(reached);
    return reached;
}

static void end_opening(struct context_tree *t)
{
    struct context_opening *o = t->opening;

    for (uint32_t i = 0; o && i < t->n; i++)
        free(o->bag[i].at);
    if (o) {
        free(o->bag);
        call_walk_end(&o->walk);
    }
    free(o);
    t->opening = NULL;
}

bool context_tree_new(struct context_tree *out, const struct run_costs *costs, uint32_t most)
{
    struct context_opening *o = malloc(sizeof *o);
    struct wpp_summary run;
    bool ok;

    wpp_get_summary(costs->w, &run);
    *out = (struct context_tree){.n_routines = run.n_routines, .opening = o};
    out->left = calloc(run.n_routines + (size_t)1, sizeof *out->left);
    if (o)
        *o = (struct context_opening){.costs = costs, .most = most};
    ok = o && call_walk_begin(&o->walk, costs) && out->left;
    if (ok)
        call_walk_put_roots(&o->walk);
    ok = ok && add_children(out, CONTEXT_NO_PARENT);
    out->n_roots = out->n;
    if (!ok)
        context_tree_free(out);
    return ok;
}

static bool opens_more(const struct context_tree *t)
{
    const struct context_opening *o = t->opening;
    uint64_t items = o->costs->call_first[o->costs->tree->n_pieces];

    return o->next < t->n && t->n < o->most && o->walk.visited < VISITS_LEAST + VISITS * items;
}

/* Level by level, because new nodes are put behind all others. */
bool context_tree_open(struct context_tree *t, uint64_t items)
{
    struct context_opening *o = t->opening;
    uint64_t from = o->walk.visited;
    bool ok = true;

    for (; ok && opens_more(t) && o->walk.visited - from < items; o->next++)
        ok = t->node[o->next].open || open_node(t, o->next);
    if (ok && !opens_more(t)) {
        ok = find_left(t);
        end_opening(t);
    }
    if (!ok)
        context_tree_free(t);
    assert(context_tree_check(t));
    return ok;
}

void context_tree_free(struct context_tree *t)
{
    end_opening(t);
    free(t->node);
    free(t->left);
    *t = (struct context_tree){0};
}

/* [first, end) are children of `parent`; `seen`: by routine, the last parent that has one of it. */
static bool right_children(const struct context_tree *t, uint32_t parent, uint32_t first, uint32_t end, uint32_t *seen)
{
    double sum = 0;

    for (uint32_t i = first; i < end; i++) {
        const struct context_node *x = &t->node[i];

        if (x->parent != parent || x->routine >= t->n_routines || seen[x->routine] == parent + 2
            || (i > first && x[-1].inclusive < x->inclusive))
            return false;
        seen[x->routine] = parent + 2;
        sum += x->inclusive;
    }
    return parent == CONTEXT_NO_PARENT || sum <= t->node[parent].inclusive * (1 + 1e-9) + 1e-6;
}

bool context_tree_check(const struct context_tree *t)
{
    uint32_t *seen = calloc(t->n_routines + (size_t)1, sizeof *seen);
    bool right = seen && right_children(t, CONTEXT_NO_PARENT, 0, t->n_roots, seen);

    for (uint32_t i = 0; right && i < t->n; i++) {
        const struct context_node *x = &t->node[i];

        right = x->n == 0 || (x->open && x->first > i && x->n <= t->n - x->first
                              && right_children(t, i, x->first, x->first + x->n, seen));
    }
    free(seen);
    return right;
}

/* ---- Reading it ----------------------------------------------------------------------------- */

/* Bags are of nodes here: the number of a node stands for the piece of a share. */
struct reading {
    const struct context_tree *t;
    struct context_limits limits;
    double least;                  /* least inclusive cost of a node */
    struct call_contexts *out;
    bool left;                     /* a node was wanted that is not open */
};

/* The outermost nodes of chosen routines; `chosen` NULL: the roots. */
static bool find_roots(struct reading *r, const bool *chosen, struct call_bag *roots)
{
    const struct context_tree *t = r->t;
    uint32_t n = chosen ? t->n : t->n_roots;
    bool *within = calloc(n + (size_t)1, sizeof *within), ok = within;

    for (uint32_t i = 0; ok && i < n; i++) {
        const struct context_node *x = &t->node[i];

        if (chosen && x->parent != CONTEXT_NO_PARENT)
            within[i] = within[x->parent] || chosen[t->node[x->parent].routine];
        if (!chosen || (chosen[x->routine] && !within[i]))
            ok = call_bag_put(roots, (struct call_share){x->routine, i, 0, x->calls, x->inclusive});
    }
    for (uint32_t i = 0; chosen && i < t->n_routines; i++)
        r->left |= chosen[i] && t->left[i];
    free(within);
    r->out->total = call_bag_cost(roots);
    r->least = r->limits.share * r->out->total;
    return ok;
}

static struct call_context sum_of(const struct call_share *share, size_t n, uint32_t depth)
{
    struct call_context sum = {.routine = share->routine, .depth = depth};

    for (size_t i = 0; i < n; i++) {
        sum.calls += share[i].calls;
        sum.inclusive += share[i].cost;
    }
    return sum;
}

static bool children_of(struct reading *r, const struct call_share *share, size_t n, struct call_bag *children)
{
    bool ok = true;

    for (size_t i = 0; i < n; i++) {
        const struct context_node *x = &r->t->node[share[i].piece];

        r->left |= !x->open;
        for (uint32_t k = x->first; ok && k < x->first + x->n; k++) {
            const struct context_node *child = &r->t->node[k];

            ok = call_bag_put(children, (struct call_share){child->routine, k, 0, child->calls, child->inclusive});
        }
    }
    return ok;
}

/* Threads begin where there is no caller. */
static bool callers_of(struct reading *r, const struct call_share *share, size_t n, struct call_bag *callers)
{
    const struct context_node *node = r->t->node;
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++) {
        uint32_t parent = node[share[i].piece].parent;

        if (share[i].cost > 0 && parent == CONTEXT_NO_PARENT)
            ok = call_bag_put(callers, (struct call_share){CONTEXT_NOBODY, 0, 0, share[i].calls, share[i].cost});
        else if (share[i].cost > 0)
            ok = call_bag_put(callers, (struct call_share){node[parent].routine, parent, 0, share[i].calls,
                                                           share[i].cost});
    }
    return ok;
}

static bool read_below(struct reading *r, struct call_bag *bag, uint32_t depth, uint32_t *hidden);

static bool read_node(struct reading *r, const struct call_share *share, size_t n, uint32_t depth)
{
    struct call_context node = sum_of(share, n, depth);
    struct call_bag children = {0};
    size_t number = r->out->n;
    uint32_t hidden = 0;
    bool ok = children_of(r, share, n, &children);

    node.self = node.inclusive - call_bag_cost(&children);
    ok = ok && contexts_add(r->out, node) && read_below(r, &children, depth + 1, &hidden);
    if (ok)
        r->out->node[number].hidden = hidden;
    free(children.at);
    return ok;
}

static bool read_below(struct reading *r, struct call_bag *bag, uint32_t depth, uint32_t *hidden)
{
    size_t n;
    struct call_group *group = call_bag_groups(bag, &n);
    bool ok = group;

    for (size_t i = 0; ok && !r->left && i < n; i++) {
        if (depth >= r->limits.depth || group[i].cost < r->least)
            ++*hidden;
        else
            ok = read_node(r, &bag->at[group[i].first], group[i].end - group[i].first, depth);
    }
    free(group);
    return ok;
}

static bool read_above(struct reading *r, const struct call_share *share, size_t n, uint32_t depth);

/* The callers of what was reached, each with its own. */
static bool read_callers(struct reading *r, const struct call_share *share, size_t n, uint32_t depth, uint32_t *hidden)
{
    struct call_bag callers = {0};
    struct call_group *group = NULL;
    size_t n_groups = 0;
    bool ok;

    if (depth >= r->limits.depth) {
        *hidden = 1;
        return true;
    }
    ok = callers_of(r, share, n, &callers) && (group = call_bag_groups(&callers, &n_groups));
    for (size_t i = 0; ok && i < n_groups; i++) {
        if (group[i].cost < r->least)
            ++*hidden;
        else
            ok = read_above(r, &callers.at[group[i].first], group[i].end - group[i].first, depth);
    }
    free(group);
    free(callers.at);
    return ok;
}

static bool read_above(struct reading *r, const struct call_share *share, size_t n, uint32_t depth)
{
    size_t number = r->out->n;
    uint32_t hidden = 0;
    bool ok = contexts_add(r->out, sum_of(share, n, depth));

    if (ok && share->routine != CONTEXT_NOBODY)
        ok = read_callers(r, share, n, depth + 1, &hidden);
    if (ok)
        r->out->node[number].hidden = hidden;
    return ok;
}

static bool read_roots_above(struct reading *r, struct call_bag *roots)
{
    size_t n;
    struct call_group *group = call_bag_groups(roots, &n);
    bool ok = group;

    for (size_t i = 0; ok && i < n; i++)
        if (group[i].cost >= r->least)
            ok = read_above(r, &roots->at[group[i].first], group[i].end - group[i].first, 0);
    free(group);
    return ok;
}

static enum contexts_status end_reading(const struct reading *r, bool ok)
{
    if (!ok || r->left)
        contexts_free(r->out);
    return !ok ? CONTEXTS_NO_MEMORY : r->left ? CONTEXTS_LEFT : CONTEXTS_DONE;
}

enum contexts_status context_tree_below(struct call_contexts *out, const struct context_tree *t, const bool *chosen,
                                        struct context_limits limits)
{
    struct reading r = {.t = t, .limits = limits, .out = out};
    struct call_bag roots = {0};
    uint32_t hidden = 0;
    bool ok;

    *out = (struct call_contexts){0};
    ok = find_roots(&r, chosen, &roots) && (r.left || read_below(&r, &roots, 0, &hidden));
    free(roots.at);
    return end_reading(&r, ok);
}

enum contexts_status context_tree_above(struct call_contexts *out, const struct context_tree *t, const bool *chosen,
                                        struct context_limits limits)
{
    struct reading r = {.t = t, .limits = limits, .out = out};
    struct call_bag roots = {0};
    bool ok;

    *out = (struct call_contexts){0};
    ok = find_roots(&r, chosen, &roots) && (r.left || read_roots_above(&r, &roots));
    free(roots.at);
    return end_reading(&r, ok);
}
