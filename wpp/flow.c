/* SPDX-License-Identifier: MIT */
/* flow.c - control-flow arcs from the edges of the numbered DAG. */

#include "wpp/flow.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/rounds.h"

#define BLOCK_ENTRY 0
#define BLOCK_EXIT  1
#define NO_BLOCK    UINT32_MAX

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Cut edges ---------------------------------------------------------------
 * An edge b -> h that was cut is an END edge of b and a share of the START edge
 * of h.  Counts of ENDs say how often control left b, counts of STARTs how often
 * it arrived at h; they differ when a call did not return, and when h is also
 * entered from elsewhere. */

static bool is_end(const struct wpp_edge *e)
{
    return e->kind >= WPP_EDGE_END_BACK && e->kind <= WPP_EDGE_END_STOP;
}

/* Gives the arrivals at each block to the END edges that lead there, first to
 * those that always arrive, then to calls.  arrivals[h] becomes what is left.
 * Returns the number of arcs made. */
static uint32_t join_cut_edges(const struct wpp_routine *routine, const uint64_t *edge,
                               uint64_t *arrivals, struct flow_arc *arc)
{
    uint32_t n = 0;

    for (int calls = 0; calls < 2; calls++)
        for (uint32_t i = 0; i < routine->n_edges; i++) {
            const struct wpp_edge *e = &routine->edges[i];
            if (!is_end(e) || e->to == NO_BLOCK || (e->kind == WPP_EDGE_END_CALL) != calls)
                continue;
            uint64_t count = min64(edge[i], arrivals[e->to]);
            arrivals[e->to] -= count;
            arc[n++] = (struct flow_arc){e->src, e->to, count};
        }
    return n;
}

static int compare_arcs(const void *a, const void *b)
{
    const struct flow_arc *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* Sorts the arcs, makes one of those between the same blocks, and indexes them. */
static void arrange(struct flow *f)
{
    uint32_t n = 0;

    qsort(f->arc, f->n_arcs, sizeof *f->arc, compare_arcs);
    for (uint32_t i = 0; i < f->n_arcs; i++) {
        if (n > 0 && compare_arcs(&f->arc[n - 1], &f->arc[i]) == 0)
            f->arc[n - 1].count += f->arc[i].count;
        else
            f->arc[n++] = f->arc[i];
    }
    f->n_arcs = n;
    for (uint32_t b = 0, i = 0; b <= f->n_blocks; b++) {
        while (i < n && f->arc[i].src < b)
            i++;
        f->first[b] = i;
    }
}

bool flow_new(struct flow *f, const struct wpp_routine *routine, const uint64_t *block,
              const uint64_t *edge)
{
    uint64_t *arrivals = calloc(routine->n_blocks + 1, sizeof *arrivals);

    *f = (struct flow){.n_blocks = routine->n_blocks, .block = block};
    f->arc = calloc(routine->n_edges + 1, sizeof *f->arc);
    f->first = calloc(routine->n_blocks + 1, sizeof *f->first);
    if (!arrivals || !f->arc || !f->first) {
        free(arrivals);
        flow_free(f);
        return false;
    }
    for (uint32_t i = 0; i < routine->n_edges; i++)
        if (routine->edges[i].kind == WPP_EDGE_START)
            arrivals[routine->edges[i].dst] += edge[i];
    f->n_arcs = join_cut_edges(routine, edge, arrivals, f->arc);
    for (uint32_t i = 0; i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];
        if (e->kind == WPP_EDGE_REAL && e->src != BLOCK_ENTRY && e->dst != BLOCK_EXIT)
            f->arc[f->n_arcs++] = (struct flow_arc){e->src, e->dst, edge[i]};
    }
    free(arrivals);
    arrange(f);
    return true;
}

void flow_free(struct flow *f)
{
    free(f->arc);
    free(f->first);
    f->arc = NULL;
    f->first = NULL;
}

bool flow_check(const struct flow *f, const char **why)
{
    uint64_t *in = calloc(f->n_blocks + 1, sizeof *in);

    *why = in ? NULL : "out of memory";
    for (uint32_t i = 0; !*why && i < f->n_arcs; i++) {
        const struct flow_arc *a = &f->arc[i];
        if (i > 0 && compare_arcs(a - 1, a) >= 0)
            *why = "arcs out of order";
        else if (a->src >= f->n_blocks || a->dst >= f->n_blocks || a->src <= BLOCK_EXIT
                 || a->dst <= BLOCK_EXIT)
            *why = "an arc of no block";
        else if (i < f->first[a->src] || i >= f->first[a->src + 1])
            *why = "the index misses an arc";
        else if ((in[a->dst] += a->count) > f->block[a->dst])
            *why = "more arrivals than executions";
    }
    free(in);
    return !*why;
}

/* ---- Entries --------------------------------------------------------------------- */

static uint32_t position(const uint32_t *set, uint32_t n, uint32_t block)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && set[low] == block ? low : NO_BLOCK;
}

bool flow_entries(const struct flow *f, const uint32_t *set, uint32_t n,
                  uint64_t *entries, uint64_t *rounds)
{
    struct flow_arc *inner = NULL;
    uint32_t n_inner = 0, capacity = 0;
    bool done;

    *entries = 0;
    for (uint32_t i = 0; i < n; i++) {
        *entries += f->block[set[i]];
        capacity += f->first[set[i] + 1] - f->first[set[i]];
    }
    inner = malloc((capacity + 1) * sizeof *inner);
    if (!inner)
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t a = f->first[set[i]]; a < f->first[set[i] + 1]; a++) {
            uint32_t to = position(set, n, f->arc[a].dst);
            if (to == NO_BLOCK || f->arc[a].count == 0)
                continue;
            inner[n_inner++] = (struct flow_arc){i, to, f->arc[a].count};
            *entries -= f->arc[a].count;
        }
    done = count_rounds(inner, n_inner, n, rounds);
    free(inner);
    return done;
}
