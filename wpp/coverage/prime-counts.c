/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/prime-counts.h"

#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/coverage/block-path-counts.h"

static bool check_inputs(const struct cover_program *p, struct wpp_error *error)
{
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        struct wpp_summary run;

        wpp_get_summary(p->inputs[i].w, &run);
        if (run.is_profile)
            return wpp_fail(error, WPP_E_ARGUMENT, "%s is a path profile: prime paths need the order of "
                            "paths", p->inputs[i].path);
    }
    return true;
}

static bool find_paths(struct prime_counts *out, const struct wpp_routine *graph,
                       struct prime_routine *r, uint32_t limit)
{
    if (!prime_paths_find(graph, limit, &r->paths))
        return false;
    out->n_limited += r->paths.limited;
    r->count = calloc(r->paths.n + (size_t)1, sizeof *r->count);
    return r->count;
}

static bool find_all(struct prime_counts *out, const struct coverage *c, const bool *chosen,
                     uint32_t limit)
{
    bool done;

    out->routine = calloc(c->n_routines + (size_t)1, sizeof *out->routine);
    done = out->routine;
    out->n_routines = done ? c->n_routines : 0;
    for (uint32_t i = 0; done && i < c->n_routines; i++)
        if (!c->routine[i].excluded && (!chosen || chosen[i]))
            done = find_paths(out, c->routine[i].routine, &out->routine[i], limit);
    return done;
}

static bool count(struct prime_counts *out, const struct coverage *c, struct wpp_error *error)
{
    struct block_paths *paths = calloc(c->n_routines + (size_t)1, sizeof *paths);
    bool done;

    for (uint32_t i = 0; paths && i < c->n_routines; i++)
        paths[i] = (struct block_paths){out->routine[i].paths.n, out->routine[i].paths.first,
                                        out->routine[i].paths.block, out->routine[i].count};
    done = paths ? block_paths_count(c, paths, error) : wpp_fail_memory(error);
    free(paths);
    return done;
}

static void sum_up(struct prime_counts *out)
{
    for (uint32_t i = 0; i < out->n_routines; i++) {
        struct prime_routine *r = &out->routine[i];

        for (uint32_t p = 0; p < r->paths.n; p++)
            r->executed += r->count[p] > 0;
        out->executed += r->executed;
        out->all += r->paths.n;
    }
}

bool prime_counts_new(struct prime_counts *out, const struct coverage *c, const bool *chosen,
                      uint32_t limit, struct wpp_error *error)
{
    *out = (struct prime_counts){0};
    if (!check_inputs(c->program, error))
        return false;
    if (!find_all(out, c, chosen, limit)) {
        prime_counts_free(out);
        return wpp_fail_memory(error);
    }
    if (count(out, c, error)) {
        sum_up(out);
        return true;
    }
    prime_counts_free(out);
    return false;
}

void prime_counts_free(struct prime_counts *p)
{
    for (uint32_t i = 0; i < p->n_routines; i++) {
        prime_paths_free(&p->routine[i].paths);
        free(p->routine[i].count);
    }
    free(p->routine);
    *p = (struct prime_counts){0};
}
