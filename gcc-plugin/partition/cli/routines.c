/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/partition/cli/routines.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/format/path-table.h"
#include "wpp/trace/elf.h"

void routine_list_free(struct routine_list *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        pn_free((struct pn_graph *)l->routine[i].graph);
    free(l->routine);
    wpp_arena_free(&l->arena);
    *l = (struct routine_list){0};
}

struct pn_graph *graph_of_routine(const struct wpp_routine *r)
{
    struct pn_dag_edge *edge = calloc(r->n_edges + (size_t)1, sizeof *edge);
    struct pn_graph *g = NULL;

    for (uint32_t e = 0; edge && e < r->n_edges; e++)
        edge[e] = (struct pn_dag_edge){
            .src = r->edges[e].src, .dst = r->edges[e].dst, .val = r->edges[e].val,
            .kind = r->edges[e].kind == WPP_EDGE_REAL ? PN_REAL
                  : r->edges[e].kind == WPP_EDGE_START ? PN_START : PN_END
        };
    if (edge)
        g = p3_dag(r->n_blocks, 0, 1, edge, r->n_edges);
    free(edge);
    return g;
}

/* count: the arena's, or NULL. */
static bool add_routine(struct routine_list *l, const struct wpp_routine *r, uint64_t *count)
{
    struct pn_graph *g;

    if (l->n == l->capacity) {
        uint32_t capacity = l->capacity ? 2 * l->capacity : 256;
        struct p3_routine *more = realloc(l->routine, capacity * sizeof *more);

        if (!more)
            return false;
        l->routine = more;
        l->capacity = capacity;
    }
    g = graph_of_routine(r);
    if (!g)
        return false;
    l->routine[l->n++] = (struct p3_routine){
        .file = wpp_arena_string(&l->arena, r->file, strlen(r->file)),
        .name = wpp_arena_string(&l->arena, r->name, strlen(r->name)),
        .graph = g, .count = count, .callers = PN_NONE
    };
    return !l->arena.failed;
}

/* ---- Path tables --------------------------------------------------------------------------- */

static bool same_part(const struct wpp_part_of_profile *a, const struct wpp_part_of_profile *b)
{
    return a->copy == b->copy && a->copies == b->copies && a->plan == b->plan;
}

/* Notes what the unit's code counts. */
static void note_unit(struct routine_list *l, const struct wpp_unit_table *unit)
{
    if (l->kind != 0)
        l->mixed |= l->kind != unit->mode || !same_part(&l->part, &unit->part);
    l->kind = unit->mode;
    l->part = unit->part;
}

static bool add_unit(struct routine_list *l, const struct wpp_unit_table *unit)
{
    if (unit->n_routines > 0)
        note_unit(l, unit);
    for (uint32_t i = 0; i < unit->n_routines; i++) {
        struct wpp_view encoded = unit->routines[i].encoded;
        struct wpp_arena arena = {0};
        struct wpp_routine r = {0};
        bool ok = wpp_parse_routine(&encoded, &unit->strings, &arena, &r) && add_routine(l, &r, NULL);

        wpp_arena_free(&arena);
        if (!ok)
            return false;
    }
    return true;
}

static bool add_units(struct routine_list *l, const struct wpp_bytes *section)
{
    struct wpp_view view = wpp_view(section->data, section->size);
    struct wpp_unit_body body;
    int more;

    while ((more = wpp_next_unit(&view, &body)) > 0) {
        struct wpp_arena arena = {0};
        struct wpp_unit_table unit = {0};
        bool ok = wpp_check_units(&body, 1) && wpp_parse_unit(body.body, &arena, &unit)
               && add_unit(l, &unit);

        wpp_arena_free(&arena);
        if (!ok)
            return false;
    }
    return more == 0;
}

bool routine_list_add_module(struct routine_list *l, const char *path, struct wpp_error *error)
{
    struct wpp_bytes section = {0};
    struct wpp_elf elf;
    bool found = false, ok;

    if (!wpp_elf_open(&elf, path, error))
        return error->status != WPP_E_MEMORY;
    ok = wpp_elf_read(&elf, ".wpp", &section, &found, error);
    wpp_elf_close(&elf);
    if (ok && found) {
        l->n_modules++;
        ok = add_units(l, &section)
          || wpp_fail(error, WPP_E_FORMAT, "%s has a broken path table (section .wpp)", path);
    }
    wpp_bytes_free(&section);
    return ok;
}

/* Executables and shared libraries; objects become parts of these. */
static bool is_linked(const char *path)
{
    FILE *in = fopen(path, "re");
    Elf64_Ehdr head;
    bool linked = in && fread(&head, sizeof head, 1, in) == 1
               && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0
               && (head.e_type == ET_EXEC || head.e_type == ET_DYN);

    if (in)
        fclose(in);
    return linked;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool routine_list_add_folder(struct routine_list *l, const char *folder, struct wpp_error *error)
{
    char *const roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    bool ok = walk || wpp_fail_errno(error, "cannot read %s", folder);

    while (ok && (entry = fts_read(walk))) {
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
            ok = wpp_fail(error, WPP_E_SYSTEM, "cannot read %s: %s", entry->fts_path,
                          strerror(entry->fts_errno));
        else if (entry->fts_info == FTS_F && is_linked(entry->fts_path))
            ok = routine_list_add_module(l, entry->fts_path, error);
    }
    if (walk)
        fts_close(walk);
    return ok;
}

/* ---- Profiles --------------------------------------------------------------------------------- */

static void add_counts(const wpp *w, uint64_t *const *count, const uint64_t *executions)
{
    for (uint32_t t = 0; t < wpp_grammar(w)->n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(w, t);

        if (terminal->routine == WPP_NO_ROUTINE)
            continue;
        for (uint32_t i = 0; i < terminal->n_edges; i++) {
            uint64_t *sum = &count[terminal->routine][terminal->edges[i]];

            if (__builtin_add_overflow(*sum, executions[t], sum))
                *sum = UINT64_MAX;
        }
    }
}

bool routine_list_add_profile(struct routine_list *l, const wpp *w)
{
    struct wpp_summary run;
    uint64_t **count, *executions;
    bool ok;

    wpp_get_summary(w, &run);
    count = wpp_arena_alloc(&l->arena, run.n_routines, sizeof *count);
    executions = calloc(run.n_terminals + (size_t)1, sizeof *executions);
    ok = count && executions;
    for (uint32_t i = 0; ok && i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        count[i] = wpp_arena_alloc(&l->arena, r->n_edges, sizeof **count);
        ok = count[i] && add_routine(l, r, count[i]);
    }
    if (ok) {
        wpp_terminal_counts(w, executions);
        add_counts(w, count, executions);
        l->kind = run.is_profile ? run.profile_kind : WPP_PROFILE_CUT_PATHS;
        l->part = run.part;
    }
    free(executions);
    return ok;
}
