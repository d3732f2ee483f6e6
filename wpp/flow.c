/* SPDX-License-Identifier: MIT */
/* flow.c - control-flow arcs from the edges of the numbered DAG. */

#include "wpp/flow.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/rounds.h"

#define BLOCK_ENTRY 0
#define BLOCK_EXIT  1
#define NO_BLOCK    UINT32_MAX
#define ROUTINE_NONLOCAL 2u    /* bit of wpp_routine.flags */

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

/* Whether an END edge may be that of a call that returns more than once, like
 * setjmp: a block that is also entered abnormally, so that only cut edges lead
 * into it.  `entered` marks blocks with a REAL edge into them. */
static bool may_return_twice(const struct wpp_routine *routine, const struct wpp_edge *e,
                             const bool *entered)
{
    return (routine->flags & ROUTINE_NONLOCAL) && e->kind == WPP_EDGE_END_CALL
           && !entered[e->src];
}

/* Gives the arrivals at each block to the END edges that lead there: first to
 * those that always arrive, then to calls, then what is left to a call that may
 * return twice.  arrivals[h] becomes what came from nowhere the table knows.
 * Returns the number of arcs made. */
static uint32_t join_cut_edges(const struct wpp_routine *routine, const uint64_t *edge,
                               const bool *entered, uint64_t *arrivals, struct flow_arc *arc)
{
    enum { CERTAIN, CALLS, SECOND_RETURNS, TURNS };
    uint32_t n = 0;

    for (int turn = 0; turn < TURNS; turn++)
        for (uint32_t i = 0; i < routine->n_edges; i++) {
            const struct wpp_edge *e = &routine->edges[i];
            uint64_t most = turn == SECOND_RETURNS ? UINT64_MAX : edge[i];
            if (!is_end(e) || e->to == NO_BLOCK)
                continue;
            if (turn == SECOND_RETURNS ? !may_return_twice(routine, e, entered)
                                       : (e->kind == WPP_EDGE_END_CALL) != (turn == CALLS))
                continue;
            uint64_t count = min64(most, arrivals[e->to]);
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

/* Adds the arcs of all edges; arrivals and entered are zeroed scratch. */
static void make_arcs(struct flow *f, const struct wpp_routine *routine, const uint64_t *edge,
                      uint64_t *arrivals, bool *entered)
{
    for (uint32_t i = 0; i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];
        if (e->kind == WPP_EDGE_START)
            arrivals[e->dst] += edge[i];
        if (e->kind != WPP_EDGE_REAL)
            continue;
        entered[e->dst] = true;
        if (e->src != BLOCK_ENTRY && e->dst != BLOCK_EXIT)
            f->arc[f->n_arcs++] = (struct flow_arc){e->src, e->dst, edge[i]};
    }
    f->n_arcs += join_cut_edges(routine, edge, entered, arrivals, f->arc + f->n_arcs);
}

bool flow_new(struct flow *f, const struct wpp_routine *routine, const uint64_t *block,
              const uint64_t *edge)
{
    uint64_t *arrivals = calloc(routine->n_blocks + (size_t)1, sizeof *arrivals);
    bool *entered = calloc(routine->n_blocks + (size_t)1, sizeof *entered);

    *f = (struct flow){.n_blocks = routine->n_blocks, .block = block};
    f->arc = calloc(2 * (size_t)routine->n_edges + 1, sizeof *f->arc);
    f->first = calloc(routine->n_blocks + (size_t)1, sizeof *f->first);
    bool ok = arrivals && entered && f->arc && f->first;
    if (ok) {
        make_arcs(f, routine, edge, arrivals, entered);
        arrange(f);
    } else {
        flow_free(f);
    }
    free(arrivals);
    free(entered);
    return ok;
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
