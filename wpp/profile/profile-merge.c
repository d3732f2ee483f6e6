/* SPDX-License-Identifier: MIT */
#include "wpp/profile/profile-merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/arena.h"
#include "wpp/base/error.h"
#include "wpp/format/path-table.h"
#include "wpp/format/profile-order.h"
#include "wpp/profile/path-profile.h"
#include "wpp/profile/same-routine.h"
#include "wpp/read/as-content.h"

/* Tokens from here on are control words. */
#define TOKENS_END UINT32_C(0xffff0000)

/* A routine of an input. */
struct member {
    uint32_t input, routine;
    uint32_t of;               /* the routine of the sum that it is */
};

/* Executions of a path of the sum. */
struct part { uint32_t routine; uint64_t path, count; };

struct merging {
    const struct profile_input *inputs;
    uint32_t n_inputs;
    const bool *const *left_out;         /* of each input, by terminal; NULL: they are no copies */
    struct wpp_arena arena;
    struct wpp_content *content;         /* of each input */
    uint32_t **module;                   /* of each input's modules: the sum's */
    struct member *member;               /* of all inputs' routines */
    uint32_t n_members;
    uint32_t *begin;                     /* of each input: its first member */
    struct member *first;                /* of each routine of the sum: the first of its members */
    struct wpp_content sum;
    struct profile_merged *merged;
};

static void *allocate(struct merging *m, size_t n, size_t size)
{
    return wpp_arena_alloc(&m->arena, n, size);
}

/* ---- Inputs ------------------------------------------------------------------------------ */

static uint32_t kind_of(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run.is_profile ? run.profile_kind : WPP_PROFILE_CUT_PATHS;
}

static bool check_kinds(const struct merging *m, struct wpp_error *error)
{
    for (uint32_t i = 1; i < m->n_inputs; i++)
        if (kind_of(m->inputs[i].w) != kind_of(m->inputs[0].w))
            return wpp_fail(error, WPP_E_ARGUMENT, "%s and %s count different things (paths that "
                            "calls cut or do not cut, or edges): they cannot be summed",
                            m->inputs[0].path, m->inputs[i].path);
    return true;
}

static struct wpp_part_of_profile part_of(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run.part;
}

static bool check_parts(const struct merging *m, struct wpp_error *error)
{
    for (uint32_t i = 1; i < m->n_inputs && !m->left_out; i++) {
        struct wpp_part_of_profile a = part_of(m->inputs[0].w), b = part_of(m->inputs[i].w);

        if (a.copy != b.copy || a.copies != b.copies || a.plan != b.plan)
            return wpp_fail(error, WPP_E_ARGUMENT, "%s and %s are of different copies of a "
                            "partitioned profile: `wpp-p3 merge` unites copies", m->inputs[0].path,
                            m->inputs[i].path);
    }
    return true;
}

static bool take_inputs(struct merging *m)
{
    m->content = allocate(m, m->n_inputs, sizeof *m->content);
    m->module = allocate(m, m->n_inputs, sizeof *m->module);
    if (!m->content || !m->module)
        return false;
    for (uint32_t i = 0; i < m->n_inputs; i++)
        if (!wpp_as_content(m->inputs[i].w, &m->arena, &m->content[i]))
            return false;
    return true;
}

/* ---- Modules and units ------------------------------------------------------------------- */

static bool same_module(const struct merging *m, const struct wpp_module_content *a,
                        const struct wpp_module_content *b)
{
    bool same_build = a->build_id_bytes == b->build_id_bytes
                   && memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0;

    return (m->left_out || same_build)
        && strcmp(routine_base_name(a->path), routine_base_name(b->path)) == 0;
}

static bool merge_modules(struct merging *m)
{
    struct wpp_module_content *all;
    size_t most = 0;

    for (uint32_t i = 0; i < m->n_inputs; i++)
        most += m->content[i].n_modules;
    m->sum.modules = all = allocate(m, most, sizeof *all);
    for (uint32_t i = 0; all && i < m->n_inputs; i++) {
        const struct wpp_content *c = &m->content[i];

        m->module[i] = allocate(m, c->n_modules, sizeof **m->module);
        if (!m->module[i])
            return false;
        for (uint32_t k = 0, at; k < c->n_modules; k++) {
            for (at = 0; at < m->sum.n_modules && !same_module(m, &all[at], &c->modules[k]);)
                at++;
            if (at == m->sum.n_modules)
                all[m->sum.n_modules++] = c->modules[k];
            m->module[i][k] = at;
        }
    }
    return all != NULL;
}

static bool same_unit(const struct wpp_unit_content *a, const struct wpp_unit_content *b)
{
    return a->module == b->module && a->stage == b->stage && a->level == b->level
        && strcmp(a->compiler, b->compiler) == 0 && strcmp(a->source, b->source) == 0
        && strcmp(a->directory, b->directory) == 0;
}

/* The sum's unit of a routine; there is room for one more. */
static uint32_t add_unit(struct merging *m, uint32_t input, const struct wpp_unit_content *unit)
{
    struct wpp_unit_content *units = (struct wpp_unit_content *)m->sum.units, mapped = *unit;
    uint32_t at = m->sum.n_units;

    mapped.module = m->module[input][unit->module];
    while (at > 0 && !same_unit(&units[at - 1], &mapped))
        at--;
    if (at > 0)
        return at - 1;
    units[m->sum.n_units] = mapped;
    return m->sum.n_units++;
}

/* ---- Routines ---------------------------------------------------------------------------- */

static const struct wpp_routine *routine_of(const struct merging *m, const struct member *x)
{
    return m->content[x->input].routines[x->routine].routine;
}

static const struct wpp_unit_content *unit_of(const struct merging *m, const struct member *x)
{
    const struct wpp_content *c = &m->content[x->input];

    return &c->units[c->routines[x->routine].unit];
}

static const char *module_name(const struct merging *m, const struct member *x)
{
    return routine_base_name(m->content[x->input].modules[unit_of(m, x)->module].path);
}

/* Whether both are of one source of one module. */
static int compare_homes(const struct merging *m, const struct member *a, const struct member *b)
{
    int order = strcmp(module_name(m, a), module_name(m, b));

    if (order == 0)
        order = strcmp(unit_of(m, a)->source, unit_of(m, b)->source);
    return order ? order : strcmp(unit_of(m, a)->directory, unit_of(m, b)->directory);
}

static bool may_be_same(const void *merging, uint32_t a, uint32_t b)
{
    const struct merging *m = merging;
    const struct member *x = &m->member[a], *y = &m->member[b];

    return routine_of(m, x)->line == routine_of(m, y)->line && compare_homes(m, x, y) == 0;
}

/* The members, input by input. */
static bool take_members(struct merging *m, const struct wpp_routine ***routines)
{
    size_t n = 0;

    m->begin = allocate(m, m->n_inputs, sizeof *m->begin);
    for (uint32_t i = 0; m->begin && i < m->n_inputs; i++) {
        m->begin[i] = (uint32_t)n;
        n += m->content[i].n_routines;
    }
    m->member = allocate(m, n, sizeof *m->member);
    *routines = allocate(m, n, sizeof **routines);
    if (m->arena.failed || n > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < m->n_inputs; i++)
        for (uint32_t k = 0; k < m->content[i].n_routines; k++) {
            m->member[m->n_members] = (struct member){i, k, 0};
            (*routines)[m->n_members++] = m->content[i].routines[k].routine;
        }
    return true;
}

static uint32_t module_of(const struct merging *m, const struct member *x)
{
    return m->module[x->input][unit_of(m, x)->module];
}

/* Members that are the first of their kind, by module, then in their order. */
static int compare_firsts(const void *left, const void *right, void *merging)
{
    const struct merging *m = merging;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t x = module_of(m, &m->member[a]), y = module_of(m, &m->member[b]);

    if (x != y)
        return x < y ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The sum's routines have new tokens, one behind the other: so a sum of sums is the sum. */
static bool add_routine(struct merging *m, struct member *x, uint64_t *token,
                        struct wpp_error *error)
{
    struct wpp_routine_content *routines = (struct wpp_routine_content *)m->sum.routines;
    const struct wpp_routine *r = routine_of(m, x);

    if (r->num_paths > TOKENS_END - *token)
        return wpp_fail(error, WPP_E_ARGUMENT, "the routines of all files have more paths than one "
                        "file can hold");
    x->of = m->sum.n_routines;
    m->first[x->of] = *x;
    routines[m->sum.n_routines++] = (struct wpp_routine_content){
        add_unit(m, x->input, unit_of(m, x)), (uint32_t)*token, r
    };
    *token += r->num_paths;
    return true;
}

static bool add_routines(struct merging *m, const uint32_t *same, struct wpp_error *error)
{
    uint32_t *first = allocate(m, m->n_members, sizeof *first), n = 0;
    uint64_t token = 1;

    if (!first)
        return wpp_fail_memory(error);
    for (uint32_t i = 0; i < m->n_members; i++)
        if (same[i] == i)
            first[n++] = i;
    qsort_r(first, n, sizeof *first, compare_firsts, m);
    for (uint32_t i = 0; i < n; i++)
        if (!add_routine(m, &m->member[first[i]], &token, error))
            return false;
    for (uint32_t i = 0; i < m->n_members; i++)
        m->member[i].of = m->member[same[i]].of;
    return true;
}

static bool merge_routines(struct merging *m, struct wpp_error *error)
{
    const struct wpp_routine **routines;
    uint32_t *same;

    if (!take_members(m, &routines))
        return wpp_fail_memory(error);
    same = allocate(m, m->n_members, sizeof *same);
    m->sum.routines = allocate(m, m->n_members, sizeof *m->sum.routines);
    m->sum.units = allocate(m, m->n_members, sizeof *m->sum.units);
    m->first = allocate(m, m->n_members, sizeof *m->first);
    if (m->arena.failed || !routine_find_same(routines, m->n_members, may_be_same, m, same))
        return wpp_fail_memory(error);
    if (!add_routines(m, same, error))
        return false;
    m->merged->n_routines = m->sum.n_routines;
    return true;
}

/* ---- Routines that are kept apart -------------------------------------------------------- */

static int compare_names(const void *left, const void *right, void *merging)
{
    const struct merging *m = merging;
    const struct member *a = left, *b = right;
    const struct wpp_routine *x = routine_of(m, a), *y = routine_of(m, b);
    int order = strcmp(x->name, y->name);

    if (order == 0)
        order = strcmp(x->file, y->file);
    if (order == 0)
        order = compare_homes(m, a, b);
    return order ? order : a->of < b->of ? -1 : a->of > b->of;
}

/* Says which have the name of another one and are not the same.  Sorts m->first. */
static void find_apart(struct merging *m)
{
    qsort_r(m->first, m->sum.n_routines, sizeof *m->first, compare_names, m);
    for (uint32_t i = 1; i < m->sum.n_routines; i++) {
        const struct member *a = &m->first[i - 1], *b = &m->first[i];
        const struct wpp_routine *x = routine_of(m, a), *y = routine_of(m, b);

        if (strcmp(x->name, y->name) != 0 || strcmp(x->file, y->file) != 0
            || compare_homes(m, a, b) != 0 || a->input == b->input)
            continue;
        if (m->merged->n_apart++ == 0)
            m->merged->apart = y;
    }
}

/* ---- Counts ------------------------------------------------------------------------------ */

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return (a->path > b->path) - (a->path < b->path);
}

/* What all inputs say; returns how many there are. */
static bool collect_parts(struct merging *m, struct part *part, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        struct path_profile p;

        if (!path_profile_new(&p, m->inputs[i].w))
            return false;
        for (uint32_t k = 0; k < p.n_paths; k++) {
            if (m->left_out && m->left_out[i][p.path[k].terminal])
                continue;
            part[(*n)++] = (struct part){m->member[m->begin[i] + p.path[k].routine].of,
                                         wpp_terminal(p.w, p.path[k].terminal)->path,
                                         p.path[k].count};
        }
        m->merged->unread = profile_add(m->merged->unread, p.unread);
        path_profile_free(&p);
    }
    if (*n > 0)
        qsort(part, *n, sizeof *part, compare_parts);
    return true;
}

/* Adds those of one path; returns how many paths there are. */
static uint32_t add_parts(struct part *part, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (kept > 0 && compare_parts(&part[kept - 1], &part[i]) == 0)
            part[kept - 1].count = profile_add(part[kept - 1].count, part[i].count);
        else
            part[kept++] = part[i];
    }
    return kept;
}

static bool merge_paths(struct merging *m)
{
    size_t most = 0;
    struct wpp_terminal_content *terminals;
    struct part *part;
    uint64_t *counts;
    uint32_t n;

    for (uint32_t i = 0; i < m->n_inputs; i++)
        most += m->content[i].n_terminals;
    part = allocate(m, most, sizeof *part);
    if (most > WPP_RULE / 2 || !part || !collect_parts(m, part, &n))
        return false;
    n = add_parts(part, n);
    m->sum.terminals = terminals = allocate(m, n, sizeof *terminals);
    counts = allocate(m, n, sizeof *counts);
    if (!terminals || !counts)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_routine_content *routine = &m->sum.routines[part[i].routine];
        uint32_t left;
        uint64_t path = wpp_path_until(routine->routine, part[i].path, &left);

        terminals[i] = (struct wpp_terminal_content){routine->base + (uint32_t)path,
                                                     part[i].routine, 0, left};
        counts[i] = part[i].count;
    }
    m->sum.n_terminals = n;
    return wpp_profile_order(&m->sum, counts, &m->arena);
}

/* ---- The run ----------------------------------------------------------------------------- */

static bool merge_sources(struct merging *m)
{
    struct wpp_source *all;
    size_t n = 0;

    for (uint32_t i = 0; i < m->n_inputs; i++)
        n += m->content[i].n_sources;
    m->sum.sources = all = allocate(m, n, sizeof *all);
    if (!all)
        return false;
    n = 0;
    for (uint32_t i = 0; i < m->n_inputs; i++)
        for (uint32_t k = 0; k < m->content[i].n_sources; k++)
            all[n++] = m->content[i].sources[k];
    m->sum.n_sources = wpp_content_order_sources(all, n);
    return true;
}

/* When the first of them began, what is missing, and how all of them ended. */
static void add_ends(struct wpp_summary *sum, const struct wpp_summary *run)
{
    if (run->started && (!sum->started || run->started < sum->started))
        sum->started = run->started;
    sum->lost = profile_add(sum->lost, run->lost);
    sum->trace_bytes = profile_add(sum->trace_bytes, run->trace_bytes);
    if (sum->complete && (!run->complete || sum->ended == WPP_ENDED_UNSAID))
        sum->ended = run->ended;
    sum->complete = sum->complete && run->complete;
    sum->exited = sum->exited == run->exited ? sum->exited : 0;
    sum->killed = sum->killed == run->killed ? sum->killed : 0;
}

/* All copies are one run.  What one lacks is missing in all. */
static void add_copy(struct wpp_summary *sum, const struct wpp_summary *run)
{
    if (sum->nanoseconds < run->nanoseconds)
        sum->nanoseconds = run->nanoseconds;
    add_ends(sum, run);
}

/* What both runs have in common; numbers are added.  The program is the first one. */
static void add_run(struct wpp_summary *sum, const struct wpp_summary *run)
{
    sum->command = strcmp(sum->command, run->command) == 0 ? sum->command : "";
    sum->host = strcmp(sum->host, run->host) == 0 ? sum->host : "";
    sum->pid = sum->pid == run->pid ? sum->pid : 0;
    sum->nanoseconds = profile_add(sum->nanoseconds, run->nanoseconds);
    sum->waited = profile_add(sum->waited, run->waited);
    sum->stops = profile_add(sum->stops, run->stops);
    sum->stopped = profile_add(sum->stopped, run->stopped);
    sum->unrecorded = profile_add(sum->unrecorded, run->unrecorded);
    sum->dropped = profile_add(sum->dropped, run->dropped);
    sum->early = profile_add(sum->early, run->early);
    add_ends(sum, run);
    sum->runs = profile_add(sum->runs, run->runs);
}

static void merge_runs(struct merging *m)
{
    struct wpp_summary *sum = &m->sum.run;

    for (uint32_t i = 0; i < m->n_inputs; i++) {
        struct wpp_summary run = m->content[i].run;

        run.runs = run.is_profile ? run.runs : 1;
        run.ticks_per_second = 0;
        if (i == 0)
            *sum = run;
        else if (m->left_out)
            add_copy(sum, &run);
        else
            add_run(sum, &run);
    }
    if (m->left_out)
        sum->part = (struct wpp_part_of_profile){0};
    sum->profile_kind = kind_of(m->inputs[0].w);
}

static bool merge(struct merging *m, struct wpp_bytes *out, struct wpp_error *error)
{
    if (!check_kinds(m, error) || !check_parts(m, error))
        return false;
    if (!take_inputs(m) || !merge_modules(m))
        return wpp_fail_memory(error);
    if (!merge_routines(m, error))
        return false;
    if (!merge_paths(m) || !merge_sources(m))
        return wpp_fail_memory(error);
    merge_runs(m);
    find_apart(m);
    return wpp_content_encode(&m->sum, out, error);
}

static bool merge_all(struct merging *m, struct wpp_bytes *out, struct wpp_error *error)
{
    bool done;

    assert(m->n_inputs > 0);
    *m->merged = (struct profile_merged){0};
    done = merge(m, out, error);
    wpp_arena_free(&m->arena);
    return done;
}

bool profile_merge(const struct profile_input *inputs, uint32_t n, struct wpp_bytes *out,
                   struct profile_merged *merged, struct wpp_error *error)
{
    struct merging m = {.inputs = inputs, .n_inputs = n, .merged = merged};

    return merge_all(&m, out, error);
}

bool profile_unite(const struct profile_input *inputs, const bool *const *left_out, uint32_t n,
                   struct wpp_bytes *out, struct profile_merged *merged, struct wpp_error *error)
{
    struct merging m = {.inputs = inputs, .n_inputs = n, .merged = merged, .left_out = left_out};

    return merge_all(&m, out, error);
}
