/* SPDX-License-Identifier: MIT */
#include "wpp/read/as-content.h"

#include <assert.h>

#include "wpp/read/reader.h"

/* Routines that were left out stand by module: each module's are a part of the list. */
static bool take_modules(const wpp *w, struct wpp_arena *arena, struct wpp_content *out)
{
    struct wpp_module_content *modules = wpp_arena_alloc(arena, w->n_modules, sizeof *modules);

    if (!modules)
        return false;
    for (uint32_t i = 0; i < w->n_modules; i++) {
        modules[i] = w->modules[i];
        modules[i].left_out = w->left_out;
    }
    for (uint32_t i = 0; i < w->n_left_out; i++) {
        struct wpp_module_content *m = &modules[w->left_out_module[i]];

        if (m->n_left_out == 0)
            m->left_out = &w->left_out[i];
        m->n_left_out++;
    }
    out->modules = modules;
    out->n_modules = w->n_modules;
    return true;
}

static bool take_routines(const wpp *w, struct wpp_arena *arena, struct wpp_content *out)
{
    struct wpp_routine_content *routines = wpp_arena_alloc(arena, w->n_routines, sizeof *routines);

    if (!routines)
        return false;
    for (uint32_t i = 0; i < w->n_routines; i++)
        routines[i] = (struct wpp_routine_content){w->unit_of[i], w->bases[i], &w->routines[i]};
    out->routines = routines;
    out->n_routines = w->n_routines;
    return true;
}

static bool take_terminals(const wpp *w, struct wpp_arena *arena, struct wpp_content *out)
{
    uint32_t n = w->n_terminals;
    struct wpp_terminal_content *terminals = wpp_arena_alloc(arena, n, sizeof *terminals);

    if (!terminals)
        return false;
    for (uint32_t i = 0; i < n; i++)
        terminals[i] = (struct wpp_terminal_content){w->terminals[i].token, w->terminals[i].routine,
                                                     w->terminals[i].ticks, w->terminals[i].left};
    out->terminals = terminals;
    out->n_terminals = n;
    return true;
}

bool wpp_as_content(const wpp *w, struct wpp_arena *arena, struct wpp_content *out)
{
    assert(!(wpp_missing(w) & (WPP_PART_MODULES | WPP_PART_ROUTINES | WPP_PART_TERMINALS)));
    *out = (struct wpp_content){
        .run = w->summary, .n_units = w->n_units, .units = w->units,
        .n_sources = w->summary.n_sources, .sources = w->sources,
        .n_unread_modules = w->summary.n_unread_modules, .unread_modules = w->unread_modules,
    };
    return take_modules(w, arena, out) && take_routines(w, arena, out)
        && take_terminals(w, arena, out);
}
