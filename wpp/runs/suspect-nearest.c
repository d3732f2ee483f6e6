/* SPDX-License-Identifier: MIT */
/* suspect-nearest.c - suspects_nearest(). */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/runs/suspects.h"

#define NONE UINT32_MAX

/* The paths of a failing run that some suspect has, and the passing run that is nearest to it. */
struct target {
    uint32_t run, pass;
    double common;
    uint32_t *path, n;         /* predicates, ascending */
};

struct search {
    struct suspects *s;
    const uint32_t *predicate;
    struct suspect_pair *pair; /* by predicate */
    size_t n;
    struct target *target;
    uint32_t n_targets;
    uint32_t *target_of;       /* by run, or NONE */
    uint32_t *path;            /* of the run at hand */
};

static bool find_failing(struct search *x, struct wpp_error *error)
{
    for (uint32_t r = 0; r < x->s->n_runs; r++) {
        if (!x->s->run[r].fails)
            continue;
        if (!suspects_read(x->s, r, error))
            return false;
        for (size_t i = 0; i < x->n; i++)
            if ((x->pair[i].fail == NONE || x->s->run[r].events < x->s->run[x->pair[i].fail].events) &&
                suspects_is_true(x->s, x->predicate[i]))
                x->pair[i].fail = r;
    }
    return true;
}

/* Of the run at hand; returns how many there are. */
static uint32_t take_paths(const struct suspects *s, uint32_t *path)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->at_hand.n_facts; i++)
        if (s->v.predicate[s->at_hand.fact[i]].kind == PREDICATE_PATH)
            path[n++] = s->at_hand.fact[i];
    return n;
}

static bool add_target(struct search *x, uint32_t run, struct wpp_error *error)
{
    struct target *t = &x->target[x->n_targets];

    if (!suspects_read(x->s, run, error))
        return false;
    *t = (struct target){.run = run, .pass = NONE, .common = -1};
    t->path = malloc((x->s->at_hand.n_facts + (size_t)1) * sizeof *t->path);
    if (!t->path)
        return wpp_fail_memory(error);
    t->n = take_paths(x->s, t->path);
    x->target_of[run] = x->n_targets++;
    return true;
}

static bool find_targets(struct search *x, struct wpp_error *error)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->pair[i].fail != NONE && x->target_of[x->pair[i].fail] == NONE &&
            !add_target(x, x->pair[i].fail, error))
            return false;
    return true;
}

/* |a and b| / |a or b| */
static double likeness(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
    uint32_t i = 0, k = 0, both = 0;

    while (i < n && k < m) {
        if (a[i] == b[k]) {
            both++;
            i++;
            k++;
        } else if (a[i] < b[k]) {
            i++;
        } else {
            k++;
        }
    }
    return n + m > 0 ? (double)both / (n + (double)m - both) : 1;
}

static bool find_passing(struct search *x, struct wpp_error *error)
{
    for (uint32_t r = 0; r < x->s->n_runs && x->n_targets > 0; r++) {
        uint32_t n;

        if (x->s->run[r].fails)
            continue;
        if (!suspects_read(x->s, r, error))
            return false;
        n = take_paths(x->s, x->path);
        for (uint32_t k = 0; k < x->n_targets; k++) {
            struct target *t = &x->target[k];
            double now = likeness(t->path, t->n, x->path, n);

            if (now > t->common) {
                t->common = now;
                t->pass = r;
            }
        }
    }
    return true;
}

static void take_pairs(struct search *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct target *t;

        if (x->pair[i].fail == NONE)
            continue;
        t = &x->target[x->target_of[x->pair[i].fail]];
        x->pair[i].pass = t->pass;
        x->pair[i].common = t->common;
    }
}

bool suspects_nearest(struct suspects *s, const uint32_t *predicate, size_t n, struct suspect_pair *out,
                      struct wpp_error *error)
{
    struct search x = {.s = s, .predicate = predicate, .pair = out, .n = n};
    bool done;

    for (size_t i = 0; i < n; i++)
        out[i] = (struct suspect_pair){NONE, NONE, -1};
    x.target = malloc((s->n_fail + (size_t)1) * sizeof *x.target);
    x.target_of = malloc((s->n_runs + (size_t)1) * sizeof *x.target_of);
    x.path = malloc((s->v.n_paths + (size_t)1) * sizeof *x.path);
    done = (x.target && x.target_of && x.path) || wpp_fail_memory(error);
    if (done) {
        memset(x.target_of, 0xFF, (s->n_runs + (size_t)1) * sizeof *x.target_of);
        done = find_failing(&x, error) && find_targets(&x, error) && find_passing(&x, error);
    }
    if (done)
        take_pairs(&x);
    for (uint32_t k = 0; k < x.n_targets; k++)
        free(x.target[k].path);
    free(x.target);
    free(x.target_of);
    free(x.path);
    return done;
}
