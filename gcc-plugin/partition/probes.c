/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.c - increments for a set of interesting edges. */
#include "gcc-plugin/partition/probes.h"

#include "gcc-plugin/numbering/selected-paths.h"

#include <stdlib.h>
#include <string.h>

const struct p3_prices p3_paper_prices = {.increment = 1, .start = 1};
const struct p3_prices p3_code_prices = {.increment = 1, .count = 1};

struct placing {
    const struct p3_routine *r;
    const uint64_t *set;
    const struct p3_prices *prices;
    uint64_t *label, *weight;  /* by edge */
    int64_t *inc;
    bool *flag;                /* interesting; then: chord */
};

static uint64_t executions(const struct p3_routine *r, uint32_t edge)
{
    return r->count ? r->count[edge] : 1;
}

static void weigh(struct placing *p)
{
    const struct pn_graph *g = p->r->graph;

    for (uint32_t e = 0; e < g->n_dag; e++)
        p->weight[e] = executions(p->r, e)
                     * (g->dag[e].src == g->entry ? p->prices->start : p->prices->increment);
}

static uint64_t cost_of(const struct placing *p, const int64_t *inc)
{
    const struct pn_graph *g = p->r->graph;
    uint64_t cost = 0;

    for (uint32_t e = 0; e < g->n_dag; e++) {
        if (inc[e] != 0)
            cost += p->weight[e];
        if (g->dag[e].dst == g->exit && p3_has(p->set, e))
            cost += executions(p->r, e) * p->prices->count;
    }
    return cost;
}

/* All paths: their numbers, which are 0 to num_paths - 1. */
static bool place_numbers(struct placing *p)
{
    const struct pn_graph *g = p->r->graph;

    for (uint32_t e = 0; e < g->n_dag; e++)
        p->label[e] = g->dag[e].val;
    return pn_place_labels(g, p->label, p->weight, p->inc, p->flag) == PN_OK;
}

/* Some paths.  Whether labels or chords are cheaper is not known before both are there. */
static bool place_labels(struct placing *p)
{
    const struct pn_graph *g = p->r->graph;
    int64_t *label = (int64_t *)p->label;

    for (uint32_t e = 0; e < g->n_dag; e++)
        p->flag[e] = p3_has(p->set, e);
    if (pn_label_paths(g, p->flag, PN_PSPP, p->label) != PN_OK)
        return false;
    if (!p->prices->labels_only
        && pn_place_labels(g, p->label, p->weight, p->inc, p->flag) != PN_OK)
        return false;
    if (p->prices->labels_only || cost_of(p, label) <= cost_of(p, p->inc))
        memcpy(p->inc, label, g->n_dag * sizeof *label);
    return true;
}

bool p3_probes(const struct p3_routine *r, const uint64_t *set, const struct p3_prices *prices,
               int64_t *inc, uint64_t *cost)
{
    uint32_t n = r->graph->n_dag;
    struct placing p = {
        .r = r, .set = set, .prices = prices,
        .label = calloc(n, sizeof *p.label), .weight = calloc(n, sizeof *p.weight),
        .inc = calloc(n, sizeof *p.inc), .flag = calloc(n, sizeof *p.flag)
    };
    bool ok = p.label && p.weight && p.inc && p.flag;

    if (ok) {
        weigh(&p);
        ok = p3_is_all(set, n) ? place_numbers(&p) : place_labels(&p);
    }
    if (ok && inc)
        memcpy(inc, p.inc, n * sizeof *inc);
    if (ok && cost)
        *cost = cost_of(&p, p.inc);
    free(p.label);
    free(p.weight);
    free(p.inc);
    free(p.flag);
    return ok;
}
