/* SPDX-License-Identifier: MIT */
#include "wpp/picture/call-picture.h"

#include <math.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/profile/call-sums.h"
#include "wpp/profile/parts.h"

#define NO_NODE UINT32_MAX

/* ---- Nodes ---------------------------------------------------------------------------------------- */

/* What each routine's own paths cost; NULL: no memory. */
static double *self_costs(const wpp *w, const struct run_costs *costs)
{
    struct wpp_summary s;
    double *self;

    wpp_get_summary(w, &s);
    self = calloc(s.n_routines + (size_t)1, sizeof *self);
    for (uint32_t t = 0; self && t < s.n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(w, t);

        if (terminal->routine != WPP_NO_ROUTINE)
            self[terminal->routine] += costs->count[t] * (double)terminal->insns;
    }
    return self;
}

static bool choose_nodes(struct call_picture *g, struct parts *parts, const double *self, uint32_t max_nodes,
                         double least)
{
    uint32_t n, *ranked = parts_ranked(parts, 0, parts->n_routines, true, max_nodes, &n);

    g->node = calloc(max_nodes < n ? max_nodes + (size_t)1 : n + (size_t)1, sizeof *g->node);
    if (!ranked || !g->node) {
        free(ranked);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct part *p = &parts->part[ranked[i]];

        if (g->n_nodes < max_nodes && (i == 0 || p->inclusive >= least * g->total)) {
            g->node[g->n_nodes++] = (struct call_node){
                .routine = p->routine, .self = self[p->routine], .inclusive = p->inclusive,
                .calls = parts->costs->entered[p->routine]
            };
        } else {
            g->n_others++;
            g->other_self += self[p->routine];
        }
    }
    g->other_self += parts->unread;
    free(ranked);
    return true;
}

/* ---- Edges ---------------------------------------------------------------------------------------- */

static bool take_edges(struct call_picture *g, const struct call_sums *calls, uint32_t n_routines)
{
    uint32_t *node = malloc((n_routines + (size_t)1) * sizeof *node);
    double *dearest = calloc(g->n_nodes + (size_t)1, sizeof *dearest);

    g->edge = calloc(calls->n + 1, sizeof *g->edge);
    for (uint32_t i = 0; node && i < n_routines; i++)
        node[i] = NO_NODE;
    for (uint32_t i = 0; node && i < g->n_nodes; i++)
        node[g->node[i].routine] = i;
    for (size_t i = 0; node && dearest && g->edge && i < calls->n; i++) {
        const struct call_sum *p = &calls->sum[i];
        struct call_node *from = node[p->caller] == NO_NODE ? NULL : &g->node[node[p->caller]];

        if (from && node[p->callee] != NO_NODE) {
            g->edge[g->n_edges++] = (struct call_edge){node[p->caller], node[p->callee], p->calls, p->cost};
        } else if (from) {
            from->others++;
            from->other = p->cost > dearest[node[p->caller]] || from->others == 1 ? p->callee : from->other;
            dearest[node[p->caller]] = fmax(dearest[node[p->caller]], p->cost);
            from->other_calls += p->calls;
            from->other_cost += p->cost;
        }
    }
    free(node);
    free(dearest);
    return node && dearest && g->edge;
}

static int compare_edges(const void *a, const void *b)
{
    const struct call_edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static bool make(struct call_picture *g, const wpp *w, const struct call_tree *tree, uint32_t max_nodes,
                 double least)
{
    struct run_costs costs = {0};
    struct parts parts = {0};
    struct call_sums calls = {0};
    double *self = NULL;
    bool ok = run_costs_new(&costs, w, tree, UINT32_MAX) && parts_new(&parts, &costs)
              && (self = self_costs(w, &costs));

    g->total = costs.total;
    ok = ok && call_sums_new(&calls, &costs, CALLS_BY_ROUTINE, true)
         && choose_nodes(g, &parts, self, max_nodes, least) && take_edges(g, &calls, parts.n_routines);
    if (ok && g->n_edges > 0)
        qsort(g->edge, g->n_edges, sizeof *g->edge, compare_edges);
    free(self);
    call_sums_free(&calls);
    parts_free(&parts);
    run_costs_free(&costs);
    return ok;
}

bool call_picture_new(const wpp *w, uint32_t max_nodes, double least, struct call_picture *out,
                    struct wpp_error *error)
{
    struct call_tree tree;
    bool ok;

    *out = (struct call_picture){0};
    if (!call_tree_new(&tree, w, error))
        return false;
    ok = make(out, w, &tree, max_nodes, least);
    call_tree_free(&tree);
    if (!ok)
        call_picture_free(out);
    return ok || wpp_fail_memory(error);
}

void call_picture_free(struct call_picture *g)
{
    free(g->node);
    free(g->edge);
    *g = (struct call_picture){0};
}

/* ---- Check ---------------------------------------------------------------------------------------- */

static bool at_most(double a, double b)
{
    return a <= b + 1e-6 * fabs(b) + 1e-9;
}

static const char *check_nodes(const struct call_picture *g)
{
    double self = g->other_self;

    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct call_node *n = &g->node[i];

        if (i > 0 && n->inclusive > n[-1].inclusive)
            return "nodes out of order";
        if (!at_most(n->self, n->inclusive) || !at_most(n->inclusive, g->total))
            return "a routine costs less than its own paths, or more than all";
        self += n->self;
    }
    return at_most(self, g->total) && at_most(g->total, self) ? NULL : "own costs do not sum to the whole";
}

bool call_picture_check(const struct call_picture *g, const char **why)
{
    double *calls = calloc(g->n_nodes + (size_t)1, sizeof *calls);

    *why = calls ? check_nodes(g) : "out of memory";
    for (uint32_t i = 0; !*why && i < g->n_edges; i++) {
        if (g->edge[i].from >= g->n_nodes || g->edge[i].to >= g->n_nodes)
            *why = "an edge of no node";
        else if (i > 0 && compare_edges(&g->edge[i - 1], &g->edge[i]) >= 0)
            *why = "edges out of order";
        else
            calls[g->edge[i].to] += g->edge[i].calls;
    }
    for (uint32_t i = 0; !*why && i < g->n_nodes; i++)
        if (!at_most(calls[i], g->node[i].calls))
            *why = "a routine is called more often than it began";
    free(calls);
    return !*why;
}
