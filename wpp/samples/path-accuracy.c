/* SPDX-License-Identifier: MIT */
#include "wpp/samples/path-accuracy.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b)
{
    const struct path_estimate *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

static int by_count(const void *a, const void *b)
{
    const struct path_estimate *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return by_path(a, b);
}

static double total(const struct path_estimates *e)
{
    double sum = 0;

    for (uint64_t i = 0; i < e->n; i++)
        sum += e->path[i].count;
    return sum;
}

static const struct path_estimate *find_path(const struct path_estimates *e, const struct path_estimate *key)
{
    return e->n == 0 ? NULL : bsearch(key, e->path, e->n, sizeof *key, by_path);
}

/* ---- By routine -------------------------------------------------------------------------------- */

/* An entry for each routine up to the largest that either has. */
static uint32_t routines_of(const struct path_estimates *a, const struct path_estimates *b)
{
    uint32_t n = a->n > 0 ? a->path[a->n - 1].routine + 1 : 0, m = b->n > 0 ? b->path[b->n - 1].routine + 1 : 0;

    return n > m ? n : m;
}

static uint64_t add_flows(struct routine_accuracy *r, const struct path_estimates *estimate,
                          const struct path_estimates *actual, double share)
{
    double sum = total(actual), guessed = total(estimate);
    uint64_t n_hot = 0;

    for (uint64_t i = 0; i < estimate->n; i++)
        r[estimate->path[i].routine].estimated += estimate->path[i].count / guessed;
    for (uint64_t i = 0; i < actual->n; i++) {
        const struct path_estimate *p = &actual->path[i], *q = find_path(estimate, p);
        struct routine_accuracy *of = &r[p->routine];
        double flow = p->count / sum, other = q ? q->count / guessed : 0;

        of->flow += flow;
        of->overlap += flow < other ? flow : other;
        if (p->count >= share * sum) {
            of->n_hot++;
            of->hot_flow += flow;
            n_hot++;
        }
    }
    return n_hot;
}

/* The n_hot most frequent paths of the estimate, as far as they are hot. */
static bool add_found(struct routine_accuracy *r, const struct path_estimates *estimate,
                      const struct path_estimates *actual, double share, uint64_t n_hot)
{
    struct path_estimate *top = malloc((estimate->n + 1) * sizeof *top);
    double sum = total(actual);

    if (!top)
        return false;
    if (estimate->n > 0) {
        memcpy(top, estimate->path, estimate->n * sizeof *top);
        qsort(top, estimate->n, sizeof *top, by_count);
    }
    for (uint64_t i = 0; i < estimate->n && i < n_hot; i++) {
        const struct path_estimate *p = find_path(actual, &top[i]);
        if (p && p->count >= share * sum)
            r[p->routine].found += p->count / sum;
    }
    free(top);
    return true;
}

static struct routine_accuracy *all_routines(const struct path_estimates *estimate, const struct path_estimates *actual,
                                             double share, uint32_t *n)
{
    struct routine_accuracy *r;

    *n = routines_of(estimate, actual);
    r = calloc(*n + (size_t)1, sizeof *r);
    if (!r)
        return NULL;
    for (uint32_t i = 0; i < *n; i++)
        r[i].routine = i;
    if (add_found(r, estimate, actual, share, add_flows(r, estimate, actual, share)))
        return r;
    free(r);
    return NULL;
}

static int by_loss(const void *a, const void *b)
{
    const struct routine_accuracy *x = a, *y = b;
    double lost = x->flow - x->overlap, other = y->flow - y->overlap;

    if (lost != other)
        return lost < other ? 1 : -1;
    return (x->routine > y->routine) - (x->routine < y->routine);
}

bool path_accuracy_by_routine(const struct path_estimates *estimate, const struct path_estimates *actual,
                              double share, struct routine_accuracy **out, uint32_t *n)
{
    uint32_t all, kept = 0;
    struct routine_accuracy *r = all_routines(estimate, actual, share, &all);

    *out = r;
    *n = 0;
    if (!r)
        return false;
    for (uint32_t i = 0; i < all; i++)
        if (r[i].flow > 0 || r[i].estimated > 0)
            r[kept++] = r[i];
    if (kept > 0)
        qsort(r, kept, sizeof *r, by_loss);
    *n = kept;
    return true;
}

/* ---- Of all -------------------------------------------------------------------------------------- */

bool path_accuracy_of(const struct path_estimates *estimate, const struct path_estimates *actual,
                      double share, struct path_accuracy *out)
{
    uint32_t n;
    struct routine_accuracy *r = all_routines(estimate, actual, share, &n);
    double found = 0;

    *out = (struct path_accuracy){.n_paths = actual->n};
    if (!r)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        out->n_hot += r[i].n_hot;
        out->hot_flow += r[i].hot_flow;
        out->overlap += r[i].overlap;
        found += r[i].found;
    }
    out->accuracy = out->hot_flow > 0 ? found / out->hot_flow : 0;
    free(r);
    return true;
}
