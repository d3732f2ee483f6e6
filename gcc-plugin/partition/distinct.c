/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.c - equal routines become one. */
#include "gcc-plugin/partition/distinct.h"

#include <stdlib.h>
#include <string.h>

struct keyed {
    const struct p3_routine *routine;
    uint64_t hash;
};

int compare_keys(const char *file, const char *name, uint64_t hash,
                 const char *other_file, const char *other_name, uint64_t other_hash)
{
    int order = strcmp(file, other_file);

    if (order == 0)
        order = strcmp(name, other_name);
    return order ? order : (hash > other_hash) - (hash < other_hash);
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    return compare_keys(x->routine->file, x->routine->name, x->hash,
                        y->routine->file, y->routine->name, y->hash);
}

/* Adds a routine that is equal to number i. */
static bool add_to(struct distinct *d, uint32_t i, const struct p3_routine *r)
{
    struct p3_routine *to = &d->routine[i];
    uint32_t n = to->graph->n_dag;

    if (to->callers == PN_NONE || r->callers == PN_NONE || to->callers > PN_NONE - 1 - r->callers)
        to->callers = PN_NONE;
    else
        to->callers += r->callers;
    if (!r->count || !to->count)
        return true;
    if (!d->sum[i]) {
        d->sum[i] = malloc(n * sizeof *d->sum[i]);
        if (!d->sum[i])
            return false;
        memcpy(d->sum[i], to->count, n * sizeof *d->sum[i]);
        to->count = d->sum[i];
    }
    for (uint32_t e = 0; e < n; e++)
        d->sum[i][e] += r->count[e];
    return true;
}

static bool add_all(struct distinct *d, const struct keyed *keyed, uint32_t n, bool counted)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && by_key(&keyed[i - 1], &keyed[i]) == 0) {
            if (!add_to(d, d->n - 1, keyed[i].routine))
                return false;
            continue;
        }
        d->routine[d->n] = *keyed[i].routine;
        if (!counted)
            d->routine[d->n].count = NULL;
        d->hash[d->n++] = keyed[i].hash;
    }
    return true;
}

bool distinct_new(struct distinct *out, const struct p3_routine *routine, uint32_t n, bool counted)
{
    struct keyed *keyed = calloc(n + (size_t)1, sizeof *keyed);
    bool ok;

    *out = (struct distinct){
        .routine = calloc(n + (size_t)1, sizeof *out->routine),
        .hash = calloc(n + (size_t)1, sizeof *out->hash),
        .sum = calloc(n + (size_t)1, sizeof *out->sum)
    };
    ok = keyed && out->routine && out->hash && out->sum;
    if (ok) {
        for (uint32_t i = 0; i < n; i++)
            keyed[i] = (struct keyed){&routine[i], p3_hash(routine[i].graph)};
        qsort(keyed, n, sizeof *keyed, by_key);
        ok = add_all(out, keyed, n, counted);
    }
    free(keyed);
    if (!ok)
        distinct_free(out);
    return ok;
}

void distinct_free(struct distinct *d)
{
    for (uint32_t i = 0; d->sum && i < d->n; i++)
        free(d->sum[i]);
    free(d->routine);
    free(d->hash);
    free(d->sum);
    *d = (struct distinct){0};
}
