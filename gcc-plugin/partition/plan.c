/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - questions to a plan, and its invariants. */
#include "gcc-plugin/partition/plan.h"

#include "gcc-plugin/partition/distinct.h"

#include <stdlib.h>
#include <string.h>

void p3_plan_free(struct p3_plan *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n; i++) {
        struct p3_entry *e = &p->entry[i];

        for (uint32_t c = 0; e->set && c < p->copies; c++)
            free(e->set[c]);
        free(e->set);
        free(e->file);
        free(e->name);
    }
    free(p->entry);
    free(p);
}

const struct p3_entry *p3_find(const struct p3_plan *p, const char *file, const char *name,
                               uint64_t hash)
{
    uint32_t begin = 0, end = p->n;

    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const struct p3_entry *e = &p->entry[middle];
        int order = compare_keys(file, name, hash, e->file, e->name, e->hash);

        if (order == 0)
            return e;
        if (order < 0)
            end = middle;
        else
            begin = middle + 1;
    }
    return NULL;
}

/* The copies whose sets hold the edge. */
static uint64_t copies_with(const struct p3_plan *p, const struct p3_entry *e, uint32_t edge)
{
    uint64_t copies = 0;

    for (uint32_t c = 0; c < p->copies; c++)
        if (e->set[c] && p3_has(e->set[c], edge))
            copies |= UINT64_C(1) << c;
    return copies;
}

/* Those that count the routine. */
static uint64_t copies_of(const struct p3_plan *p, const struct p3_entry *e)
{
    uint64_t copies = 0;

    for (uint32_t c = 0; c < p->copies; c++)
        if (e->set[c])
            copies |= UINT64_C(1) << c;
    return copies;
}

uint64_t p3_holders(const struct p3_plan *p, const struct p3_entry *e, const uint32_t *edges,
                    uint32_t n)
{
    uint64_t holders = copies_of(p, e);

    for (uint32_t i = 0; i < n; i++)
        holders &= copies_with(p, e, edges[i]);
    return holders;
}

/* Whether edges of the set lead from the vertex to EXIT.  order: p3_order(); ends: room by vertex. */
static bool goes_on(const struct pn_graph *g, const uint64_t *set, const uint32_t *order, uint32_t n,
                    bool *ends, uint32_t vertex)
{
    memset(ends, 0, g->n_vertices * sizeof *ends);
    ends[g->exit] = true;
    while (n-- > 0)
        for (uint32_t v = order[n], i = g->first[v]; i < g->first[v + 1]; i++)
            ends[v] |= p3_has(set, i) && ends[g->dag[i].dst];
    return ends[vertex];
}

uint64_t p3_holders_of_prefix(const struct p3_plan *p, const struct p3_entry *e,
                              const struct pn_graph *g, const uint32_t *edges, uint32_t n)
{
    uint64_t holders = p3_holders(p, e, edges, n);
    uint32_t vertex = n > 0 ? g->dag[edges[n - 1]].dst : g->entry;
    uint32_t *order = calloc(g->n_vertices, sizeof *order);
    bool *ends = calloc(g->n_vertices, sizeof *ends);
    uint32_t n_order = order && ends ? p3_order(g, order) : 0;

    for (uint32_t c = 0; c < p->copies; c++)
        if (holders >> c & 1
            && (n_order == 0 || !goes_on(g, e->set[c], order, n_order, ends, vertex)))
            holders &= ~(UINT64_C(1) << c);
    free(order);
    free(ends);
    return holders;
}

/* ---- Loads ------------------------------------------------------------------------------- */

/* A routine that is not in the plan. */
static bool add_unknown(const struct p3_routine *r, const struct p3_prices *prices, uint64_t *load)
{
    uint64_t *all = p3_full_set(r->graph->n_dag), cost = 0;
    bool ok = all && p3_probes(r, all, prices, NULL, &cost);

    load[0] += cost;
    free(all);
    return ok;
}

static bool add_loads(const struct p3_plan *p, const struct p3_entry *e, const struct p3_routine *r,
                      const struct p3_prices *prices, uint64_t *load)
{
    if (!e)
        return add_unknown(r, prices, load);
    for (uint32_t c = 0; c < p->copies; c++) {
        uint64_t cost = 0;

        if (e->set[c] && !p3_probes(r, e->set[c], prices, NULL, &cost))
            return false;
        load[c] += cost;
    }
    return true;
}

bool p3_loads(const struct p3_plan *p, const struct p3_routine *routine, uint32_t n,
              const struct p3_prices *prices, uint64_t *load)
{
    struct distinct d;
    bool ok = distinct_new(&d, routine, n, true);

    memset(load, 0, p->copies * sizeof *load);
    for (uint32_t i = 0; ok && i < d.n; i++)
        ok = add_loads(p, p3_find(p, d.routine[i].file, d.routine[i].name, d.hash[i]),
                       &d.routine[i], prices, load);
    distinct_free(&d);
    return ok;
}

/* ---- Cover and owner --------------------------------------------------------------------- */

/* Prefixes of paths, from ENTRY to a vertex, by the copies in which they are interesting.  If a
 * prefix is interesting in no copy, no copy counts the paths that begin with it. */
struct prefixes {
    uint64_t copies, n;
};

struct front {
    struct prefixes *list;
    uint32_t n, cap;
};

static bool add_prefixes(struct front *f, struct prefixes p)
{
    if (f->n == f->cap) {
        uint32_t cap = f->cap ? 2 * f->cap : 4;
        struct prefixes *more = realloc(f->list, cap * sizeof *more);

        if (!more)
            return false;
        f->list = more;
        f->cap = cap;
    }
    f->list[f->n++] = p;
    return true;
}

static int by_copies(const void *a, const void *b)
{
    const struct prefixes *x = a, *y = b;

    return (x->copies > y->copies) - (x->copies < y->copies);
}

static void join_equal(struct front *f)
{
    uint32_t n = 0;

    qsort(f->list, f->n, sizeof *f->list, by_copies);
    for (uint32_t i = 0; i < f->n; i++) {
        if (n > 0 && f->list[n - 1].copies == f->list[i].copies)
            f->list[n - 1].n += f->list[i].n;
        else
            f->list[n++] = f->list[i];
    }
    f->n = n;
}

/* Takes the prefixes at v over its edges.  False with *why. */
static bool advance(const struct p3_plan *p, const struct p3_entry *e, const struct pn_graph *g,
                    struct front *front, uint32_t v, const char **why)
{
    join_equal(&front[v]);
    for (uint32_t edge = g->first[v]; edge < g->first[v + 1]; edge++) {
        uint64_t copies = copies_with(p, e, edge);

        for (uint32_t i = 0; i < front[v].n; i++) {
            struct prefixes to = front[v].list[i];

            to.copies &= copies;
            if (to.copies == 0) {
                *why = "a path is interesting in no copy";
                return false;
            }
            if (!add_prefixes(&front[g->dag[edge].dst], to)) {
                *why = "out of memory";
                return false;
            }
        }
    }
    free(front[v].list);
    front[v] = (struct front){0};
    return true;
}

bool p3_check_routine(const struct p3_plan *p, const struct p3_entry *e, const struct pn_graph *g,
                      const char **why)
{
    struct front *front = calloc(g->n_vertices, sizeof *front);
    uint32_t *order = calloc(g->n_vertices, sizeof *order), n;
    uint64_t paths = 0;
    bool ok;

    *why = "out of memory";
    ok = front && order && (n = p3_order(g, order)) > 0
      && add_prefixes(&front[g->entry], (struct prefixes){copies_of(p, e), 1});
    if (ok && (e->n_edges != g->n_dag || e->hash != p3_hash(g))) {
        *why = "the plan is of another DAG";
        ok = false;
    }
    for (uint32_t i = 0; ok && i < n; i++)
        if (order[i] != g->exit)
            ok = advance(p, e, g, front, order[i], why);
    for (uint32_t i = 0; ok && i < front[g->exit].n; i++)
        paths += front[g->exit].list[i].n;
    if (ok && paths != g->num_paths) {
        *why = "the owners' paths are not all paths";
        ok = false;
    }
    for (uint32_t v = 0; front && v < g->n_vertices; v++)
        free(front[v].list);
    free(front);
    free(order);
    return ok;
}

/* ---- All ----------------------------------------------------------------------------------- */

static bool is_whole_everywhere(const struct p3_plan *p, const struct p3_entry *e)
{
    for (uint32_t c = 0; c < p->copies; c++)
        if (!e->set[c] || !p3_is_all(e->set[c], e->n_edges))
            return false;
    return true;
}

static const char *check_entries(const struct p3_plan *p)
{
    uint32_t compared = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        const struct p3_entry *e = &p->entry[i], *last = i > 0 ? e - 1 : NULL;

        if (last && compare_keys(last->file, last->name, last->hash, e->file, e->name,
                                 e->hash) >= 0)
            return "routines are not in ascending order";
        if (e->compared && !is_whole_everywhere(p, e))
            return "the compared routine is not whole in each copy";
        compared += e->compared;
    }
    return compared > 1 ? "more than one routine is compared" : NULL;
}

static const char *check_loads(const struct p3_plan *p, const struct distinct *d,
                               const struct p3_prices *prices)
{
    uint64_t load[P3_MAX_COPIES];

    if (!p3_loads(p, d->routine, d->n, prices, load))
        return "out of memory";
    return memcmp(load, p->load, p->copies * sizeof *load) == 0 ? NULL : "a load is wrong";
}

static const char *check_all(const struct p3_plan *p, const struct distinct *d,
                             const struct p3_prices *prices)
{
    const char *why = check_entries(p);

    if (why || p->n != d->n)
        return why ? why : "the plan has other routines";
    for (uint32_t i = 0; i < d->n; i++) {
        const struct p3_routine *r = &d->routine[i];
        const struct p3_entry *e = p3_find(p, r->file, r->name, d->hash[i]);

        if (!e)
            return "the plan does not have a routine";
        if (!p3_check_routine(p, e, r->graph, &why))
            return why;
    }
    return prices ? check_loads(p, d, prices) : NULL;
}

bool p3_check(const struct p3_plan *p, const struct p3_routine *routine, uint32_t n,
              const struct p3_prices *prices, const char **why)
{
    struct distinct d;

    if (!distinct_new(&d, routine, n, p->measured)) {
        *why = "out of memory";
        return false;
    }
    *why = check_all(p, &d, prices);
    distinct_free(&d);
    return *why == NULL;
}
