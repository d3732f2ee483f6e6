/* SPDX-License-Identifier: MIT */
#include "wpp/trace/path-counts.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/base/error.h"

void wpp_path_counts_free(struct wpp_path_counts *c)
{
    free(c->list);
    *c = (struct wpp_path_counts){0};
}

static bool append(struct wpp_path_counts *c, uint32_t token, uint64_t count)
{
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        struct wpp_path_count *larger = realloc(c->list, capacity * sizeof *larger);

        if (!larger)
            return false;
        c->list = larger;
        c->capacity = capacity;
    }
    c->list[c->n++] = (struct wpp_path_count){token, count};
    return true;
}

enum wpp_path_counts_result wpp_path_counts_add(struct wpp_path_counts *c, const uint8_t *payload,
                                                size_t size)
{
    struct wpp_counts head;
    uint64_t skip = size >= 4 ? wpp_get_u32(payload) : 0, from = 4 + skip + sizeof head;

    if (from > size)
        return WPP_PATH_COUNTS_WRONG;
    memcpy(&head, payload + 4 + skip, sizeof head);
    if (from + head.at + UINT64_C(8) * head.count > size || head.token + head.count < head.token)
        return WPP_PATH_COUNTS_WRONG;
    c->any = true;
    payload += from + head.at;
    for (uint32_t i = 0; i < head.count; i++) {
        uint64_t count = wpp_get_u64(payload + UINT64_C(8) * i);

        if (count > 0 && !append(c, head.token + i, count))
            return WPP_PATH_COUNTS_NO_MEMORY;
        c->sum += count;
    }
    return WPP_PATH_COUNTS_OK;
}

static int compare_tokens(const void *a, const void *b)
{
    const struct wpp_path_count *x = a, *y = b;

    return x->token < y->token ? -1 : x->token > y->token;
}

static void sum_up(struct wpp_path_counts *c)
{
    size_t n = 0;

    if (c->n > 0)
        qsort(c->list, c->n, sizeof *c->list, compare_tokens);
    for (size_t i = 0; i < c->n; i++) {
        if (n > 0 && c->list[n - 1].token == c->list[i].token)
            c->list[n - 1].count += c->list[i].count;
        else
            c->list[n++] = c->list[i];
    }
    c->n = n;
}

/* ---- Edges without a counter --------------------------------------------------------- */

/* A routine whose edges are counted: each path is one block and one edge out of it. */
struct counted_routine {
    struct wpp_routine routine;
    struct wpp_derived_list derived;
    uint64_t *counts;                /* by path */
    uint32_t *from, *to;             /* by path: its block, the block behind; EXIT if unknown */
    int64_t *surplus;                /* by block: what flows out of it less what flows into it, on
                                        paths whose counts are known */
};

enum { EXIT = 1 };

static bool parse(struct counted_routine *r, const struct wpp_unit_table *table,
                  const struct wpp_unit_routine *encoded, struct wpp_arena *arena)
{
    struct wpp_view view = encoded->encoded;
    size_t n = encoded->num_paths;
    uint32_t *edges;

    if (!wpp_parse_counted_routine(&view, &table->strings, arena, &r->routine, &r->derived))
        return false;
    r->counts = wpp_arena_alloc(arena, n, sizeof *r->counts);
    r->from = wpp_arena_alloc(arena, n, sizeof *r->from);
    r->to = wpp_arena_alloc(arena, n, sizeof *r->to);
    r->surplus = wpp_arena_alloc(arena, r->routine.n_blocks, sizeof *r->surplus);
    edges = wpp_arena_alloc(arena, r->routine.n_blocks, sizeof *edges);
    if (arena->failed)
        return false;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t k = wpp_path_edges(&r->routine, p, edges);
        const struct wpp_edge *last = &r->routine.edges[edges[k - 1]];

        r->from[p] = last->src;
        r->to[p] = last->kind < WPP_EDGE_END_BACK || last->to == UINT32_MAX ? EXIT : last->to;
    }
    return true;
}

static void know(struct counted_routine *r, uint32_t path, uint64_t count)
{
    r->counts[path] = count;
    r->surplus[r->from[path]] += (int64_t)count;
    r->surplus[r->to[path]] -= (int64_t)count;
}

/* False: some counts do not fit together. */
static bool derive(struct counted_routine *r)
{
    bool balanced = true;

    for (uint32_t i = 0; i < r->derived.n; i++) {
        const struct wpp_derived *d = &r->derived.list[i];
        int64_t sum = r->surplus[d->vertex];

        if (r->from[d->path] == d->vertex)
            sum = -sum;
        balanced &= sum >= 0;
        know(r, d->path, sum > 0 ? (uint64_t)sum : 0);
    }
    return balanced;
}

/* The first entry of the list that is not below the token. */
static size_t lower_bound(const struct wpp_path_counts *c, size_t n, uint64_t token)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->list[middle].token < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool derive_routine(struct wpp_path_counts *c, size_t n, const struct wpp_module_unit *unit,
                           const struct wpp_unit_routine *encoded, struct wpp_error *error)
{
    struct wpp_arena arena = {0};
    struct counted_routine r = {0};
    uint64_t base = unit->base + encoded->first_path;
    size_t at = lower_bound(c, n, base), end = lower_bound(c, n, base + encoded->num_paths);
    bool done = true;

    if (at == end)
        return true;
    if (!parse(&r, &unit->table, encoded, &arena)) {
        bool memory = arena.failed;

        wpp_arena_free(&arena);
        return memory ? wpp_fail_memory(error)
                      : wpp_fail(error, WPP_E_FORMAT, "the path table of %s is broken",
                                 unit->table.source);
    }
    for (; at < end; at++)
        know(&r, (uint32_t)(c->list[at].token - base), c->list[at].count);
    c->n_unbalanced += !derive(&r);
    for (uint32_t i = 0; done && i < r.derived.n; i++) {
        uint32_t path = r.derived.list[i].path;

        if (r.counts[path] > 0)
            done = append(c, (uint32_t)(base + path), r.counts[path]);
    }
    wpp_arena_free(&arena);
    return done || wpp_fail_memory(error);
}

static bool derive_unit(struct wpp_path_counts *c, size_t n, const struct wpp_module_unit *unit,
                        struct wpp_error *error)
{
    for (uint32_t i = 0; i < unit->table.n_routines; i++)
        if (!derive_routine(c, n, unit, &unit->table.routines[i], error))
            return false;
    return true;
}

bool wpp_path_counts_settle(struct wpp_path_counts *c, const struct wpp_modules *modules,
                            struct wpp_error *error)
{
    size_t n;

    sum_up(c);
    n = c->n;
    for (uint32_t m = 0; m < modules->n; m++)
        for (uint32_t u = 0; u < modules->loaded[m].n_units; u++) {
            const struct wpp_module_unit *unit = &modules->loaded[m].units[u];

            if (unit->table.mode == WPP_PROFILE_EDGES && !derive_unit(c, n, unit, error))
                return false;
        }
    sum_up(c);
    return true;
}

uint32_t wpp_path_counts_kind(const struct wpp_modules *modules, bool *mixed)
{
    uint32_t kind = WPP_MODE_TRACED;
    bool any = false;

    *mixed = false;
    for (uint32_t m = 0; m < modules->n; m++)
        for (uint32_t u = 0; u < modules->loaded[m].n_units; u++) {
            uint32_t mode = modules->loaded[m].units[u].table.mode;

            *mixed |= any && mode != kind;
            kind = any && kind != WPP_MODE_TRACED ? kind : mode;
            any = true;
        }
    return kind;
}
