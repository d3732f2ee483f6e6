/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/path-origins.h"

#include <stdlib.h>

uint32_t coverage_find_path(const struct coverage *c, uint32_t routine, uint64_t number)
{
    uint32_t low = c->routine[routine].first, high = low + c->routine[routine].n, end = high;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (c->path[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && c->path[low].number == number ? low : UINT32_MAX;
}

static void add_path(const struct coverage *c, uint32_t path, const struct first_event *first,
                     struct path_origin *origin)
{
    const struct cover_path *x = &c->program->path[path];
    const struct wpp_terminal *t = wpp_terminal(c->program->inputs[x->input].w, x->terminal);
    uint32_t routine = c->body_of[x->body];
    uint32_t at = routine == UINT32_MAX || t->left ? UINT32_MAX
                : coverage_find_path(c, routine, t->path);

    if (at != UINT32_MAX && (origin[at].path == UINT32_MAX
                             || (origin[at].first.thread == UINT32_MAX
                                 && first[x->terminal].thread != UINT32_MAX)))
        origin[at] = (struct path_origin){path, first[x->terminal]};
}

/* The program's paths stand input by input. */
struct path_origin *path_origins(const struct coverage *c)
{
    const struct cover_program *p = c->program;
    struct path_origin *origin = calloc(c->n_paths + (size_t)1, sizeof *origin);
    struct first_event *first = NULL;

    for (uint32_t i = 0; origin && i < c->n_paths; i++)
        origin[i] = (struct path_origin){UINT32_MAX, {UINT32_MAX, 0}};
    for (uint32_t i = 0; origin && i < p->n_paths; i++) {
        if (i == 0 || p->path[i].input != p->path[i - 1].input) {
            free(first);
            first = first_events(p->inputs[p->path[i].input].w);
            if (!first) {
                free(origin);
                return NULL;
            }
        }
        add_path(c, i, first, origin);
    }
    free(first);
    return origin;
}
