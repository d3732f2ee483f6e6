/* SPDX-License-Identifier: MIT */
#include "wpp/trace/path-counts.h"

#include <stddef.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/base/error.h"

enum { EXIT = 1 };

void wpp_path_counts_free(struct wpp_path_counts *c)
{
    wpp_paused_counts_free(&c->paused);
    wpp_token_sums_free(&c->sums);
    *c = (struct wpp_path_counts){0};
}

/* What stands behind a record's head: `count` times `bytes_each`.  NULL: it is too short. */
static const uint8_t *find_values(const struct wpp_record *r, const uint8_t *payload,
                                  size_t bytes_each, struct wpp_counts *head)
{
    uint64_t skip = r->bytes >= 4 ? wpp_get_u32(payload) : 0, from = 4 + skip + sizeof *head;

    if (from > r->bytes)
        return NULL;
    memcpy(head, payload + 4 + skip, sizeof *head);
    from += head->at;
    return from + bytes_each * (uint64_t)head->count <= r->bytes ? payload + from : NULL;
}

/* The sum of the counts. */
static uint64_t add_counts(struct wpp_token_sums *to, const struct wpp_counts *head,
                           const uint8_t *at)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < head->count; i++) {
        uint64_t count = wpp_get_u64(at + UINT64_C(8) * i);

        if (count > 0)
            wpp_token_sums_add(to, head->token + i, count);
        sum += count;
    }
    return sum;
}

/* Likewise; the path of token 0 is unknown. */
static uint64_t add_slots(struct wpp_token_sums *to, const struct wpp_counts *head,
                          const uint8_t *at)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < head->count; i++) {
        struct wpp_left left;

        memcpy(&left, at + i * sizeof left, sizeof left);
        if (left.count > 0)
            wpp_token_sums_add_left(to, left.token, left.token ? left.block : 0, left.count);
        sum += left.count;
    }
    return sum;
}

enum wpp_path_counts_result wpp_path_counts_add(struct wpp_path_counts *c, const struct wpp_record *r,
                                                const uint8_t *payload)
{
    bool is_left = r->kind == WPP_REC_LEFT || r->kind == WPP_REC_PAUSE_LEFT;
    bool is_last = r->kind == WPP_REC_LEFT || r->kind == WPP_REC_COUNTS;
    struct wpp_token_sums *to = is_last ? &c->paused.last : &c->paused.here;
    struct wpp_counts head;
    const uint8_t *values;
    uint64_t sum;

    if (r->kind == WPP_REC_COUNTS && r->bytes == 0) {
        c->lacking = true;
        return WPP_PATH_COUNTS_OK;
    }
    values = find_values(r, payload, is_left ? sizeof(struct wpp_left) : 8, &head);
    if (!values || head.token + head.count < head.token)
        return WPP_PATH_COUNTS_WRONG;
    c->any |= r->kind == WPP_REC_COUNTS;
    if (!wpp_token_sums_reserve(to, head.count))
        return WPP_PATH_COUNTS_NO_MEMORY;
    sum = is_left ? add_slots(to, &head, values) : add_counts(to, &head, values);
    c->sum += is_last ? sum : 0;
    return WPP_PATH_COUNTS_OK;
}

/* ---- Where activations were left -------------------------------------------------------- */

/* The routine of a token, parsed; the last one is kept, for the tokens ascend. */
struct routine_of_token {
    const struct wpp_modules *modules;
    struct wpp_arena arena;
    struct wpp_token_place place;
    bool known;
    struct wpp_routine routine;
    uint32_t *edges;
};

static bool find_routine(struct routine_of_token *f, uint32_t token)
{
    struct wpp_token_place place;
    const struct wpp_module_unit *unit;
    struct wpp_view encoded;

    if (!wpp_modules_find(f->modules, token, &place))
        return false;
    if (f->known && place.routine_base == f->place.routine_base)
        return true;
    unit = &f->modules->loaded[place.module].units[place.unit];
    encoded = unit->table.routines[place.routine].encoded;
    wpp_arena_free(&f->arena);
    f->place = place;
    f->known = wpp_parse_routine(&encoded, &unit->table.strings, &f->arena, &f->routine);
    f->edges = f->known ? wpp_arena_alloc(&f->arena, f->routine.n_blocks, sizeof *f->edges) : NULL;
    return f->edges != NULL;
}

/* Whether the path can have been left there.  A path of a module that was not read may. */
static bool is_possible(struct routine_of_token *f, const struct wpp_token_sum *s)
{
    struct wpp_token_place place;

    if (!find_routine(f, s->token))
        return !f->arena.failed && !wpp_modules_find(f->modules, s->token, &place);
    return s->left > EXIT && s->left < f->routine.n_blocks
           && wpp_path_edges(&f->routine, WPP_LEFT_PATH(&f->routine, s->token - f->place.routine_base,
                                                        s->left), f->edges) > 0;
}

static void drop_impossible(struct wpp_path_counts *c, const struct wpp_modules *modules)
{
    struct routine_of_token f = {.modules = modules};
    size_t n = 0;

    for (size_t i = 0; i < c->sums.n; i++) {
        if (!c->sums.list[i].left || is_possible(&f, &c->sums.list[i]))
            c->sums.list[n++] = c->sums.list[i];
        else
            c->unknown += c->sums.list[i].sum;
    }
    c->sums.n = n;
    wpp_arena_free(&f.arena);
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

static bool parse(struct counted_routine *r, const struct wpp_unit_table *table,
                  const struct wpp_unit_routine *encoded, struct wpp_arena *arena)
{
    struct wpp_view view = encoded->encoded;
    size_t n = encoded->num_paths;
    uint32_t *edges;

    if (!wpp_parse_counted_routine(&view, &table->strings, arena, &r->routine, &r->derived, NULL))
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

/* An activation that was left in a block came into it and did not go out. */
static void take_counted(struct counted_routine *r, const struct wpp_token_sum *s, uint32_t path)
{
    if (s->left)
        r->surplus[s->left] += (int64_t)s->sum;
    else
        know(r, path, s->sum);
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

/* Edges without a counter, and their counts. */
struct derivation {
    const struct wpp_token_sums *counted;    /* settled */
    struct wpp_token_sums derived;
    uint32_t n_unbalanced;
    struct wpp_error *error;
};

static bool add_derived(struct derivation *d, const struct counted_routine *r, uint64_t base)
{
    if (!wpp_token_sums_reserve(&d->derived, r->derived.n))
        return wpp_fail_memory(d->error);
    for (uint32_t i = 0; i < r->derived.n; i++) {
        uint32_t path = r->derived.list[i].path;

        if (r->counts[path] > 0)
            wpp_token_sums_add(&d->derived, (uint32_t)(base + path), r->counts[path]);
    }
    return true;
}

static bool derive_routine(struct derivation *d, const struct wpp_module_unit *unit,
                           const struct wpp_unit_routine *encoded)
{
    struct wpp_arena arena = {0};
    struct counted_routine r = {0};
    uint64_t base = unit->base + encoded->first_path;
    size_t at = wpp_token_sums_from(d->counted, base);
    size_t end = wpp_token_sums_from(d->counted, base + encoded->num_paths);
    bool done;

    if (at == end)
        return true;
    if (parse(&r, &unit->table, encoded, &arena)) {
        for (; at < end; at++)
            take_counted(&r, &d->counted->list[at], (uint32_t)(d->counted->list[at].token - base));
        d->n_unbalanced += !derive(&r);
        done = add_derived(d, &r, base);
    } else {
        done = arena.failed ? wpp_fail_memory(d->error)
                            : wpp_fail(d->error, WPP_E_FORMAT, "the path table of %s is broken",
                                       unit->table.source);
    }
    wpp_arena_free(&arena);
    return done;
}

static bool derive_units(struct derivation *d, const struct wpp_loaded_module *m)
{
    for (uint32_t u = 0; u < m->n_units; u++)
        for (uint32_t i = 0; m->units[u].table.mode == WPP_PROFILE_EDGES
                             && i < m->units[u].table.n_routines; i++)
            if (!derive_routine(d, &m->units[u], &m->units[u].table.routines[i]))
                return false;
    return true;
}

/* ---- Copies of a partitioned profile ------------------------------------------------- */

/* Gives the counters of a routine, which are identifiers, their paths' tokens.  Of paths that are
 * not counted nothing is left. */
static bool select_routine(struct wpp_token_sums *counted, const struct wpp_module_unit *unit,
                           const struct wpp_unit_routine *encoded, struct wpp_error *error)
{
    struct wpp_arena arena = {0};
    struct wpp_routine routine = {0};
    struct wpp_derived_list derived;
    struct wpp_selection selection;
    struct wpp_view view = encoded->encoded;
    uint64_t base = unit->base + encoded->first_path, number;
    size_t at = wpp_token_sums_from(counted, base);
    size_t end = wpp_token_sums_from(counted, base + encoded->num_paths);
    bool done = true;

    if (at == end)
        return true;
    if (!wpp_parse_counted_routine(&view, &unit->table.strings, &arena, &routine, &derived,
                                   &selection))
        done = arena.failed ? wpp_fail_memory(error)
                            : wpp_fail(error, WPP_E_FORMAT, "the path table of %s is broken",
                                       unit->table.source);
    for (; done && selection.partial && at < end; at++) {
        struct wpp_token_sum *sum = &counted->list[at];
        bool known = wpp_selected_path(&routine, &selection, sum->token - base, sum->left, &number)
                  && number < encoded->num_paths;

        sum->token = known ? (uint32_t)(base + number) : sum->token;
        sum->sum = known ? sum->sum : 0;
    }
    wpp_arena_free(&arena);
    return done;
}

static bool select_units(struct wpp_token_sums *counted, const struct wpp_loaded_module *m,
                         struct wpp_error *error)
{
    for (uint32_t u = 0; u < m->n_units; u++)
        for (uint32_t i = 0; m->units[u].table.part.copy > 0
                             && i < m->units[u].table.n_routines; i++)
            if (!select_routine(counted, &m->units[u], &m->units[u].table.routines[i], error))
                return false;
    return true;
}

/* Changes tokens only within their routines, so the search for routines goes on meanwhile. */
static bool select_paths(struct wpp_token_sums *counted, const struct wpp_modules *modules,
                         struct wpp_error *error)
{
    size_t kept = 0;

    for (uint32_t m = 0; m < modules->n; m++)
        if (!select_units(counted, &modules->loaded[m], error))
            return false;
    for (size_t i = 0; i < counted->n; i++)
        if (counted->list[i].sum > 0)
            counted->list[kept++] = counted->list[i];
    counted->n = kept;
    wpp_token_sums_settle(counted);
    return true;
}

static bool take_derived(struct wpp_token_sums *counted, const struct wpp_token_sums *derived)
{
    if (!wpp_token_sums_reserve(counted, derived->n))
        return false;
    for (size_t i = 0; i < derived->n; i++)
        wpp_token_sums_add(counted, derived->list[i].token, derived->list[i].sum);
    wpp_token_sums_settle(counted);
    return true;
}

/* Token 0 comes first. */
static void take_unknown(struct wpp_path_counts *c)
{
    if (c->sums.n == 0 || c->sums.list[0].token != 0)
        return;
    c->unknown = c->sums.list[0].sum;
    c->sums.n--;
    memmove(c->sums.list, c->sums.list + 1, c->sums.n * sizeof *c->sums.list);
}

/* Finds out what counts. */
static bool settle_sums(struct wpp_path_counts *c)
{
    if (!wpp_paused_counts_settle(&c->paused, &c->sums, &c->n_wrong))
        return false;
    c->sum = 0;
    for (size_t i = 0; i < c->sums.n; i++)
        c->sum += c->sums.list[i].sum;
    take_unknown(c);
    return true;
}

bool wpp_path_counts_settle(struct wpp_path_counts *c, const struct wpp_modules *modules,
                            struct wpp_error *error)
{
    struct derivation d = {.counted = &c->sums, .error = error};
    bool done = true;

    if (!settle_sums(c))
        return wpp_fail_memory(error);
    if (!select_paths(&c->sums, modules, error))
        return false;
    drop_impossible(c, modules);
    for (uint32_t m = 0; done && m < modules->n; m++)
        done = derive_units(&d, &modules->loaded[m]);
    if (done && !take_derived(&c->sums, &d.derived))
        done = wpp_fail_memory(error);
    c->n_unbalanced = d.n_unbalanced;
    wpp_token_sums_free(&d.derived);
    return done;
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

static bool same_part(const struct wpp_part_of_profile *a, const struct wpp_part_of_profile *b)
{
    return a->copy == b->copy && a->copies == b->copies && a->plan == b->plan;
}

struct wpp_part_of_profile wpp_path_counts_part(const struct wpp_modules *modules, bool *mixed)
{
    struct wpp_part_of_profile part = {0};
    bool any = false;

    *mixed = false;
    for (uint32_t m = 0; m < modules->n; m++)
        for (uint32_t u = 0; u < modules->loaded[m].n_units; u++) {
            const struct wpp_part_of_profile *its = &modules->loaded[m].units[u].table.part;

            *mixed |= any && !same_part(its, &part);
            if (!any || part.copy == 0)
                part = *its;
            any = true;
        }
    return part;
}
