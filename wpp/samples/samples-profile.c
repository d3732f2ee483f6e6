/* SPDX-License-Identifier: MIT */
#include "wpp/samples/samples-profile.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/content.h"
#include "wpp/format/profile-order.h"

/* Tokens from here on are control words. */
#define MOST_PATHS UINT64_C(0xF0000000)

struct writing {
    const struct address_map *map;
    struct path_graphs *graphs;
    const struct path_estimates *e;
    double scale;
    struct wpp_arena arena;
    struct wpp_unit_content *unit;
    struct wpp_routine_content *routine;
    struct wpp_terminal_content *terminal;
    uint64_t *count;
    uint32_t n_units, n_routines, n_terminals;
    uint64_t n_paths;
};

/* Units are known by what they are written with. */
static uint32_t unit_of(struct writing *w, const struct map_routine *r)
{
    for (uint32_t i = w->n_units; i-- > 0;)
        if (!strcmp(w->unit[i].source, r->source) && !strcmp(w->unit[i].directory, r->r.directory)
            && !strcmp(w->unit[i].compiler, r->compiler) && w->unit[i].level == r->level)
            return i;
    w->unit[w->n_units] = (struct wpp_unit_content){0, r->compiler, r->source, r->r.directory,
                                                    r->r.stage, r->level};
    return w->n_units++;
}

/* The routine with the graph that its paths are numbered in. */
static bool add_routine(struct writing *w, uint32_t number)
{
    const struct map_routine *from = &w->map->routine[number];
    const struct path_graph *g = path_graphs_of(w->graphs, number);
    struct wpp_routine *r = wpp_arena_alloc(&w->arena, 1, sizeof *r);

    if (!g || !r)
        return false;
    *r = from->r;
    r->edges = g->edge;
    r->n_edges = g->n_edges;
    r->num_paths = g->num_paths;
    r->flags = (r->flags & ~(uint32_t)WPP_ROUTINE_LIMITED) | (g->limited ? WPP_ROUTINE_LIMITED : 0);
    w->routine[w->n_routines++] = (struct wpp_routine_content){unit_of(w, from), (uint32_t)w->n_paths, r};
    w->n_paths += g->num_paths;
    return true;
}

static bool add_paths(struct writing *w, struct wpp_error *error)
{
    uint32_t last = PATH_NONE;

    for (uint64_t i = 0; i < w->e->n; i++) {
        const struct path_estimate *p = &w->e->path[i];
        uint64_t count = (uint64_t)(p->count * w->scale + 0.5);

        if (count == 0)
            continue;
        if (p->routine != last && !add_routine(w, p->routine))
            return wpp_fail_memory(error);
        last = p->routine;
        if (w->n_paths >= MOST_PATHS)
            return wpp_fail(error, WPP_E_ARGUMENT, "the routines have too many paths for a file; try a lower "
                            "--limit");
        w->terminal[w->n_terminals] = (struct wpp_terminal_content){
            .token = w->routine[w->n_routines - 1].base + (uint32_t)p->path, .routine = w->n_routines - 1};
        w->count[w->n_terminals++] = count;
    }
    return true;
}

static bool encode(struct writing *w, const char *program, struct wpp_bytes *out, struct wpp_error *error)
{
    struct wpp_module_content module = {.path = program, .build_id = w->map->build_id,
                                        .build_id_bytes = w->map->build_id_size,
                                        .n_routines = w->map->n_routines};
    struct wpp_source *sources = wpp_arena_alloc(&w->arena, w->map->n_sources, sizeof *sources);
    struct wpp_content content = {
        .run = {.program = program, .command = program, .host = "", .complete = true,
                .profile_kind = WPP_PROFILE_PATHS, .runs = 1},
        .n_modules = 1, .modules = &module, .n_units = w->n_units, .units = w->unit,
        .n_routines = w->n_routines, .routines = w->routine,
        .n_terminals = w->n_terminals, .terminals = w->terminal, .sources = sources
    };

    if (!sources)
        return wpp_fail_memory(error);
    if (w->map->n_sources > 0)
        memcpy(sources, w->map->sources, w->map->n_sources * sizeof *sources);
    content.n_sources = wpp_content_order_sources(sources, w->map->n_sources);
    if (!wpp_profile_order(&content, w->count, &w->arena))
        return wpp_fail_memory(error);
    return wpp_content_encode(&content, out, error);
}

bool samples_profile_encode(const struct address_map *map, const char *program, struct path_graphs *graphs,
                            const struct path_estimates *e, double scale, struct wpp_bytes *out,
                            struct wpp_error *error)
{
    struct writing w = {.map = map, .graphs = graphs, .e = e, .scale = scale};
    bool done;

    w.unit = wpp_arena_alloc(&w.arena, map->n_routines, sizeof *w.unit);
    w.routine = wpp_arena_alloc(&w.arena, map->n_routines, sizeof *w.routine);
    w.terminal = wpp_arena_alloc(&w.arena, e->n, sizeof *w.terminal);
    w.count = wpp_arena_alloc(&w.arena, e->n, sizeof *w.count);
    done = w.unit && w.routine && w.terminal && w.count;
    done = done ? add_paths(&w, error) && encode(&w, program, out, error) : wpp_fail_memory(error);
    wpp_arena_free(&w.arena);
    return done;
}
