/* SPDX-License-Identifier: MIT */
#include "wpp/format/profile-order.h"

#include <assert.h>
#include <stdlib.h>

struct counted {
    struct wpp_terminal_content terminal;
    uint32_t module;             /* UINT32_MAX: it has no routine */
    uint64_t count;
};

static int compare(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->terminal.token != b->terminal.token)
        return a->terminal.token < b->terminal.token ? -1 : 1;
    return (a->terminal.left > b->terminal.left) - (a->terminal.left < b->terminal.left);
}

static uint32_t module_of(const struct wpp_content *c, uint32_t routine)
{
    return routine == WPP_NO_ROUTINE ? UINT32_MAX : c->units[c->routines[routine].unit].module;
}

/* Those that were executed, in order; returns how many. */
static uint32_t sort(const struct wpp_content *c, const uint64_t *counts, struct counted *out)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < c->n_terminals; t++)
        if (counts[t] > 0)
            out[n++] = (struct counted){c->terminals[t], module_of(c, c->terminals[t].routine),
                                        counts[t]};
    if (n > 0)
        qsort(out, n, sizeof *out, compare);
    return n;
}

/* Gives routines new numbers, in terminals and in the list. */
static bool number_routines(struct wpp_content *c, struct counted *list, uint32_t n,
                            struct wpp_arena *arena)
{
    struct wpp_routine_content *routines = wpp_arena_alloc(arena, c->n_routines, sizeof *routines);
    uint32_t *number = wpp_arena_alloc(arena, c->n_routines, sizeof *number), met = 0;

    if (!routines || !number)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *routine = &list[i].terminal.routine;

        if (*routine == WPP_NO_ROUTINE)
            continue;
        if (number[*routine] == 0) {
            routines[met] = c->routines[*routine];
            number[*routine] = ++met;
        }
        *routine = number[*routine] - 1;
    }
    assert(met <= c->n_routines);
    c->routines = routines;
    c->n_routines = met;
    return true;
}

bool wpp_profile_order(struct wpp_content *content, const uint64_t *counts,
                       struct wpp_arena *arena)
{
    uint32_t most = content->n_terminals, n;
    struct counted *list = wpp_arena_alloc(arena, most, sizeof *list);
    struct wpp_terminal_content *terminals = wpp_arena_alloc(arena, most, sizeof *terminals);
    uint64_t *ordered = wpp_arena_alloc(arena, most, sizeof *ordered);

    if (!list || !terminals || !ordered)
        return false;
    n = sort(content, counts, list);
    if (!number_routines(content, list, n, arena))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        terminals[i] = list[i].terminal;
        ordered[i] = list[i].count;
    }
    content->terminals = terminals;
    content->n_terminals = n;
    content->counts = ordered;
    return true;
}
