/* SPDX-License-Identifier: MIT */
#include "wpp/profile/compiler-counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"
#include "wpp/profile/flow.h"

enum { ENTRY_BLOCK = 0 };

/* ---- The hash ---------------------------------------------------------------------------- */

static uint64_t hash_number(uint64_t hash, uint64_t n)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(n >> 8 * i);
    return wpp_fnv(hash, bytes, sizeof bytes);
}

static bool has_target(const struct wpp_edge *e)
{
    return e->kind != WPP_EDGE_REAL && e->kind != WPP_EDGE_START && e->to != UINT32_MAX;
}

uint64_t compiler_counts_hash(const struct wpp_routine *r)
{
    uint64_t hash = hash_number(WPP_FNV_START, r->n_blocks);

    for (uint32_t b = 0; b < r->n_blocks; b++) {
        hash = hash_number(hash_number(hash, r->blocks[b].insns), r->blocks[b].n_lines);
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++)
            hash = hash_number(hash, r->blocks[b].lines[i].line - r->line);
    }
    hash = hash_number(hash, r->n_edges);
    for (uint32_t i = 0; i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];

        hash = hash_number(hash_number(hash, e->src), e->dst);
        hash = hash_number(hash_number(hash, e->kind), has_target(e) ? e->to + UINT64_C(1) : 0);
    }
    return hash;
}

/* ---- Head -------------------------------------------------------------------------------- */

/* Executions of a routine's blocks, of its DAG's edges, and its control-flow graph. */
struct routine_counts {
    uint64_t *block, *edge;
    struct flow flow;
};

static void free_counts(struct routine_counts *c)
{
    flow_free(&c->flow);
    free(c->block);
    free(c->edge);
}

static bool count_blocks(struct routine_counts *c, const struct path_profile *p, uint32_t routine)
{
    const struct wpp_routine *graph = wpp_routine(p->w, routine);

    *c = (struct routine_counts){calloc(graph->n_blocks + (size_t)1, sizeof *c->block),
                                 calloc(graph->n_edges + (size_t)1, sizeof *c->edge), {0}};
    if (!c->block || !c->edge)
        return false;
    path_profile_sum(p, routine, c->block, c->edge);
    c->block[ENTRY_BLOCK] = p->routine[routine].entered;
    return true;
}

/* False: no memory. */
static bool find_most(const struct path_profile *p, uint64_t *most)
{
    bool ok = true;

    *most = 0;
    for (uint32_t i = 0; ok && i < p->n_routines; i++) {
        struct routine_counts c;

        ok = count_blocks(&c, p, i);
        for (uint32_t b = 0; ok && b < wpp_routine(p->w, i)->n_blocks; b++)
            *most = c.block[b] > *most ? c.block[b] : *most;
        free_counts(&c);
    }
    return ok;
}

static const char *stage_of(const struct path_profile *p)
{
    uint32_t stage = p->n_routines > 0 ? wpp_routine(p->w, 0)->stage : WPP_STAGE_LATE;

    for (uint32_t i = 1; i < p->n_routines; i++)
        if (wpp_routine(p->w, i)->stage != stage)
            return "mixed";
    return stage == WPP_STAGE_LATE ? "late" : stage == WPP_STAGE_EARLY ? "early"
           : stage == WPP_STAGE_FINAL ? "final" : stage == WPP_STAGE_LAYOUT ? "layout" : "mixed";
}

bool compiler_counts_head(FILE *out, const struct path_profile *p)
{
    uint64_t most;

    if (!find_most(p, &most))
        return false;
    fprintf(out, "wpp-counts 1\nstage %s\nkind %" PRIu32 "\nruns %" PRIu64 "\nmost %" PRIu64
            "\nroutines %" PRIu32 "\n", stage_of(p), p->kind, p->runs, most, p->n_routines);
    return true;
}

/* ---- Body -------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_asked(const char *name, char *const *names, size_t n)
{
    return n > 0 && bsearch(&name, names, n, sizeof *names, compare_names);
}

static bool put_routine(FILE *out, const struct path_profile *p, uint32_t routine)
{
    const struct wpp_routine *graph = wpp_routine(p->w, routine);
    struct routine_counts c;
    bool ok = count_blocks(&c, p, routine) && flow_new(&c.flow, graph, c.block, c.edge);

    if (ok) {
        fprintf(out, "routine %016" PRIx64 " %" PRIu32 " %" PRIu32 " %s\nfile %s\ndirectory %s\nblocks",
                compiler_counts_hash(graph), graph->n_blocks, c.flow.n_arcs, graph->name,
                graph->file, graph->directory);
        for (uint32_t b = 0; b < graph->n_blocks; b++)
            fprintf(out, " %" PRIu64, c.block[b]);
        fputs("\narcs", out);
        for (uint32_t i = 0; i < c.flow.n_arcs; i++)
            fprintf(out, " %" PRIu32 " %" PRIu32 " %" PRIu64, c.flow.arc[i].src,
                    c.flow.arc[i].dst, c.flow.arc[i].count);
        putc('\n', out);
    }
    free_counts(&c);
    return ok;
}

bool compiler_counts_body(FILE *out, const struct path_profile *p, char *const *names, size_t n)
{
    struct wpp_summary run;
    uint32_t written = 0;
    bool ok = true;

    wpp_get_summary(p->w, &run);
    for (uint32_t i = 0; i < run.n_sources; i++)
        fprintf(out, "source %016" PRIx64 " %s\n", wpp_source(p->w, i)->hash,
                wpp_source(p->w, i)->file);
    for (uint32_t i = 0; i < run.n_left_out; i++)
        if (is_asked(wpp_left_out(p->w, i)->name, names, n))
            fprintf(out, "left-out %s\n", wpp_left_out(p->w, i)->name);
    for (uint32_t i = 0; ok && i < p->n_routines; i++)
        if (is_asked(wpp_routine(p->w, i)->name, names, n)) {
            ok = put_routine(out, p, i);
            written++;
        }
    fprintf(out, "end %" PRIu32 "\n", written);
    return ok;
}
