/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task-splits.c - tasks by cost.
 *
 * A task is split at one of a few vertices: those where most executions leave on another group than the
 * most frequent one.  The groups, in the order of their counts, are divided where half of the executions
 * are on either side.  Paths that avoid the vertex go to one half or the other: both are tried.
 */
#include "gcc-plugin/partition/tasks.h"

#include "gcc-plugin/partition/reduced-graph.h"

#include <string.h>

enum { CANDIDATES = 8 };

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

static void drop_groups(const struct splitter *s, uint64_t *set, uint32_t begin, uint32_t end)
{
    const struct reduced_graph *r = &s->reduced;

    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = r->group[i].first; k < r->group[i].first + r->group[i].n; k++)
            drop(set, r->edge[k]);
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

/* Groups from `middle` on are B, or A if `swapped`.  All groups of v leave its last vertex in the DAG. */
static bool try_split(struct splitter *s, const uint64_t *set, uint32_t v, uint32_t middle, bool swapped,
                      struct halves *out)
{
    const struct reduced_graph *r = &s->reduced;
    uint32_t first = r->first[v], end = r->first[v + 1];
    uint32_t last = s->g->dag[r->edge[r->group[first].first]].src;

    *out = (struct halves){{.set = copy_of(s, set)}, {.set = copy_of(s, set)}};
    if (!out->a.set || !out->b.set)
        return false;
    drop_groups(s, out->a.set, swapped ? first : middle, swapped ? middle : end);
    drop_groups(s, out->b.set, swapped ? middle : first, swapped ? end : middle);
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
    uint32_t vertex, middle;
    uint64_t executions;       /* on other groups than the most frequent one */
};

static bool is_in(const struct splitter *s, const uint64_t *set, uint32_t group)
{
    const struct reduced_group *g = &s->reduced.group[group];
    bool in = false;

    for (uint32_t i = g->first; i < g->first + g->n; i++)
        in |= p3_has(set, s->reduced.edge[i]);
    return in;
}

/* False: fewer than two groups of v are in the set, or only one is executed. */
static bool look_at(const struct splitter *s, const uint64_t *set, uint32_t v, struct candidate *out)
{
    uint64_t sum = 0, most = 0, half = 0;
    uint32_t n = 0;

    for (uint32_t i = s->reduced.first[v]; i < s->reduced.first[v + 1]; i++)
        if (is_in(s, set, i)) {
            most = n++ == 0 ? s->reduced.group[i].count : most;
            sum += s->reduced.group[i].count;
        }
    if (n < 2 || sum == most)
        return false;
    *out = (struct candidate){.vertex = v, .executions = sum - most};
    for (uint32_t i = s->reduced.first[v]; half < sum - half; i++)
        if (is_in(s, set, i)) {
            half += s->reduced.group[i].count;
            out->middle = i + 1;
        }
    return true;
}

static uint32_t find_candidates(const struct splitter *s, const uint64_t *set, struct candidate *out)
{
    uint32_t n = 0;

    for (uint32_t v = 0; v < s->reduced.n; v++) {
        struct candidate c;
        uint32_t i;

        if (!look_at(s, set, v, &c))
            continue;
        for (i = n < CANDIDATES ? n++ : CANDIDATES; i > 0 && out[i - 1].executions < c.executions; i--)
            if (i < CANDIDATES)
                out[i] = out[i - 1];
        if (i < CANDIDATES)
            out[i] = c;
    }
    return n;
}

/* The best split of a task; without sets if none makes both halves cheaper. */
static bool best_split(struct splitter *s, const struct task *task, struct halves *best)
{
    struct candidate candidate[CANDIDATES];
    uint32_t n = find_candidates(s, task->set, candidate);
    uint64_t least = task->cost;

    *best = (struct halves){0};
    for (uint32_t i = 0; i < 2 * n; i++) {
        struct halves h;

        if (!try_split(s, task->set, candidate[i / 2].vertex, candidate[i / 2].middle, i % 2, &h)) {
            free_halves(&h);
            free_halves(best);
            return false;
        }
        if (dearer(&h) < least) {
            least = dearer(&h);
            free_halves(best);
            *best = h;
        } else {
            free_halves(&h);
        }
    }
    return true;
}

/* ---- Until there are enough ---------------------------------------------------------------------- */

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
    s->task = calloc(most, sizeof *s->task);
    if (!reduced_graph_new(&s->reduced, s->g, s->r->count) || !s->order || !s->before || !s->behind
        || !s->task || (s->n_order = p3_order(s->g, s->order)) == 0)
        return false;
    all = &s->task[s->n++];
    all->set = p3_new_set(s->g->n_dag);
    for (uint32_t e = 0; all->set && e < s->g->n_dag; e++)
        p3_put(all->set, e);
    return all->set && p3_probes(s->r, all->set, s->prices, NULL, &all->cost);
}

bool p3_tasks_by_cost(struct p3_tasks *out, const struct p3_routine *r, const struct p3_prices *prices,
                      uint32_t most)
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
    free(s.task);
    return ok;
}
