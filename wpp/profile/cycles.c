/* SPDX-License-Identifier: MIT */
/* cycles.c - finds circuits one by one and removes them.
 *
 * Hawick and James, "Enumerating circuits and loops in graphs with self-arcs and multiple-arcs"
 * (2008), which is Johnson's algorithm (1975) without the split into components: for each node s in
 * turn, all simple ways from s over nodes >= s back to s.  A node is blocked while it is on the
 * way, and stays blocked if no way from it led back to s.  It is unblocked once a node to which it
 * leads has been on a cycle.
 *
 * Here arcs have counts.  A cycle subtracts the least of them from all its arcs; an arc with count
 * 0 no longer exists.  While the way contains such an arc, it is not followed further.
 *
 *      way     the arcs from s to the current node; one frame each
 *      empty   arcs on the way with count 0
 *      waits   lists: waits_head[v] -> nodes to unblock together with v
 */

#include "wpp/profile/cycles.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct frame {
    uint32_t node;
    uint32_t next;         /* arc to try next */
    bool found;            /* some way from this node led back to s */
};

struct waiting { uint32_t node, next; };

struct search {
    struct flow_arc *arcs;
    uint32_t *first;       /* n + 1: arcs of v are arcs[first[v] .. first[v+1]) */
    uint32_t n;
    uint32_t start;
    struct frame *frames;  /* at most n: a way is simple */
    uint32_t *way;         /* arc that led to frames[i + 1] */
    uint32_t depth;
    uint32_t empty;
    bool *blocked;
    uint32_t *waits_head;
    struct waiting *waits; /* at most one for each arc in use at once */
    uint32_t n_waits, free_wait;
    uint32_t *unblocking;  /* work list */
    uint64_t rounds;
};

static void release(struct search *s)
{
    free(s->first);
    free(s->frames);
    free(s->way);
    free(s->blocked);
    free(s->waits_head);
    free(s->waits);
    free(s->unblocking);
}

static bool prepare(struct search *s, struct flow_arc *arcs, uint32_t n_arcs, uint32_t n)
{
    *s = (struct search){.arcs = arcs, .n = n, .free_wait = NONE};
    s->first = calloc((size_t)n + 1, sizeof *s->first);
    s->frames = calloc((size_t)n + 1, sizeof *s->frames);
    s->way = calloc((size_t)n + 1, sizeof *s->way);
    s->blocked = calloc((size_t)n + 1, sizeof *s->blocked);
    s->waits_head = calloc((size_t)n + 1, sizeof *s->waits_head);
    s->waits = calloc((size_t)n_arcs + 1, sizeof *s->waits);
    s->unblocking = calloc((size_t)n + 1, sizeof *s->unblocking);
    if (!s->first || !s->frames || !s->way || !s->blocked || !s->waits_head || !s->waits
        || !s->unblocking) {
        release(s);
        return false;
    }
    for (uint32_t v = 0, i = 0; v <= n; v++) {
        while (i < n_arcs && arcs[i].src < v)
            i++;
        s->first[v] = i;
    }
    assert(s->first[n] == n_arcs);           /* arcs ascend, and every source is a node */
    return true;
}

static void begin(struct search *s, uint32_t start)
{
    s->start = start;
    s->depth = s->empty = s->n_waits = 0;
    s->free_wait = NONE;
    for (uint32_t v = 0; v < s->n; v++) {
        s->blocked[v] = false;
        s->waits_head[v] = NONE;
    }
}

/* ---- Blocking ------------------------------------------------------------------- */

static void wait_for(struct search *s, uint32_t v, uint32_t waiter)
{
    uint32_t slot;

    for (uint32_t w = s->waits_head[v]; w != NONE; w = s->waits[w].next)
        if (s->waits[w].node == waiter)
            return;
    slot = s->free_wait;
    if (slot != NONE)
        s->free_wait = s->waits[slot].next;
    else
        slot = s->n_waits++;
    assert(slot <= s->first[s->n]);          /* an arc waits once */
    s->waits[slot] = (struct waiting){waiter, s->waits_head[v]};
    s->waits_head[v] = slot;
}

static void unblock(struct search *s, uint32_t v)
{
    uint32_t n = 0;

    s->blocked[v] = false;
    s->unblocking[n++] = v;
    while (n > 0) {
        uint32_t u = s->unblocking[--n], w = s->waits_head[u];
        s->waits_head[u] = NONE;
        while (w != NONE) {
            uint32_t next = s->waits[w].next, node = s->waits[w].node;
            if (s->blocked[node]) {
                s->blocked[node] = false;
                assert(n < s->n);
                s->unblocking[n++] = node;
            }
            s->waits[w].next = s->free_wait;
            s->free_wait = w;
            w = next;
        }
    }
}

/* ---- The search -------------------------------------------------------------------- */

static void enter(struct search *s, uint32_t v)
{
    assert(s->depth < s->n && !s->blocked[v]);
    s->blocked[v] = true;
    s->frames[s->depth++] = (struct frame){.node = v, .next = s->first[v]};
}

static bool usable(const struct search *s, uint32_t arc)
{
    return s->arcs[arc].dst >= s->start && s->arcs[arc].count > 0;
}

/* The way and `closing` make a cycle: subtracts it. */
static void take_cycle(struct search *s, uint32_t closing)
{
    uint64_t least = s->arcs[closing].count;

    for (uint32_t i = 0; i + 1 < s->depth; i++)
        if (s->arcs[s->way[i]].count < least)
            least = s->arcs[s->way[i]].count;
    if (least == 0)
        return;
    s->rounds += least;
    s->arcs[closing].count -= least;
    for (uint32_t i = 0; i + 1 < s->depth; i++) {
        s->arcs[s->way[i]].count -= least;
        s->empty += s->arcs[s->way[i]].count == 0;
    }
}

/* All ways from the topmost node have been tried. */
static void leave(struct search *s)
{
    assert(s->depth > 0);
    struct frame top = s->frames[--s->depth];

    if (top.found)
        unblock(s, top.node);
    else
        for (uint32_t a = s->first[top.node]; a < s->first[top.node + 1]; a++)
            if (usable(s, a) && s->blocked[s->arcs[a].dst])
                wait_for(s, s->arcs[a].dst, top.node);
    if (s->depth > 0) {
        s->frames[s->depth - 1].found |= top.found;
        assert(s->empty > 0 || s->arcs[s->way[s->depth - 1]].count > 0);
        s->empty -= s->arcs[s->way[s->depth - 1]].count == 0;
    }
}

static void search_from(struct search *s, uint32_t start)
{
    begin(s, start);
    enter(s, start);
    while (s->depth > 0) {
        struct frame *top = &s->frames[s->depth - 1];
        if (top->next == s->first[top->node + 1]) {
            leave(s);
            continue;
        }
        uint32_t arc = top->next++, to = s->arcs[arc].dst;
        assert(to < s->n);
        if (!usable(s, arc))
            continue;
        if (to == start) {
            take_cycle(s, arc);
            top->found = true;
        } else if (s->empty == 0 && !s->blocked[to]) {
            s->way[s->depth - 1] = arc;
            enter(s, to);
        }
    }
}

/* A node with no counted arc to an equal or greater node begins no cycle. */
static bool may_begin(const struct search *s, uint32_t v)
{
    for (uint32_t a = s->first[v]; a < s->first[v + 1]; a++)
        if (s->arcs[a].dst >= v && s->arcs[a].count > 0)
            return true;
    return false;
}

/* Without an arc back to an equal or smaller node there is no cycle at all. */
static bool any_back(const struct flow_arc *arcs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (arcs[i].dst <= arcs[i].src)
            return true;
    return false;
}

bool cycles_count(struct flow_arc *arcs, uint32_t n_arcs, uint32_t n_nodes, uint64_t *rounds)
{
    struct search s;

    *rounds = 0;
    if (!any_back(arcs, n_arcs))
        return true;
    if (!prepare(&s, arcs, n_arcs, n_nodes))
        return false;
    for (uint32_t v = 0; v < n_nodes; v++)
        if (may_begin(&s, v))
            search_from(&s, v);
    *rounds = s.rounds;
    release(&s);
    return true;
}
