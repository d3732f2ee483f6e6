/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/cover-program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/coverage/module-tables.h"
#include "wpp/profile/path-profile.h"
#include "wpp/profile/same-routine.h"
#include "wpp/read/as-content.h"

/* A module of some inputs. */
struct cover_module {
    const struct wpp_module_content *content;
    bool read;
    struct module_tables tables;
};

/* A routine of an input, or of a module's path tables. */
struct candidate {
    const struct wpp_routine *routine;
    const char *source;
    uint32_t module;           /* of the gathering */
    bool executed, optimised;
};

struct gathering {
    struct cover_program *out;
    struct wpp_content *content;       /* of each input */
    uint32_t *begin;                   /* of each input: its first candidate */
    uint32_t **module_of;              /* of each input's modules: the gathering's */
    struct cover_module *module;
    uint32_t n_modules;
    struct candidate *candidate;
    uint32_t n_candidates;
    uint32_t *same;                    /* by candidate: the first that it is the same as */
    uint32_t *body;                    /* by candidate */
};

static void *allocate(struct gathering *g, size_t n, size_t size)
{
    return wpp_arena_alloc(&g->out->arena, n, size);
}

/* ---- Inputs ------------------------------------------------------------------------------------ */

static struct wpp_summary summary_of(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run;
}

static uint32_t kind_of(const wpp *w)
{
    struct wpp_summary run = summary_of(w);

    return run.is_profile ? run.profile_kind : WPP_PROFILE_CUT_PATHS;
}

static bool check_inputs(const struct cover_program *p, struct wpp_error *error)
{
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        if (kind_of(p->inputs[i].w) != kind_of(p->inputs[0].w))
            return wpp_fail(error, WPP_E_ARGUMENT, "%s and %s count different things (paths that "
                            "calls cut or do not cut, or edges): their coverage cannot be merged",
                            p->inputs[0].path, p->inputs[i].path);
        if (summary_of(p->inputs[i].w).part.copies > 0)
            return wpp_fail(error, WPP_E_ARGUMENT, "%s is one copy of a partitioned profile: `wpp-p3 "
                            "merge` unites copies", p->inputs[i].path);
    }
    return true;
}

static bool same_module(const struct wpp_module_content *a, const struct wpp_module_content *b)
{
    return strcmp(a->path, b->path) == 0 && a->build_id_bytes == b->build_id_bytes
        && memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0;
}

static uint32_t add_module(struct gathering *g, const struct wpp_module_content *content)
{
    for (uint32_t i = 0; i < g->n_modules; i++)
        if (same_module(g->module[i].content, content))
            return i;
    g->module[g->n_modules] = (struct cover_module){.content = content};
    return g->n_modules++;
}

static bool take_inputs(struct gathering *g)
{
    const struct cover_program *p = g->out;
    size_t n = 0;

    g->content = allocate(g, p->n_inputs, sizeof *g->content);
    g->begin = allocate(g, p->n_inputs, sizeof *g->begin);
    g->module_of = allocate(g, p->n_inputs, sizeof *g->module_of);
    if (!g->content || !g->begin || !g->module_of)
        return false;
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        if (!wpp_as_content(p->inputs[i].w, &g->out->arena, &g->content[i]))
            return false;
        n += g->content[i].n_modules;
    }
    g->module = allocate(g, n, sizeof *g->module);
    for (uint32_t i = 0; g->module && i < p->n_inputs; i++) {
        const struct wpp_content *c = &g->content[i];

        g->module_of[i] = allocate(g, c->n_modules, sizeof **g->module_of);
        if (!g->module_of[i])
            return false;
        for (uint32_t k = 0; k < c->n_modules; k++)
            g->module_of[i][k] = add_module(g, &c->modules[k]);
    }
    return g->module != NULL;
}

/* ---- Path tables --------------------------------------------------------------------------------- */

static bool add_gap(struct gathering *g, const struct cover_module *m, const char *why)
{
    char *text = wpp_arena_string(&g->out->arena, why, strlen(why));

    if (text)
        g->out->gap[g->out->n_gaps++] = (struct cover_gap){m->content->path, text};
    return text;
}

static void add_unread(struct gathering *g, uint32_t input)
{
    for (uint32_t i = 0; i < g->content[input].n_unread_modules; i++) {
        const struct wpp_unread_module *m = &g->content[input].unread_modules[i];

        g->out->gap[g->out->n_gaps++] = (struct cover_gap){m->path, m->why};
    }
}

static bool read_tables(struct gathering *g, const struct wpp_moved *moved, struct wpp_error *error)
{
    size_t most = 2 * (size_t)g->n_modules;

    for (uint32_t i = 0; i < g->out->n_inputs; i++)
        most += g->content[i].n_unread_modules;
    g->out->gap = allocate(g, most, sizeof *g->out->gap);
    if (!g->out->gap)
        return wpp_fail_memory(error);
    for (uint32_t i = 0; i < g->n_modules; i++) {
        struct cover_module *m = &g->module[i];

        m->read = module_tables_read(m->content->path, m->content->build_id,
                                     m->content->build_id_bytes, moved, &g->out->arena, &m->tables,
                                     error);
        if (!m->read && (error->status == WPP_E_MEMORY || !add_gap(g, m, error->text)))
            return wpp_fail_memory(error);
    }
    for (uint32_t i = 0; i < g->out->n_inputs; i++)
        add_unread(g, i);
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------- */

static void add_executed(struct gathering *g, uint32_t input)
{
    const struct wpp_content *c = &g->content[input];

    g->begin[input] = g->n_candidates;
    for (uint32_t k = 0; k < c->n_routines; k++) {
        const struct wpp_unit_content *unit = &c->units[c->routines[k].unit];

        g->candidate[g->n_candidates++] = (struct candidate){
            c->routines[k].routine, unit->source, g->module_of[input][unit->module], true,
            unit->stage == WPP_STAGE_LATE && unit->level > 0
        };
    }
}

/* First those of the inputs. */
static bool take_candidates(struct gathering *g)
{
    size_t n = 0;

    for (uint32_t i = 0; i < g->out->n_inputs; i++)
        n += g->content[i].n_routines;
    for (uint32_t i = 0; i < g->n_modules; i++)
        n += g->module[i].tables.n;
    g->candidate = allocate(g, n, sizeof *g->candidate);
    if (!g->candidate || n > UINT32_MAX / 2)
        return false;
    for (uint32_t i = 0; i < g->out->n_inputs; i++)
        add_executed(g, i);
    for (uint32_t i = 0; i < g->n_modules; i++)
        for (uint32_t k = 0; k < g->module[i].tables.n; k++) {
            const struct module_routine *r = &g->module[i].tables.routine[k];

            g->candidate[g->n_candidates++] =
                (struct candidate){&r->routine, r->source, i, false, r->optimised};
        }
    assert(g->n_candidates == n);
    return true;
}

static const char *module_path(const struct gathering *g, uint32_t candidate)
{
    return g->module[g->candidate[candidate].module].content->path;
}

static bool may_be_same(const void *gathering, uint32_t a, uint32_t b)
{
    const struct gathering *g = gathering;
    const struct candidate *x = &g->candidate[a], *y = &g->candidate[b];

    return x->routine->line == y->routine->line && strcmp(x->source, y->source) == 0
        && strcmp(x->routine->directory, y->routine->directory) == 0
        && strcmp(routine_base_name(module_path(g, a)), routine_base_name(module_path(g, b))) == 0;
}

static bool find_same(struct gathering *g)
{
    const struct wpp_routine **routine = calloc(g->n_candidates + (size_t)1, sizeof *routine);
    bool done;

    g->same = allocate(g, g->n_candidates, sizeof *g->same);
    for (uint32_t i = 0; routine && i < g->n_candidates; i++)
        routine[i] = g->candidate[i].routine;
    done = routine && g->same
        && routine_find_same(routine, g->n_candidates, may_be_same, g, g->same);
    free(routine);
    return done;
}

static bool take_bodies(struct gathering *g)
{
    struct cover_program *p = g->out;

    g->body = allocate(g, g->n_candidates, sizeof *g->body);
    p->body = allocate(g, g->n_candidates, sizeof *p->body);
    if (!g->body || !p->body)
        return false;
    for (uint32_t i = 0; i < g->n_candidates; i++) {
        const struct candidate *c = &g->candidate[i];

        if (g->same[i] == i) {
            g->body[i] = p->n_bodies;
            p->body[p->n_bodies++] =
                (struct cover_body){c->routine, module_path(g, i), c->source, c->executed,
                                     c->optimised};
        }
        g->body[i] = g->body[g->same[i]];
    }
    return true;
}

/* A routine that was executed must be in its module's tables; else these are another module's that has
 * the same build id, or both have none. */
static bool check_tables(struct gathering *g, struct wpp_error *error)
{
    bool *known = calloc(g->out->n_bodies + (size_t)1, sizeof *known);
    bool *told = calloc(g->n_modules + (size_t)1, sizeof *told), good = known && told;

    for (uint32_t i = 0; good && i < g->n_candidates; i++)
        known[g->body[i]] |= !g->candidate[i].executed;
    for (uint32_t i = 0; good && i < g->n_candidates; i++) {
        uint32_t m = g->candidate[i].module;

        if (known[g->body[i]] || !g->module[m].read || told[m])
            continue;
        told[m] = true;
        good = add_gap(g, &g->module[m], "its file has changed since it was traced: it lacks a "
                                         "routine that was executed");
    }
    free(known);
    free(told);
    return good || wpp_fail_memory(error);
}

/* ---- Paths --------------------------------------------------------------------------------------- */

static void take_profile(struct gathering *g, uint32_t input, const struct path_profile *profile)
{
    struct cover_program *p = g->out;

    for (uint32_t i = 0; i < profile->n_paths; i++) {
        const struct profile_path *x = &profile->path[i];

        p->path[p->n_paths++] = (struct cover_path){
            input, x->terminal, g->body[g->begin[input] + x->routine], x->count
        };
    }
    p->runs = profile_add(p->runs, profile->runs);
    p->unread = profile_add(p->unread, profile->unread);
}

static bool take_paths(struct gathering *g)
{
    size_t n = 0;

    for (uint32_t i = 0; i < g->out->n_inputs; i++)
        n += g->content[i].n_terminals;
    g->out->path = allocate(g, n, sizeof *g->out->path);
    g->out->body_of = allocate(g, g->out->n_inputs, sizeof *g->out->body_of);
    if (!g->out->path || !g->out->body_of || n > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < g->out->n_inputs; i++) {
        struct path_profile profile;

        g->out->body_of[i] = g->body + g->begin[i];
        if (!path_profile_new(&profile, g->out->inputs[i].w))
            return false;
        take_profile(g, i, &profile);
        path_profile_free(&profile);
    }
    return true;
}

static bool gather(struct gathering *g, const struct wpp_moved *moved, bool executed_only,
                   struct wpp_error *error)
{
    if (!check_inputs(g->out, error))
        return false;
    if (!take_inputs(g))
        return wpp_fail_memory(error);
    if (!executed_only && !read_tables(g, moved, error))
        return false;
    if (!take_candidates(g) || !find_same(g) || !take_bodies(g))
        return wpp_fail_memory(error);
    if (!executed_only && !check_tables(g, error))
        return false;
    return take_paths(g) || wpp_fail_memory(error);
}

bool cover_program_new(struct cover_program *out, const struct cover_input *inputs, uint32_t n,
                       const struct wpp_moved *moved, bool executed_only, struct wpp_error *error)
{
    struct gathering g = {.out = out};

    assert(n > 0);
    *out = (struct cover_program){.inputs = inputs, .n_inputs = n, .kind = kind_of(inputs[0].w)};
    if (gather(&g, moved, executed_only, error))
        return true;
    cover_program_free(out);
    return false;
}

void cover_program_free(struct cover_program *p)
{
    wpp_arena_free(&p->arena);
    *p = (struct cover_program){0};
}
