/* SPDX-License-Identifier: MIT */
/* suspect-when.c - suspects_when(). */
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/runs/suspects.h"

#define NEVER 2.0f             /* a share is at most 1 */

struct dating {
    struct suspects *s;
    float *now, *sum;          /* by predicate: in the run at hand; over all failing runs, later their mean */
    uint32_t *n;               /* by predicate: in how many of these */
    uint32_t *dated, n_dated;  /* predicates that have a date in the run at hand */
};

static void date(struct dating *d, uint32_t predicate, float at)
{
    if (d->now[predicate] == NEVER)
        d->dated[d->n_dated++] = predicate;
    if (at < d->now[predicate])
        d->now[predicate] = at;
}

static void date_path(struct dating *d, const struct known_path *path, float at)
{
    date(d, path->predicate, at);
    date(d, d->s->v.routine[path->routine].predicate, at);
    for (uint32_t i = 0; i < path->implied.n; i++)
        date(d, path->implied.predicate[i], at);
}

/* Spans are by thread, then last: the last one of a thread says how long that is. */
static void date_run(struct dating *d)
{
    const struct run_vector *v = &d->s->at_hand;

    for (uint32_t i = 0, end; i < v->n_spans; i = end) {
        for (end = i; end < v->n_spans && v->span[end].thread == v->span[i].thread; end++)
            ;
        for (uint32_t k = i; k < end; k++)
            date_path(d, &d->s->v.path[v->span[k].path], (float)v->span[k].first / ((float)v->span[end - 1].last + 1));
    }
    for (uint32_t i = 0; i < d->n_dated; i++) {
        d->sum[d->dated[i]] += d->now[d->dated[i]];
        d->n[d->dated[i]]++;
        d->now[d->dated[i]] = NEVER;
    }
    d->n_dated = 0;
}

static float later(float a, float b)
{
    return a > b ? a : b;
}

static float date_of_parts(const struct dating *d, const struct predicate *p)
{
    const struct known_routine *r = d->s->v.routine;
    const float *mean = d->sum;

    switch (p->kind) {
    case PREDICATE_PAIR: case PREDICATE_BEFORE: return later(mean[p->x], mean[p->y]);
    case PREDICATE_TRIPLE:  return later(later(mean[p->x], mean[p->y]), mean[p->z]);
    case PREDICATE_LOOP: case PREDICATE_EXACTLY: case PREDICATE_DEPTH: return mean[r[p->x].predicate];
    case PREDICATE_CALLER:  return later(mean[r[p->x].predicate], mean[r[p->y].predicate]);
    case PREDICATE_CALLERS:
        return later(mean[r[p->x].predicate], later(mean[r[p->y].predicate], mean[r[p->z].predicate]));
    default: return 1;         /* a line that a killed program passed last, or of no failing run */
    }
}

/* What paths imply has a date of its own, whatever else consists of these. */
static void find_means(struct dating *d)
{
    const struct vocabulary *v = &d->s->v;

    for (uint32_t p = 0; p < v->n; p++)
        d->sum[p] = d->n[p] > 0 ? d->sum[p] / (float)d->n[p] : 1;
    for (uint32_t p = 0; p < v->n; p++)
        if (d->n[p] == 0)
            d->sum[p] = date_of_parts(d, &v->predicate[p]);
}

static bool date_runs(struct dating *d, struct wpp_error *error)
{
    struct suspects *s = d->s;

    for (uint32_t p = 0; p < s->v.n; p++)
        d->now[p] = NEVER;
    for (uint32_t r = 0; r < s->n_runs; r++) {
        if (!s->run[r].fails)
            continue;
        if (!run_vectors_read(&s->vectors, r, &s->at_hand, error))
            return false;
        date_run(d);
    }
    find_means(d);
    return true;
}

bool suspects_when(struct suspects *s, struct wpp_error *error)
{
    size_t n = s->v.n + (size_t)1;
    struct dating d = {.s = s, .now = malloc(n * sizeof *d.now), .sum = calloc(n, sizeof *d.sum),
                       .n = calloc(n, sizeof *d.n), .dated = malloc(n * sizeof *d.dated)};
    bool done = (d.now && d.sum && d.n && d.dated) || wpp_fail_memory(error);

    done = done && date_runs(&d, error);
    free(d.now);
    free(d.n);
    free(d.dated);
    free(s->when);
    s->when = d.sum;
    return done;
}
