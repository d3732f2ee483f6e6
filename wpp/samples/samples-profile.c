/* SPDX-License-Identifier: MIT */
#include "wpp/samples/samples-profile.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/content.h"
#include "wpp/format/profile-order.h"
#include "wpp/samples/layout-counts.h"

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
    uint32_t n_units, n_routines, n_terminals, most_terminals;
    uint64_t n_paths;
};

/* Units are known by what they are written with. */
static uint32_t unit_of(struct writing *w, const struct map_routine *r, uint32_t stage)
{
    for (uint32_t i = w->n_units; i-- > 0;)
        if (!strcmp(w->unit[i].source, r->source) && !strcmp(w->unit[i].directory, r->r.directory)
            && !strcmp(w->unit[i].compiler, r->compiler) && w->unit[i].level == r->level)
            return i;
    w->unit[w->n_units] = (struct wpp_unit_content){0, r->compiler, r->source, r->r.directory, stage, r->level};
    return w->n_units++;
}

static bool too_many_paths(struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_ARGUMENT, "the routines have too many paths for a file; try a lower --limit");
}

/* A path of the routine that was added last. */
static void add_terminal(struct writing *w, uint64_t path, uint64_t count)
{
    w->terminal[w->n_terminals] = (struct wpp_terminal_content){
        .token = w->routine[w->n_routines - 1].base + (uint32_t)path, .routine = w->n_routines - 1};
    w->count[w->n_terminals++] = count;
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
    w->routine[w->n_routines++] = (struct wpp_routine_content){unit_of(w, from, r->stage), (uint32_t)w->n_paths, r};
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
            return too_many_paths(error);
        add_terminal(w, p->path, count);
    }
    return true;
}

/* ---- Before the layout --------------------------------------------------------------------- */

/* The value of the edge that goes along an arc of the graph. */
static uint64_t val_of_arc(const struct wpp_routine *l, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < l->n_edges; i++) {
        const struct wpp_edge *e = &l->edges[i];
        bool cut = e->kind != WPP_EDGE_REAL && e->kind != WPP_EDGE_START && e->to < l->n_blocks;
        if (e->src == src && (cut ? e->to : e->dst) == dst)
            return e->val;
    }
    return 0;
}

/* That of the edge with which paths begin at the vertex, by a call or otherwise; false: there is none. */
static bool val_of_begin(const struct wpp_routine *l, uint32_t vertex, bool called, uint64_t *val)
{
    for (uint32_t i = 0; i < l->n_edges && l->edges[i].src == 0; i++)
        if (l->edges[i].dst == vertex && (l->edges[i].kind == WPP_EDGE_REAL) == called) {
            *val = l->edges[i].val;
            return true;
        }
    return false;
}

/* Each edge is a path.  Those out of the first block began with a call, or came round. */
static void add_arcs(struct writing *w, const struct wpp_routine *l, const struct layout_counts *c)
{
    uint32_t entry = layout_entry(l);
    double into_entry = 0;

    for (uint32_t i = 0; i < c->n_arcs; i++)
        into_entry += c->arc[i].dst == entry ? c->arc[i].count : 0;
    for (uint32_t i = 0; i < c->n_arcs; i++) {
        const struct layout_arc *a = &c->arc[i];
        double part = a->src != entry ? 0 : c->calls + into_entry > 0 ? c->calls / (c->calls + into_entry) : 1;
        for (int called = 0; called < 2; called++) {
            uint64_t count = (uint64_t)(a->count * (called ? part : 1 - part) * w->scale + 0.5), begin;
            if (count > 0 && val_of_begin(l, a->src, called, &begin))
                add_terminal(w, begin + val_of_arc(l, a->src, a->dst), count);
        }
    }
}

static bool grow_terminals(struct writing *w, uint32_t n)
{
    uint32_t most = 2 * (w->n_terminals + n);
    struct wpp_terminal_content *terminal;
    uint64_t *count;

    if (w->n_terminals + n <= w->most_terminals)
        return true;
    terminal = wpp_arena_alloc(&w->arena, most, sizeof *terminal);
    count = wpp_arena_alloc(&w->arena, most, sizeof *count);
    if (!terminal || !count)
        return false;
    if (w->n_terminals > 0) {
        memcpy(terminal, w->terminal, w->n_terminals * sizeof *terminal);
        memcpy(count, w->count, w->n_terminals * sizeof *count);
    }
    w->terminal = terminal;
    w->count = count;
    w->most_terminals = most;
    return true;
}

/* Estimates [first, end) are the routine's. */
static bool add_layout(struct writing *w, uint64_t first, uint64_t end, struct samples_layout *figures,
                       struct wpp_error *error)
{
    uint32_t number = w->e->path[first].routine;
    const struct map_routine *from = &w->map->routine[number];
    const struct path_graph *g = path_graphs_of(w->graphs, number);
    uint32_t before = w->n_terminals;
    struct layout_counts c;

    if (!from->layout) {
        figures->unknown++;
        return true;
    }
    if (w->n_paths + from->layout->num_paths >= MOST_PATHS)
        return too_many_paths(error);
    if (!g || !layout_counts_new(&c, from, g, w->e->path + first, end - first))
        return wpp_fail_memory(error);
    if (!grow_terminals(w, 2 * c.n_arcs)) {
        layout_counts_free(&c);
        return wpp_fail_memory(error);
    }
    w->routine[w->n_routines++] = (struct wpp_routine_content){unit_of(w, from, from->layout->stage),
                                                               (uint32_t)w->n_paths, from->layout};
    add_arcs(w, from->layout, &c);
    if (w->n_terminals > before)
        w->n_paths += from->layout->num_paths;
    else
        w->n_routines--;
    figures->placed += c.placed;
    figures->unplaced += c.unplaced;
    layout_counts_free(&c);
    return true;
}

static bool add_layouts(struct writing *w, struct samples_layout *figures, struct wpp_error *error)
{
    for (uint64_t i = 0, k; i < w->e->n; i = k) {
        for (k = i; k < w->e->n && w->e->path[k].routine == w->e->path[i].routine; k++)
            ;
        if (!add_layout(w, i, k, figures, error))
            return false;
    }
    return w->n_terminals > 0 || wpp_fail(error, WPP_E_ARGUMENT, "no routine's graph before the layout of blocks is "
                                          "known; compile with optimization");
}

/* ---- The file --------------------------------------------------------------------------------- */

static bool encode(struct writing *w, const char *program, enum wpp_profile_kind kind, struct wpp_bytes *out,
                   struct wpp_error *error)
{
    struct wpp_module_content module = {.path = program, .build_id = w->map->build_id,
                                        .build_id_bytes = w->map->build_id_size,
                                        .n_routines = w->map->n_routines};
    struct wpp_source *sources = wpp_arena_alloc(&w->arena, w->map->n_sources, sizeof *sources);
    struct wpp_content content = {
        .run = {.program = program, .command = program, .host = "", .complete = true,
                .profile_kind = kind, .runs = 1},
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

static bool begin_writing(struct writing *w)
{
    w->unit = wpp_arena_alloc(&w->arena, w->map->n_routines, sizeof *w->unit);
    w->routine = wpp_arena_alloc(&w->arena, w->map->n_routines, sizeof *w->routine);
    return w->unit && w->routine;
}

bool samples_profile_encode(const struct address_map *map, const char *program, struct path_graphs *graphs,
                            const struct path_estimates *e, double scale, struct wpp_bytes *out,
                            struct wpp_error *error)
{
    struct writing w = {.map = map, .graphs = graphs, .e = e, .scale = scale};
    bool done = begin_writing(&w) && grow_terminals(&w, (uint32_t)e->n);

    done = done ? add_paths(&w, error) && encode(&w, program, WPP_PROFILE_PATHS, out, error) : wpp_fail_memory(error);
    wpp_arena_free(&w.arena);
    return done;
}

bool samples_layout_encode(const struct address_map *map, const char *program, struct path_graphs *graphs,
                           const struct path_estimates *e, double scale, struct samples_layout *figures,
                           struct wpp_bytes *out, struct wpp_error *error)
{
    struct writing w = {.map = map, .graphs = graphs, .e = e, .scale = scale};
    bool done = begin_writing(&w);

    *figures = (struct samples_layout){0};
    done = done ? add_layouts(&w, figures, error) && encode(&w, program, WPP_PROFILE_EDGES, out, error)
                : wpp_fail_memory(error);
    wpp_arena_free(&w.arena);
    return done;
}
