/* SPDX-License-Identifier: MIT */
/* path-report.c - which rows a report of a path profile has, in which order. */
#include "wpp/profile/path-report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/profile-write.h"
#include "wpp/replay/line-trail.h"

enum { TOP_ROUTINES = 12, TOP_PATHS = 8, TOP_PARTS = 30, TOP_LINES = 30 };

static bool is_chosen(const struct path_report *r, uint32_t routine)
{
    return !r->request.chosen || r->request.chosen[routine];
}

static uint32_t rows(const struct path_report *r, uint32_t by_default, uint32_t all)
{
    uint64_t top = r->request.top ? r->request.top : by_default;

    return all < top ? all : (uint32_t)top;
}

/* ---- Routines ---------------------------------------------------------------------------- */

static int descending(double a, double b)
{
    return a > b ? -1 : a < b;
}

/* The token of a path settles a tie, whatever order the file has; routines by their first path. */
static int compare_tokens(const struct path_profile *p, const struct profile_path *x,
                          const struct profile_path *y)
{
    uint32_t a = wpp_terminal(p->w, x->terminal)->token, b = wpp_terminal(p->w, y->terminal)->token;

    return a < b ? -1 : a > b;
}

static int compare_routines(const void *a, const void *b, void *report)
{
    const struct path_report *r = report;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct profile_routine *x = &r->p->routine[i], *y = &r->p->routine[k];
    int order = 0;

    switch (r->request.sort) {
    case PATH_SORT_COST: order = descending(x->cost, y->cost); break;
    case PATH_SORT_COUNT: order = descending((double)x->count, (double)y->count); break;
    case PATH_SORT_PATHS: order = descending(x->n, y->n); break;
    case PATH_SORT_CALLS: order = descending((double)x->entered, (double)y->entered); break;
    case PATH_SORT_NAME:
        order = strcmp(wpp_routine(r->p->w, i)->shown, wpp_routine(r->p->w, k)->shown);
        break;
    }
    return order ? order : compare_tokens(r->p, &r->p->path[x->first], &r->p->path[y->first]);
}

/* All that were chosen, in order: blocks and edges need them too. */
static bool take_routines(struct path_report *r)
{
    struct path_rows *list = &r->routines;

    list->row = calloc(r->p->n_routines + (size_t)1, sizeof *list->row);
    if (!list->row)
        return false;
    for (uint32_t i = 0; i < r->p->n_routines; i++)
        if (is_chosen(r, i))
            list->row[list->all++] = i;
    qsort_r(list->row, list->all, sizeof *list->row, compare_routines, r);
    list->n = rows(r, TOP_ROUTINES, list->all);
    return true;
}

/* ---- Paths ------------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b, void *profile)
{
    const struct path_profile *p = profile;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct profile_path *x = &p->path[i], *y = &p->path[k];

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return compare_tokens(p, x, y);
}

/* The flow of a path is its count: decision 0071. */
static bool take_paths(struct path_report *r)
{
    bool all = r->request.tables & PATH_TABLE_PATHS;
    double least = (double)r->p->count * r->request.min_share / 100;
    struct path_rows *list = &r->paths;

    list->row = calloc(r->p->n_paths + (size_t)1, sizeof *list->row);
    if (!list->row)
        return false;
    for (uint32_t i = 0; i < r->p->n_paths; i++) {
        const struct profile_path *x = &r->p->path[i];
        bool hot = (double)x->count >= least;

        if (!is_chosen(r, x->routine) || !(all || hot))
            continue;
        list->row[list->all++] = i;
        if (hot) {
            r->hot_count = profile_add(r->hot_count, x->count);
            r->hot_cost += x->cost;
        }
    }
    qsort_r(list->row, list->all, sizeof *list->row, compare_paths, (void *)r->p);
    list->n = rows(r, all && r->request.chosen ? UINT32_MAX : TOP_PATHS, list->all);
    return true;
}

/* ---- Blocks and edges -------------------------------------------------------------------- */

struct sums { uint64_t *block, *edge; };

static void add_blocks(struct path_parts *list, uint32_t routine, const struct wpp_routine *graph,
                       const struct sums *s)
{
    for (uint32_t b = 2; b < graph->n_blocks; b++)
        if (s->block[b] > 0)
            list->row[list->all++] = (struct path_part){routine, b, s->block[b], 0};
}

static void add_edges(struct path_parts *list, uint32_t routine, const struct wpp_routine *graph,
                      const struct sums *s)
{
    for (uint32_t e = 0; e < graph->n_edges; e++) {
        const struct wpp_edge *edge = &graph->edges[e];

        if (s->edge[e] > 0 && edge->src != 0)
            list->row[list->all++] = (struct path_part){
                routine, e, s->edge[e], s->block[edge->src]
            };
    }
}

/* Those of one routine behind the others. */
static bool add_parts(struct path_report *r, uint32_t routine)
{
    const struct wpp_routine *graph = wpp_routine(r->p->w, routine);
    struct sums s = {calloc(graph->n_blocks + (size_t)1, sizeof *s.block),
                     calloc(graph->n_edges + (size_t)1, sizeof *s.edge)};
    bool ok = s.block && s.edge;

    if (ok) {
        path_profile_sum(r->p, routine, s.block, s.edge);
        if (r->request.tables & PATH_TABLE_BLOCKS)
            add_blocks(&r->blocks, routine, graph, &s);
        if (r->request.tables & PATH_TABLE_EDGES)
            add_edges(&r->edges, routine, graph, &s);
    }
    free(s.block);
    free(s.edge);
    return ok;
}

static bool take_parts(struct path_report *r)
{
    size_t n_blocks = 1, n_edges = 1;
    bool ok;

    for (uint32_t i = 0; i < r->routines.all; i++) {
        n_blocks += wpp_routine(r->p->w, r->routines.row[i])->n_blocks;
        n_edges += wpp_routine(r->p->w, r->routines.row[i])->n_edges;
    }
    r->blocks.row = calloc(n_blocks, sizeof *r->blocks.row);
    r->edges.row = calloc(n_edges, sizeof *r->edges.row);
    ok = r->blocks.row && r->edges.row;
    for (uint32_t i = 0; ok && i < r->routines.all; i++)
        ok = add_parts(r, r->routines.row[i]);
    r->blocks.n = rows(r, r->request.chosen ? UINT32_MAX : TOP_PARTS, r->blocks.all);
    r->edges.n = rows(r, r->request.chosen ? UINT32_MAX : TOP_PARTS, r->edges.all);
    return ok;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static bool take_lines(struct path_report *r)
{
    const wpp *w = r->p->w;
    uint64_t *counts = profile_counts(w);
    bool ok = counts != NULL;
    uint32_t shown;

    for (uint32_t t = 0; ok && t < wpp_grammar(w)->n_terminals; t++) {
        uint32_t routine = wpp_terminal(w, t)->routine;

        if (routine != WPP_NO_ROUTINE && !is_chosen(r, routine))
            counts[t] = 0;
    }
    ok = ok && line_counts_of(w, counts, LINE_COUNTS, &r->lines);
    free(counts);
    shown = r->lines.n < UINT32_MAX ? (uint32_t)r->lines.n : UINT32_MAX;
    r->n_lines = rows(r, r->request.chosen ? UINT32_MAX : TOP_LINES, shown);
    return ok;
}

bool path_report_take(struct path_report *r)
{
    unsigned tables = r->request.tables;

    return take_routines(r)
        && (!(tables & (PATH_TABLE_HOT | PATH_TABLE_PATHS)) || take_paths(r))
        && (!(tables & (PATH_TABLE_BLOCKS | PATH_TABLE_EDGES)) || take_parts(r))
        && (!(tables & PATH_TABLE_LINES) || take_lines(r));
}

void path_report_free(struct path_report *r)
{
    free(r->routines.row);
    free(r->paths.row);
    free(r->blocks.row);
    free(r->edges.row);
    line_counts_free(&r->lines);
}

/* ---- Words that all forms share ---------------------------------------------------------- */

const char *path_kind_text(uint32_t kind)
{
    static const char *const kinds[] = {"", "paths", "paths that calls cut", "edges"};

    assert(kind < sizeof kinds / sizeof *kinds);
    return kinds[kind];
}

const char *path_edge_text(uint32_t kind)
{
    static const char *const kinds[] = {"", "start", "back", "call", "limit", "jump", "stop"};

    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "cut";
}

uint32_t path_edge_target(const struct wpp_edge *e)
{
    return e->kind == WPP_EDGE_REAL || e->kind == WPP_EDGE_START ? e->dst : e->to;
}

void path_put_block_lines(FILE *out, const struct wpp_block *b, size_t max_runs)
{
    struct trail trail = {b->n_lines, (struct wpp_line *)b->lines};

    trail_print(out, &trail, max_runs);
}

void path_put_number(FILE *out, const char *word, const struct wpp_routine *r,
                     const struct wpp_terminal *t)
{
    fprintf(out, ", %s %" PRIu64, word,
            t->left ? (t->path - r->num_paths) / r->n_blocks : t->path);
    if (t->left)
        fprintf(out, " until block %" PRIu32 ", left in its call", t->left);
}

bool path_put_lines(FILE *out, const wpp *w, uint32_t terminal, size_t max_runs)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    struct trail trail;

    if (!trail_of(t, wpp_routine(w, t->routine), &trail))
        return false;
    trail_print(out, &trail, max_runs);
    trail_free(&trail);
    return true;
}
