/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task-splits.c - tasks by cost.
 *
 * A task is split at one of a few vertices: those where most executions leave on another group than
 * the most frequent one.  The groups are divided in several ways:
 *
 *      DIVIDE_FREQUENT   the most frequent ones, with half of the executions, from the others
 *      DIVIDE_QUARTER    by target, after a quarter of the executions, half or three quarters.
 *      DIVIDE_HALF       START edges into one loop stay together; its iterations end at the same
 *      DIVIDE_LATE       edges
 *
 * Paths that avoid the vertex go with one half or the other.  All this is tried.
 */
#include "gcc-plugin/partition/tasks.h"

#include "gcc-plugin/partition/reduced-graph.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 8 };
enum division { DIVIDE_FREQUENT, DIVIDE_QUARTER, DIVIDE_HALF, DIVIDE_LATE, DIVISIONS };

struct task {
    uint64_t *set, cost;
    bool final;                /* no split helps */
};

struct splitter {
    const struct p3_routine *r;
    const struct p3_prices *prices;
    const struct pn_graph *g;
    struct reduced_graph reduced;
    uint32_t *order, n_order;  /* vertices of the DAG */
    bool *before, *behind;     /* by vertex of the DAG */
    bool *in_b;                /* by group, for those of one vertex: their half */
    struct task *task;
    uint32_t n;
};

/* ---- A split ------------------------------------------------------------------------------- */

/* Which vertices have a way to v within the set, or from it. */
static void look_around(struct splitter *s, const uint64_t *set, uint32_t from, uint32_t to)
{
    const struct pn_graph *g = s->g;

    memset(s->before, 0, g->n_vertices * sizeof *s->before);
    memset(s->behind, 0, g->n_vertices * sizeof *s->behind);
    s->before[to] = s->behind[from] = true;
    for (uint32_t i = s->n_order; i-- > 0;)
        for (uint32_t v = s->order[i], e = g->first[v]; e < g->first[v + 1]; e++)
            s->before[v] |= p3_has(set, e) && s->before[g->dag[e].dst];
    for (uint32_t i = 0; i < s->n_order; i++)
        for (uint32_t v = s->order[i], e = g->first[v]; e < g->first[v + 1]; e++)
            s->behind[g->dag[e].dst] |= p3_has(set, e) && s->behind[v];
}

static void drop(uint64_t *set, uint32_t edge)
{
    set[edge / 64] &= ~(UINT64_C(1) << edge % 64);
}

/* Only edges on paths from ENTRY to EXIT. */
static void prune(struct splitter *s, uint64_t *set)
{
    look_around(s, set, s->g->entry, s->g->exit);
    for (uint32_t e = 0; e < s->g->n_dag; e++)
        if (!s->behind[s->g->dag[e].src] || !s->before[s->g->dag[e].dst])
            drop(set, e);
}

/* Only edges on paths through v. */
static void keep_through(struct splitter *s, uint64_t *set, uint32_t v)
{
    look_around(s, set, v, v);
    for (uint32_t e = 0; e < s->g->n_dag; e++)
        if (!s->behind[s->g->dag[e].src] && !s->before[s->g->dag[e].dst])
            drop(set, e);
    prune(s, set);
}

/* Drops the groups of v that are in B, or those that are not. */
static void drop_half(const struct splitter *s, uint64_t *set, uint32_t v, bool b)
{
    const struct reduced_graph *r = &s->reduced;

    for (uint32_t i = r->first[v]; i < r->first[v + 1]; i++)
        for (uint32_t k = 0; s->in_b[i] == b && k < r->group[i].n; k++)
            drop(set, r->edge[r->group[i].first + k]);
}

struct halves {
    struct task a, b;
};

static void free_halves(struct halves *h)
{
    free(h->a.set);
    free(h->b.set);
    *h = (struct halves){0};
}

static uint64_t *copy_of(const struct splitter *s, const uint64_t *set)
{
    uint64_t *copy = p3_new_set(s->g->n_dag);

    if (copy)
        memcpy(copy, set, p3_words(s->g->n_dag) * sizeof *copy);
    return copy;
}

/* All groups of v leave its last vertex in the DAG. */
static bool try_split(struct splitter *s, const uint64_t *set, uint32_t v, bool swapped,
                      struct halves *out)
{
    const struct reduced_graph *r = &s->reduced;
    uint32_t last = s->g->dag[r->edge[r->group[r->first[v]].first]].src;

    *out = (struct halves){{.set = copy_of(s, set)}, {.set = copy_of(s, set)}};
    if (!out->a.set || !out->b.set)
        return false;
    drop_half(s, out->a.set, v, !swapped);
    drop_half(s, out->b.set, v, swapped);
    prune(s, out->a.set);
    keep_through(s, out->b.set, last);
    return p3_probes(s->r, out->a.set, s->prices, NULL, &out->a.cost)
        && p3_probes(s->r, out->b.set, s->prices, NULL, &out->b.cost);
}

static uint64_t dearer(const struct halves *h)
{
    return h->a.cost > h->b.cost ? h->a.cost : h->b.cost;
}

/* ---- Where ---------------------------------------------------------------------------------- */

struct candidate {
    uint32_t vertex;
    uint32_t groups;           /* in the set */
    uint64_t executions;       /* on these */
    uint64_t others;           /* on others than the most frequent one */
};

static bool is_in(const struct splitter *s, const uint64_t *set, uint32_t group)
{
    const struct reduced_group *g = &s->reduced.group[group];
    bool in = false;

    for (uint32_t i = g->first; i < g->first + g->n; i++)
        in |= p3_has(set, s->reduced.edge[i]);
    return in;
}

static struct candidate look_at(const struct splitter *s, const uint64_t *set, uint32_t v)
{
    struct candidate out = {.vertex = v};
    uint64_t most = 0;

    for (uint32_t i = s->reduced.first[v]; i < s->reduced.first[v + 1]; i++)
        if (is_in(s, set, i)) {
            uint64_t count = s->reduced.group[i].count;

            out.groups++;
            out.executions += count;
            most = count > most ? count : most;
        }
    out.others = out.executions - most;
    return out;
}

static uint32_t find_candidates(const struct splitter *s, const uint64_t *set,
                                struct candidate *out)
{
    uint32_t n = 0;

    for (uint32_t v = 0; v < s->reduced.n; v++) {
        struct candidate c = look_at(s, set, v);
        uint32_t i;

        if (c.others == 0)
            continue;
        for (i = n < CANDIDATES ? n++ : CANDIDATES; i > 0 && out[i - 1].others < c.others; i--)
            if (i < CANDIDATES)
                out[i] = out[i - 1];
        if (i < CANDIDATES)
            out[i] = c;
    }
    return n;
}

/* ---- How ------------------------------------------------------------------------------------- */

/* The most frequent group of v that is in B; PN_NONE: none is executed. */
static uint32_t most_frequent(const struct splitter *s, uint32_t v)
{
    uint32_t best = PN_NONE;

    for (uint32_t i = s->reduced.first[v]; i < s->reduced.first[v + 1]; i++)
        if (s->in_b[i] && s->reduced.group[i].count > 0
            && (best == PN_NONE || s->reduced.group[i].count > s->reduced.group[best].count))
            best = i;
    return best;
}

/* Groups move from B to A until that has so many executions.  Neither half stays without a group:
 * the last one never moves. */
static void divide(struct splitter *s, const uint64_t *set, const struct candidate *c,
                   enum division how)
{
    uint32_t v = c->vertex, first = s->reduced.first[v], end = s->reduced.first[v + 1];
    uint32_t left = c->groups;
    uint64_t enough = c->executions / 4 * (how == DIVIDE_FREQUENT ? 2 : (unsigned)how), sum = 0;

    for (uint32_t i = first; i < end; i++)
        s->in_b[i] = is_in(s, set, i);
    for (uint32_t i = first; left > 1 && (sum < enough || left == c->groups); i++) {
        uint32_t moved = how == DIVIDE_FREQUENT ? most_frequent(s, v) : i;

        if (!s->in_b[moved])
            continue;
        s->in_b[moved] = false;
        sum += s->reduced.group[moved].count;
        left--;
    }
}

/* Keeps the better of two splits, which makes the dearer half cheaper, or else the other one; the
 * other is freed. */
static void keep_better(struct halves *best, struct halves *h)
{
    bool better = !best->a.set || dearer(h) < dearer(best)
               || (dearer(h) == dearer(best)
                   && h->a.cost + h->b.cost < best->a.cost + best->b.cost);

    free_halves(better ? best : h);
    if (better)
        *best = *h;
}

/* The best split of a task; without sets if there is none, or the task is as good as its dearer
 * half. */
static bool best_split(struct splitter *s, const struct task *task, struct halves *best)
{
    struct candidate candidate[CANDIDATES];
    uint32_t n = find_candidates(s, task->set, candidate);

    *best = (struct halves){0};
    for (uint32_t i = 0; i < n * DIVISIONS * 2; i++) {
        const struct candidate *c = &candidate[i / 2 / DIVISIONS];
        enum division how = i / 2 % DIVISIONS;
        struct halves h;

        if (c->groups == 2 && how != DIVIDE_FREQUENT)
            continue;
        divide(s, task->set, c, how);
        if (!try_split(s, task->set, c->vertex, i % 2, &h)) {
            free_halves(&h);
            free_halves(best);
            return false;
        }
        keep_better(best, &h);
    }
    if (best->a.set && dearer(best) > task->cost)
        free_halves(best);
    return true;
}

/* ---- Until there are enough ------------------------------------------------------------------ */

static struct task *dearest(const struct splitter *s)
{
    struct task *best = NULL;

    for (uint32_t i = 0; i < s->n; i++)
        if (!s->task[i].final && s->task[i].cost > 0 && (!best || s->task[i].cost > best->cost))
            best = &s->task[i];
    return best;
}

static bool split_all(struct splitter *s, uint32_t most)
{
    struct task *task;

    while (s->n < most && (task = dearest(s)) != NULL) {
        struct halves h;

        if (!best_split(s, task, &h))
            return false;
        if (!h.a.set) {
            task->final = true;
            continue;
        }
        free(task->set);
        *task = h.a;
        s->task[s->n++] = h.b;
    }
    return true;
}

static bool begin(struct splitter *s, uint32_t most)
{
    size_t n = s->g->n_vertices;
    struct task *all;

    s->order = calloc(n, sizeof *s->order);
    s->before = calloc(n, sizeof *s->before);
    s->behind = calloc(n, sizeof *s->behind);
    s->in_b = calloc(s->g->n_dag, sizeof *s->in_b);
    s->task = calloc(most, sizeof *s->task);
    if (!reduced_graph_new(&s->reduced, s->g, s->r->count) || !s->order || !s->before || !s->behind
        || !s->in_b || !s->task || (s->n_order = p3_order(s->g, s->order)) == 0)
        return false;
    all = &s->task[s->n++];
    all->set = p3_full_set(s->g->n_dag);
    return all->set && p3_probes(s->r, all->set, s->prices, NULL, &all->cost);
}

bool p3_tasks_by_cost(struct p3_tasks *out, const struct p3_routine *r,
                      const struct p3_prices *prices, uint32_t most)
{
    struct splitter s = {.r = r, .prices = prices, .g = r->graph};
    bool ok;

    most = most ? most : 1;
    ok = begin(&s, most) && split_all(&s, most);
    *out = (struct p3_tasks){.set = calloc(most, sizeof *out->set)};
    ok = ok && out->set;
    for (uint32_t i = 0; i < s.n; i++) {
        if (ok)
            out->set[out->n++] = s.task[i].set;
        else
            free(s.task[i].set);
    }
    if (!ok)
        p3_tasks_free(out);
    reduced_graph_free(&s.reduced);
    free(s.order);
    free(s.before);
    free(s.behind);
    free(s.in_b);
    free(s.task);
    return ok;
}
