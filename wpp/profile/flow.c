/* SPDX-License-Identifier: MIT */
/* flow.c - control-flow arcs from the edges of the numbered DAG. */

#include "wpp/profile/flow.h"

#include <assert.h>
#include <stdlib.h>

#define BLOCK_ENTRY 0
#define BLOCK_EXIT  1
#define NO_BLOCK    UINT32_MAX

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Cut edges --------------------------------------------------------------- An edge b -> h
 * that was cut is an END edge of b and a share of the START edge of h.  Counts of ENDs tell how
 * often control left b, counts of STARTs how often it arrived at h.  They differ when a call did
 * not return, and when h is also entered from elsewhere. */

static bool is_end(const struct wpp_edge *e)
{
    return e->kind >= WPP_EDGE_END_BACK && e->kind <= WPP_EDGE_END_STOP;
}

/* Whether an END edge may be that of a call that returns more than once, like setjmp: it leads to a
 * block that is also entered abnormally, so that only cut edges lead into it.  `entered` marks
 * blocks with a REAL edge into them. */
static bool may_return_twice(const struct wpp_routine *routine, const struct wpp_edge *e,
                             const bool *entered)
{
    return (routine->flags & WPP_ROUTINE_NONLOCAL) && e->kind == WPP_EDGE_END_CALL
           && !entered[e->src];
}

/* State while cut edges are joined; the arrays are by block. */
struct joining {
    const struct wpp_routine *routine;
    const uint64_t *edge;      /* executions of the routine's edges */
    const bool *entered;       /* a REAL edge leads into it */
    uint64_t *arrivals;        /* over START edges, whose source is not known yet */
    uint64_t *missing;         /* left over END edges, whose target is not known yet */
    uint32_t *landings;        /* how many of the routine's landings are at the block */
    struct flow_arc *arc;      /* the next one to be made */
};

static void join(struct joining *j, uint32_t src, uint32_t dst, uint64_t count)
{
    assert(count <= j->arrivals[dst]);
    j->arrivals[dst] -= count;
    j->missing[src] -= min64(count, j->missing[src]);
    *j->arc++ = (struct flow_arc){src, dst, count};
}

/* Joins END edges that always arrive, or (`calls`) calls that return. */
static void join_ends(struct joining *j, bool calls)
{
    for (uint32_t i = 0; i < j->routine->n_edges; i++) {
        const struct wpp_edge *e = &j->routine->edges[i];
        if (is_end(e) && e->to != NO_BLOCK && (e->kind == WPP_EDGE_END_CALL) == calls)
            join(j, e->src, e->to, min64(min64(j->edge[i], j->missing[e->src]), j->arrivals[e->to]));
    }
}

/* Joins statements that threw; `only`: those whose landing has no other source. */
static void join_landings(struct joining *j, bool only)
{
    for (uint32_t i = 0; i < j->routine->n_landings; i++) {
        const struct wpp_landing *l = &j->routine->landings[i];
        if ((j->landings[l->dst] == 1) == only)
            join(j, l->src, l->dst, min64(j->missing[l->src], j->arrivals[l->dst]));
    }
}

static void join_second_returns(struct joining *j)
{
    for (uint32_t i = 0; i < j->routine->n_edges; i++) {
        const struct wpp_edge *e = &j->routine->edges[i];
        if (is_end(e) && e->to != NO_BLOCK && may_return_twice(j->routine, e, j->entered))
            join(j, e->src, e->to, j->arrivals[e->to]);
    }
}

/* Distributes the arrivals at each block to the edges that lead there: first where there is only
 * one, then to calls as far as they can have returned, then to exceptions of the other calls, then
 * the rest to calls that may return twice.  arrivals[h] becomes the part whose source the table
 * does not tell.  Returns the end of the arcs. */
static struct flow_arc *join_cut_edges(struct joining *j)
{
    join_ends(j, false);
    join_landings(j, true);
    join_ends(j, true);
    join_landings(j, false);
    join_second_returns(j);
    return j->arc;
}

static int compare_arcs(const void *a, const void *b)
{
    const struct flow_arc *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* Sorts the arcs, joins those between the same blocks, and indexes them. */
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
    assert(f->first[f->n_blocks] == n);
}

/* Adds the arcs of all edges; the other arguments are zeroed scratch. */
static void make_arcs(struct flow *f, struct joining *j, bool *entered)
{
    const struct wpp_routine *routine = j->routine;

    for (uint32_t i = 0; i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];
        if (e->kind == WPP_EDGE_START)
            j->arrivals[e->dst] += j->edge[i];
        if (is_end(e))
            j->missing[e->src] += j->edge[i];
        if (e->kind != WPP_EDGE_REAL)
            continue;
        entered[e->dst] = true;
        if (e->src != BLOCK_ENTRY && e->dst != BLOCK_EXIT)
            *j->arc++ = (struct flow_arc){e->src, e->dst, j->edge[i]};
    }
    for (uint32_t i = 0; i < routine->n_landings; i++)
        j->landings[routine->landings[i].dst]++;
    f->n_arcs = (uint32_t)(join_cut_edges(j) - f->arc);
    assert(f->n_arcs <= 2 * (uint64_t)routine->n_edges + routine->n_landings);
}

bool flow_new(struct flow *f, const struct wpp_routine *routine, const uint64_t *block,
              const uint64_t *edge)
{
    size_t n = routine->n_blocks + (size_t)1;
    bool *entered = calloc(n, sizeof *entered);
    struct joining j = {
        .routine = routine, .edge = edge, .entered = entered,
        .arrivals = calloc(n, sizeof *j.arrivals), .missing = calloc(n, sizeof *j.missing),
        .landings = calloc(n, sizeof *j.landings)
    };

    *f = (struct flow){.n_blocks = routine->n_blocks, .block = block};
    f->arc = j.arc = calloc(2 * (size_t)routine->n_edges + routine->n_landings + 1, sizeof *f->arc);
    f->first = calloc(n, sizeof *f->first);
    bool ok = entered && j.arrivals && j.missing && j.landings && f->arc && f->first;
    if (ok) {
        make_arcs(f, &j, entered);
        arrange(f);
    } else {
        flow_free(f);
    }
    free(j.arrivals);
    free(j.missing);
    free(j.landings);
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
    assert(low == 0 || set[low - 1] < block);
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
        assert(set[i] < f->n_blocks && (i == 0 || set[i - 1] < set[i]));
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
            assert(n_inner <= capacity);
            *entries -= f->arc[a].count;
        }
    done = cycles_count(inner, n_inner, n, rounds);
    free(inner);
    return done;
}
