/* SPDX-License-Identifier: MIT */
/* flow-graph.c - the blocks of routines with their executions, in Graphviz' language.  Edges that were not
 * taken are dashed; those that exceptions take are red. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/number-text.h"
#include "wpp/export/escape.h"
#include "wpp/export/export-run.h"
#include "wpp/profile/flow.h"

enum { BLOCK_ENTRY, BLOCK_EXIT, MOST_RANGES = 6 };

struct writing {
    const struct export_run *r;
    FILE *out;
    uint32_t number;
    const struct wpp_routine *routine;
    uint64_t *block, *edge;
    uint64_t most;                 /* executions of a block */
};

/* Lines as `sort.c:12-14 18 swap.h:7`. */
static void put_lines(const struct writing *x, const struct wpp_block *b)
{
    const char *file = NULL;
    uint32_t ranges = 0;

    for (uint32_t i = 0, end; i < b->n_lines; i = end) {
        const struct wpp_line *l = &b->lines[i];

        for (end = i + 1; end < b->n_lines && strcmp(b->lines[end].file, l->file) == 0
                          && b->lines[end].line == b->lines[end - 1].line + 1;)
            end++;
        if (l->line == 0)
            continue;
        if (ranges++ == MOST_RANGES) {
            fputs(" ...", x->out);
            break;
        }
        if (!file || strcmp(file, l->file) != 0) {
            const char *slash = strrchr(l->file, '/');

            fputs(file ? "\\n" : "", x->out);
            graph_text(x->out, slash ? slash + 1 : l->file, 40);
            putc(':', x->out);
        } else {
            putc(' ', x->out);
        }
        file = l->file;
        fprintf(x->out, end > i + 1 ? "%" PRIu32 "-%" PRIu32 : "%" PRIu32, l->line, l->line + (end - i - 1));
    }
    fputs(file ? "\\n" : "", x->out);
}

static void put_block(const struct writing *x, uint32_t b)
{
    const struct wpp_block *block = &x->routine->blocks[b];
    double share = x->most > 0 ? log1p((double)x->block[b]) / log1p((double)x->most) : 0;
    char text[NUMBER_TEXT];

    fprintf(x->out, "        b%" PRIu32 "_%" PRIu32 " [label=\"", x->number, b);
    put_lines(x, block);
    fprintf(x->out, "%s times, %" PRIu32 " instruction%s\", fillcolor=\"0.02 %.3f 1.0\"%s];\n",
            number_grouped(x->block[b], text), block->insns, block->insns == 1 ? "" : "s", 0.5 * share,
            x->block[b] == 0 ? ", style=\"filled,rounded,dashed\", fontcolor=\"grey40\"" : "");
}

static void put_edge(const struct writing *x, uint32_t from, uint32_t to, uint64_t count, bool throws)
{
    char text[NUMBER_TEXT];

    fprintf(x->out, "        b%" PRIu32 "_%" PRIu32 " -> b%" PRIu32 "_%" PRIu32 " [label=\"%s\"%s%s];\n",
            x->number, from, x->number, to, count > 0 ? number_grouped(count, text) : "",
            count == 0 ? ", style=dashed, color=\"grey50\"" : "", throws ? ", color=\"red\"" : "");
}

static bool lands(const struct wpp_routine *r, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < r->n_landings; i++)
        if (r->landings[i].src == src && r->landings[i].dst == dst)
            return true;
    return false;
}

static void put_edges(const struct writing *x, const struct flow *f)
{
    const struct wpp_routine *r = x->routine;

    for (uint32_t i = 0; i < r->n_edges; i++)
        if (r->edges[i].kind == WPP_EDGE_REAL
            && (r->edges[i].src == BLOCK_ENTRY || r->edges[i].dst == BLOCK_EXIT))
            put_edge(x, r->edges[i].src, r->edges[i].dst, x->edge[i], false);
    for (uint32_t i = 0; i < f->n_arcs; i++)
        put_edge(x, f->arc[i].src, f->arc[i].dst, f->arc[i].count, lands(r, f->arc[i].src, f->arc[i].dst));
}

static void put_routine(const struct writing *x, const struct flow *f)
{
    const struct wpp_routine *r = x->routine;

    fprintf(x->out, "    subgraph cluster_%" PRIu32 " {\n        label=\"", x->number);
    graph_text(x->out, export_name(x->r, r->name, r->shown), 100);
    putc(' ', x->out);
    graph_text(x->out, r->file, 80);
    fprintf(x->out, ":%" PRIu32 "\";\n"
            "        b%" PRIu32 "_0 [label=\"entry\", shape=plaintext, style=\"\"];\n"
            "        b%" PRIu32 "_1 [label=\"exit\", shape=plaintext, style=\"\"];\n", r->line, x->number,
            x->number);
    for (uint32_t b = BLOCK_EXIT + 1; b < r->n_blocks; b++)
        put_block(x, b);
    put_edges(x, f);
    fputs("    }\n", x->out);
}

static bool add_routine(struct writing *x, uint32_t number)
{
    struct flow flow = {0};
    bool ok;

    x->number = number;
    x->routine = wpp_routine(x->r->w, number);
    x->block = calloc(x->routine->n_blocks + (size_t)1, sizeof *x->block);
    x->edge = calloc(x->routine->n_edges + (size_t)1, sizeof *x->edge);
    ok = x->block && x->edge;
    if (ok) {
        export_sum(x->r, number, x->block, x->edge);
        x->most = 0;
        for (uint32_t b = 0; b < x->routine->n_blocks; b++)
            x->most = x->block[b] > x->most ? x->block[b] : x->most;
        ok = flow_new(&flow, x->routine, x->block, x->edge);
    }
    if (ok)
        put_routine(x, &flow);
    flow_free(&flow);
    free(x->block);
    free(x->edge);
    return ok;
}

bool export_flow_graph(struct export_run *r)
{
    struct writing x = {.r = r, .out = r->out};
    bool ok = true;

    fputs("digraph flow {\n    graph [fontname=\"Helvetica\"];\n"
          "    node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11];\n"
          "    edge [fontname=\"Helvetica\", fontsize=10];\n", r->out);
    for (uint32_t i = 0; ok && i < r->n_routines; i++)
        if (r->options.chosen[i])
            ok = add_routine(&x, i);
    fputs("}\n", r->out);
    return ok;
}
