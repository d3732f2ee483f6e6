/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks.c - splitting a routine's paths by their prefixes in the reduced graph. */
#include "gcc-plugin/partition/tasks.h"

#include "gcc-plugin/partition/reduced-graph.h"

#include <assert.h>
#include <stdlib.h>

/* A prefix and what follows it. */
struct node {
    uint32_t parent;           /* the prefix: its last step is this node and its one group */
    uint32_t vertex;           /* where the prefix ends */
    uint32_t begin, end;       /* groups out of vertex; none at EXIT */
};

struct tree {
    const struct pn_graph *g;
    struct reduced_graph r;
    struct node *node;
    uint32_t n, cap;
    uint32_t *leaf;            /* nodes that are tasks; the others are only parents */
    uint32_t n_leaves, cap_leaves;
};

/* ---- The tree ------------------------------------------------------------------------------ */

/* The array, grown if it is full.  NULL without memory: the old one stays. */
static void *with_room(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    uint32_t more = n ? 2 * n : 64;
    void *grown;

    if (n < *cap)
        return array;
    grown = realloc(array, more * size);
    if (grown)
        *cap = more;
    return grown;
}

/* The node becomes leaf number `leaf`: an old one, or the next. */
static bool add_leaf(struct tree *t, uint32_t leaf, struct node node)
{
    struct node *nodes = with_room(t->node, t->n, &t->cap, sizeof *nodes);
    uint32_t *leaves = with_room(t->leaf, t->n_leaves, &t->cap_leaves, sizeof *leaves);

    t->node = nodes ? nodes : t->node;
    t->leaf = leaves ? leaves : t->leaf;
    if (!nodes || !leaves)
        return false;
    t->leaf[leaf] = t->n;
    t->n_leaves += leaf == t->n_leaves;
    t->node[t->n++] = node;
    return true;
}

/* The leaf's prefix grows by its one group. */
static bool follow(struct tree *t, uint32_t leaf)
{
    const struct node *at = &t->node[t->leaf[leaf]];
    uint32_t to = t->r.group[at->begin].dst;

    assert(at->end - at->begin == 1);
    return add_leaf(t, leaf, (struct node){t->leaf[leaf], to, t->r.first[to], t->r.first[to + 1]});
}

/* Takes the leaf's groups from `middle` on away from it: they are a new leaf, the last one. */
static bool split(struct tree *t, uint32_t leaf, uint32_t middle)
{
    struct node *at = &t->node[t->leaf[leaf]];
    struct node rest = {at->parent, at->vertex, middle, at->end};

    assert(at->begin < middle && middle < at->end);
    at->end = middle;
    return add_leaf(t, t->n_leaves, rest);
}

static bool begin_tree(struct tree *t, const struct pn_graph *g)
{
    *t = (struct tree){.g = g};
    return reduced_graph_new(&t->r, g, NULL)
        && add_leaf(t, 0, (struct node){PN_NONE, t->r.entry, t->r.first[t->r.entry],
                                        t->r.first[t->r.entry + 1]});
}

static void end_tree(struct tree *t)
{
    reduced_graph_free(&t->r);
    free(t->node);
    free(t->leaf);
}

/* ---- From leaves to edges ------------------------------------------------------------------ */

static void put_range(const struct tree *t, uint64_t *set, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        p3_put(set, t->r.edge[i]);
}

static void put_groups(const struct tree *t, uint64_t *set, uint32_t begin, uint32_t end,
                       bool *reached)
{
    for (uint32_t i = begin; i < end; i++) {
        put_range(t, set, t->r.group[i].first, t->r.group[i].first + t->r.group[i].n);
        if (reached)
            reached[t->r.group[i].dst] = true;
    }
}

/* reached: r.n elements, all false. */
static void put_edges(const struct tree *t, const struct node *leaf, uint64_t *set, bool *reached)
{
    put_range(t, set, t->r.inside[leaf->vertex], t->r.inside[leaf->vertex + 1]);
    put_groups(t, set, leaf->begin, leaf->end, reached);
    for (uint32_t v = leaf->vertex + 1; v < t->r.n; v++)
        if (reached[v]) {
            reached[v] = false;
            put_range(t, set, t->r.inside[v], t->r.inside[v + 1]);
            put_groups(t, set, t->r.first[v], t->r.first[v + 1], reached);
        }
    for (uint32_t i = leaf->parent; i != PN_NONE; i = t->node[i].parent) {
        const struct node *at = &t->node[i];

        put_range(t, set, t->r.inside[at->vertex], t->r.inside[at->vertex + 1]);
        put_groups(t, set, at->begin, at->end, NULL);
    }
}

static bool collect(const struct tree *t, struct p3_tasks *out)
{
    bool *reached = calloc(t->r.n, sizeof *reached), ok = reached != NULL;

    out->set = calloc(t->n_leaves, sizeof *out->set);
    ok &= out->set != NULL;
    for (uint32_t i = 0; ok && i < t->n_leaves; i++) {
        uint64_t *set = out->set[i] = p3_new_set(t->g->n_dag);

        ok = set != NULL;
        if (ok) {
            put_edges(t, &t->node[t->leaf[i]], set, reached);
            out->n++;
        }
    }
    free(reached);
    return ok;
}

static bool finish(struct tree *t, bool ok, struct p3_tasks *out)
{
    *out = (struct p3_tasks){0};
    ok = ok && collect(t, out);
    if (!ok)
        p3_tasks_free(out);
    end_tree(t);
    return ok;
}

void p3_tasks_free(struct p3_tasks *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        free(t->set[i]);
    free(t->set);
    *t = (struct p3_tasks){0};
}

/* ---- In topological order ------------------------------------------------------------------ */

static bool is_at(const struct tree *t, uint32_t leaf, uint32_t v)
{
    return t->node[t->leaf[leaf]].vertex == v;
}

/* Splits one group off all n leaves at v that have it as their first.  The paper stops within these
 * when there are enough tasks; what the others lack then would be in no task. */
static bool split_all(struct tree *t, uint32_t v, uint32_t group)
{
    for (uint32_t i = 0, n = t->n_leaves; i < n; i++) {
        const struct node *at = &t->node[t->leaf[i]];

        if (at->vertex != v || at->begin != group)
            continue;
        if ((at->end - group > 1 && !split(t, i, group + 1)) || !follow(t, i))
            return false;
    }
    return true;
}

static bool split_in_order(struct tree *t, uint32_t most)
{
    for (uint32_t v = 0; v < t->r.n; v++) {
        uint32_t n = 0, first = t->r.first[v], end = t->r.first[v + 1];

        for (uint32_t i = 0; i < t->n_leaves; i++)
            n += is_at(t, i, v);
        for (uint32_t group = first; n > 0 && group < end; group++) {
            if (group + 1 < end && (uint64_t)t->n_leaves + n > most)
                return true;
            if (!split_all(t, v, group))
                return false;
        }
    }
    return true;
}

bool p3_tasks_in_order(struct p3_tasks *out, const struct pn_graph *g, uint32_t most)
{
    struct tree t;
    bool ok = begin_tree(&t, g) && split_in_order(&t, most);

    return finish(&t, ok, out);
}

uint32_t p3_task_threshold(const struct pn_graph *g, uint32_t copies)
{
    uint32_t n = g->first[g->entry + 1] - g->first[g->entry];

    return n > copies ? n : copies;
}
