/* SPDX-License-Identifier: MIT */
#include "wpp/cli/samples-alike.h"

#include <stdio.h>
#include <stdlib.h>

#include "wpp/base/demangle.h"
#include "wpp/base/json.h"
#include "wpp/cli/tool.h"
#include "wpp/samples/partial-paths.h"
#include "wpp/samples/path-windows.h"

enum { MOST_DEPTHS = 4 };

struct alike_routine {
    uint32_t routine;
    double paths;
    struct path_windows depth[MOST_DEPTHS];
};

struct alike {
    const struct samples_request *request;
    struct address_map map;
    struct path_graphs graphs;
    struct wpp_demangler demangler;
    uint32_t depth[MOST_DEPTHS], n_depths;
    struct alike_routine *routine;
    uint32_t n;                /* routines with such paths */
    double paths, sum[MOST_DEPTHS];    /* of all routines */
};

static void choose_depths(struct alike *a)
{
    static const uint32_t depths[] = {4, 8, 16, 32};

    a->n_depths = a->request->depth ? 1 : MOST_DEPTHS;
    for (uint32_t d = 0; d < a->n_depths; d++)
        a->depth[d] = a->request->depth ? (uint32_t)a->request->depth : depths[d];
}

static void look_at(struct alike *a, uint32_t routine)
{
    struct alike_routine *out = &a->routine[a->n];
    const struct path_graph *g = path_graphs_of(&a->graphs, routine);
    struct wpp_arena arena = {0};
    struct record_costs costs;

    if (!g || !record_costs_new(&costs, &a->map, routine, g, &arena))
        tool_die_of_memory();
    if (!(a->map.routine[routine].r.shown = wpp_demangle(&a->demangler, &a->map.arena, a->map.routine[routine].r.name)))
        tool_die_of_memory();
    *out = (struct alike_routine){.routine = routine, .paths = (double)g->num_paths};
    a->paths += out->paths;
    for (uint32_t d = 0; d < a->n_depths; d++) {
        if (!path_windows_find(&out->depth[d], &costs, a->depth[d]))
            tool_die_of_memory();
        a->sum[d] += out->depth[d].alike;
    }
    wpp_arena_free(&arena);
    a->n += out->depth[0].alike > 0;
}

static int by_alike(const void *a, const void *b)
{
    const struct alike_routine *x = a, *y = b;

    for (uint32_t d = MOST_DEPTHS; d-- > 0;)
        if (x->depth[d].alike != y->depth[d].alike)
            return x->depth[d].alike < y->depth[d].alike ? 1 : -1;
    return (x->routine > y->routine) - (x->routine < y->routine);
}

/* The first line of a block with lines, at or behind this one. */
static uint32_t line_of(const struct wpp_routine *r, uint32_t block)
{
    while (block + 1 < r->n_blocks && r->blocks[block].n_lines == 0)
        block++;
    return r->blocks[block].n_lines > 0 ? r->blocks[block].lines[0].line : r->line;
}

/* ---- Text -------------------------------------------------------------------------------------- */

static void print_head(const struct alike *a)
{
    printf("      paths");
    if (a->n_depths == 1)
        printf("      alike   classes    largest  between lines  routine\n");
    for (uint32_t d = 0; a->n_depths > 1 && d < a->n_depths; d++)
        printf("%s%10s %2u", d ? "" : "  alike:", "depth", a->depth[d]);
    if (a->n_depths > 1)
        printf("  routine\n");
}

static void print_details(const struct wpp_routine *r, const struct path_windows *d)
{
    char lines[32];

    snprintf(lines, sizeof lines, "%u and %u", line_of(r, d->from), line_of(r, d->to));
    printf(" %10s", tool_grouped((uint64_t)d->alike));
    if (d->has_classes)
        printf(" %9s %10s %14s", tool_grouped(d->n_classes), tool_grouped((uint64_t)d->largest), lines);
    else
        printf(" %9s %10s %14s", "many", "-", "-");
}

static void print_text(const struct alike *a)
{
    print_head(a);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct alike_routine *x = &a->routine[i];
        const struct wpp_routine *r = &a->map.routine[x->routine].r;

        printf("%11s", tool_grouped((uint64_t)x->paths));
        if (a->n_depths == 1)
            print_details(r, &x->depth[0]);
        for (uint32_t d = 0; a->n_depths > 1 && d < a->n_depths; d++)
            printf("%s%13s", d ? "" : "        ", tool_grouped((uint64_t)x->depth[d].alike));
        printf("  %s\n", r->shown);
    }
    printf("%11s", tool_grouped((uint64_t)a->paths));
    for (uint32_t d = 0; d < a->n_depths; d++)
        printf(a->n_depths == 1 ? " %10s%36s" : d ? "%13s" : "%21s", tool_grouped((uint64_t)a->sum[d]), "");
    printf("  all routines\n");
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void print_depth(const struct wpp_routine *r, uint32_t depth, const struct path_windows *d, bool first)
{
    printf("%s{\"depth\": %u, \"alike\": %.0f", first ? "" : ", ", depth, d->alike);
    if (d->has_classes)
        printf(", \"classes\": %u, \"largest\": %.0f", d->n_classes, d->largest);
    if (d->n_classes > 0)
        printf(", \"from_line\": %u, \"to_line\": %u", line_of(r, d->from), line_of(r, d->to));
    printf("}");
}

static void print_json(const struct alike *a)
{
    printf("{\"paths\": %.0f, \"routines\": [", a->paths);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct wpp_routine *r = &a->map.routine[a->routine[i].routine].r;

        printf("%s{\"routine\": ", i ? ", " : "");
        json_string(stdout, r->shown);
        printf(", \"file\": ");
        json_string(stdout, r->file);
        printf(", \"line\": %u, \"paths\": %.0f, \"depths\": [", r->line, a->routine[i].paths);
        for (uint32_t d = 0; d < a->n_depths; d++)
            print_depth(r, a->depth[d], &a->routine[i].depth[d], d == 0);
        printf("]}");
    }
    puts("]}");
}

int samples_alike(const struct samples_request *r)
{
    struct alike a = {.request = r};
    struct wpp_error error;

    choose_depths(&a);
    if (!address_map_read(&a.map, r->program, &error))
        tool_die_error(&error);
    a.routine = calloc(a.map.n_routines + (size_t)1, sizeof *a.routine);
    if (!a.routine || !path_graphs_new(&a.graphs, &a.map, r->rules))
        tool_die_of_memory();
    for (uint32_t i = 0; i < a.map.n_routines; i++)
        look_at(&a, i);
    if (a.n > 0)
        qsort(a.routine, a.n, sizeof *a.routine, by_alike);
    (r->format == SAMPLES_JSON ? print_json : print_text)(&a);
    free(a.routine);
    path_graphs_free(&a.graphs);
    address_map_free(&a.map);
    return TOOL_OK;
}
