/* SPDX-License-Identifier: MIT */
/* call-graph.c - who called whom, in Graphviz' language.
 *
 *      +---------------+   1,234    +-----------------+
 *      | main  100 %   |----------->| parse  64 %     |     inclusive and self cost; calls
 *      | self 0.9 %    |            | self 12 %       |
 *      +---------------+            +-----------------+
 *
 * The dearest routines have nodes; all others are one.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "wpp/base/number-text.h"
#include "wpp/export/escape.h"
#include "wpp/export/export-run.h"
#include "wpp/profile/call-sums.h"
#include "wpp/profile/parts.h"

/* Calls of one node by another. */
struct call { uint32_t caller, callee; double times, cost; };

struct writing {
    struct export_run *r;
    FILE *out;
    uint32_t *shown, n;            /* routines, the dearest first */
    uint32_t n_all;
    uint32_t *node;                /* by routine; n: it is one of the others */
    double *own;                   /* by node: self cost */
    struct call *call;
    size_t n_calls;
};

/* ---- Calls -------------------------------------------------------------------------------------- */

static int by_nodes(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Several routines may be one node. */
static void join_calls(struct writing *x)
{
    size_t n = 0;

    if (x->n_calls > 0)
        qsort(x->call, x->n_calls, sizeof *x->call, by_nodes);
    for (size_t i = 0; i < x->n_calls; i++)
        if (n > 0 && by_nodes(&x->call[n - 1], &x->call[i]) == 0) {
            x->call[n - 1].times += x->call[i].times;
            x->call[n - 1].cost += x->call[i].cost;
        } else {
            x->call[n++] = x->call[i];
        }
    x->n_calls = n;
}

static bool find_calls(struct writing *x)
{
    struct call_sums calls;

    if (!call_sums_new(&calls, &x->r->costs, CALLS_BY_ROUTINE, false))
        return false;
    x->call = calloc(calls.n + 1, sizeof *x->call);
    for (size_t i = 0; x->call && i < calls.n; i++)
        x->call[x->n_calls++] = (struct call){x->node[calls.sum[i].caller], x->node[calls.sum[i].callee],
                                              calls.sum[i].calls, calls.sum[i].cost};
    join_calls(x);
    call_sums_free(&calls);
    return x->call;
}

/* ---- Routines -------------------------------------------------------------------------------------- */

static bool find_routines(struct writing *x, struct parts *parts)
{
    uint64_t limit = x->r->options.limit;

    x->shown = parts_ranked(parts, 0, parts->n_routines, true,
                            limit < parts->n_routines ? (uint32_t)limit : parts->n_routines, &x->n_all);
    if (!x->shown)
        return false;
    x->n = limit < x->n_all ? (uint32_t)limit : x->n_all;
    x->node = calloc(x->r->n_routines + (size_t)1, sizeof *x->node);
    x->own = calloc(x->n + (size_t)1, sizeof *x->own);
    if (!x->node || !x->own || !parts_exact(parts, x->shown, x->n))
        return false;
    for (uint32_t i = 0; i < x->r->n_routines; i++)
        x->node[i] = x->n;
    for (uint32_t i = 0; i < x->n; i++)
        x->node[x->shown[i]] = i;
    for (uint32_t i = 0; i < x->r->n_routines; i++)
        for (uint32_t k = x->r->first_path[i]; k < x->r->first_path[i + 1]; k++)
            x->own[x->node[i]] += (double)x->r->count[x->r->paths[k]]
                                * (double)wpp_terminal(x->r->w, x->r->paths[k])->insns;
    return true;
}

/* ---- Text ----------------------------------------------------------------------------------------- */

static void put_share(const struct writing *x, const char *before, double cost)
{
    char text[NUMBER_TEXT];

    fprintf(x->out, "%s%s", before, number_percent(cost, x->r->costs.total, text));
}

/* From white to red by the share of the cost. */
static void put_colour(const struct writing *x, double cost)
{
    double share = x->r->costs.total > 0 ? cost / x->r->costs.total : 0;

    fprintf(x->out, "\", fillcolor=\"0.02 %.3f 1.0\"];\n", share < 1 ? 0.6 * sqrt(share) : 0.6);
}

static void put_routine(const struct writing *x, const struct parts *parts, uint32_t node)
{
    const struct part *p = &parts->part[x->shown[node]];
    const struct wpp_routine *r = wpp_routine(x->r->w, x->shown[node]);
    char text[NUMBER_TEXT];

    fprintf(x->out, "    n%" PRIu32 " [label=\"", node);
    graph_text(x->out, export_name(x->r, r->name, r->shown), 60);
    fputs("\\n", x->out);
    graph_text(x->out, r->file, 60);
    fprintf(x->out, ":%" PRIu32 "\\n", r->line);
    put_share(x, "", p->inclusive);
    put_share(x, ", self ", x->own[node]);
    fprintf(x->out, "\\n%s call%s", number_grouped((uint64_t)p->calls, text), p->calls == 1 ? "" : "s");
    put_colour(x, p->inclusive);
}

static void put_call(const struct writing *x, const struct call *c)
{
    char text[NUMBER_TEXT];
    double share = x->r->costs.total > 0 ? c->cost / x->r->costs.total : 0;

    fprintf(x->out, "    n%" PRIu32 " -> n%" PRIu32 " [label=\"%s\", penwidth=%.2f, tooltip=\"", c->caller,
            c->callee, number_grouped((uint64_t)c->times, text), 1 + 4 * (share < 1 ? share : 1));
    put_share(x, "", c->cost);
    fputs("\"];\n", x->out);
}

static void put_graph(const struct writing *x, const struct parts *parts)
{
    fputs("digraph calls {\n    graph [rankdir=TB, fontname=\"Helvetica\", label=\"", x->out);
    graph_text(x->out, x->r->path, 0);
    fputs(": inclusive and self cost in instructions (GCC's estimate, no time), and calls\"];\n"
          "    node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\"];\n"
          "    edge [fontname=\"Helvetica\", fontsize=10];\n", x->out);
    for (uint32_t i = 0; i < x->n; i++)
        put_routine(x, parts, i);
    if (x->n < x->n_all) {
        fprintf(x->out, "    n%" PRIu32 " [label=\"%" PRIu32 " other routine%s\\n", x->n, x->n_all - x->n,
                x->n_all - x->n == 1 ? "" : "s");
        put_share(x, "self ", x->own[x->n]);
        put_colour(x, x->own[x->n]);
    }
    for (size_t i = 0; i < x->n_calls && !ferror(x->out); i++)
        if (x->call[i].caller != x->n || x->call[i].callee != x->n)
            put_call(x, &x->call[i]);
    fputs("}\n", x->out);
}

bool export_call_graph(struct export_run *r)
{
    struct writing x = {.r = r, .out = r->out};
    struct parts parts;
    bool ok;

    if (!parts_new(&parts, &r->costs))
        return false;
    ok = find_routines(&x, &parts) && find_calls(&x);
    if (ok)
        put_graph(&x, &parts);
    free(x.shown);
    free(x.node);
    free(x.own);
    free(x.call);
    parts_free(&parts);
    return ok;
}
