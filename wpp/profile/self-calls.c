/* SPDX-License-Identifier: MIT */
/* self-calls.c - components of the graph of calls (Tarjan, 1972), and a search where they are not
 * enough. */
#include "wpp/profile/self-calls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The most steps of all searches together; beyond it, parts are treated as calling themselves. */
enum { PATIENCE = 200000000 };

/* The calls in routine r are call[first[r] .. first[r + 1]). */
struct call { uint32_t block, callee; };

struct call_graph {
    const struct parts *parts;
    uint32_t n, *first;
    struct call *call;
    uint32_t *component;       /* by routine */
    uint32_t *seen, *stack;    /* by routine: the number of the last search that reached it */
    uint32_t search;
    uint64_t steps;
};

static uint32_t routine_of(const struct run_costs *c, size_t site)
{
    return wpp_terminal(c->w, c->site[site].terminal)->routine;
}

static bool make_arrays(struct call_graph *g, const struct parts *p)
{
    *g = (struct call_graph){.parts = p, .n = p->n_routines};
    g->first = calloc(g->n + (size_t)2, sizeof *g->first);
    g->call = calloc(p->costs->n_sites + 1, sizeof *g->call);
    g->component = calloc(g->n + (size_t)1, sizeof *g->component);
    g->seen = calloc(g->n + (size_t)1, sizeof *g->seen);
    g->stack = calloc(g->n + (size_t)1, sizeof *g->stack);
    return g->first && g->call && g->component && g->seen && g->stack;
}

static void free_graph(struct call_graph *g)
{
    free(g->first);
    free(g->call);
    free(g->component);
    free(g->seen);
    free(g->stack);
}

static void sort_calls(struct call_graph *g)
{
    const struct run_costs *c = g->parts->costs;

    for (size_t i = 0; i < c->n_sites; i++)
        g->first[routine_of(c, i) + 2]++;
    for (uint32_t r = 0; r < g->n; r++)
        g->first[r + 2] += g->first[r + 1];
    for (size_t i = 0; i < c->n_sites; i++) {
        const struct wpp_terminal *t = wpp_terminal(c->w, c->site[i].terminal);
        uint32_t stop = t->n_blocks ? t->blocks[t->n_blocks - 1] : 0;

        g->call[g->first[t->routine + 1]++] = (struct call){stop, c->site[i].callee};
    }
    assert(g->first[g->n] == c->n_sites);
}

/* ---- Components -------------------------------------------------------------------------- */

/* The search for components, without recursion; arrays by routine, except `path`, which is a
 * stack. */
struct search {
    uint32_t *order, *low, *next;      /* order 0: not reached */
    uint32_t *path, n_path;
    uint32_t *open, n_open;            /* reached, and in no component yet */
    bool *is_open;
    uint32_t n_order, n_components;
};

static void come_to(struct search *s, const struct call_graph *g, uint32_t r)
{
    s->order[r] = s->low[r] = ++s->n_order;
    s->next[r] = g->first[r];
    s->path[s->n_path++] = r;
    s->open[s->n_open++] = r;
    s->is_open[r] = true;
}

static void close_component(struct search *s, struct call_graph *g, uint32_t r)
{
    uint32_t member;

    do {
        member = s->open[--s->n_open];
        s->is_open[member] = false;
        g->component[member] = s->n_components;
    } while (member != r);
    s->n_components++;
}

static void search_from(struct search *s, struct call_graph *g, uint32_t root)
{
    come_to(s, g, root);
    while (s->n_path > 0) {
        uint32_t r = s->path[s->n_path - 1];

        if (s->next[r] < g->first[r + 1]) {
            uint32_t to = g->call[s->next[r]++].callee;

            if (s->order[to] == 0)
                come_to(s, g, to);
            else if (s->is_open[to] && s->order[to] < s->low[r])
                s->low[r] = s->order[to];
            continue;
        }
        s->n_path--;
        if (s->low[r] == s->order[r])
            close_component(s, g, r);
        if (s->n_path > 0 && s->low[r] < s->low[s->path[s->n_path - 1]])
            s->low[s->path[s->n_path - 1]] = s->low[r];
    }
}

static bool find_components(struct call_graph *g)
{
    size_t n = g->n + (size_t)1;
    struct search s = {
        .order = calloc(n, sizeof *s.order), .low = calloc(n, sizeof *s.low),
        .next = calloc(n, sizeof *s.next), .path = calloc(n, sizeof *s.path),
        .open = calloc(n, sizeof *s.open), .is_open = calloc(n, sizeof *s.is_open)
    };
    bool ok = s.order && s.low && s.next && s.path && s.open && s.is_open;

    for (uint32_t r = 0; ok && r < g->n; r++)
        if (s.order[r] == 0)
            search_from(&s, g, r);
    free(s.order);
    free(s.low);
    free(s.next);
    free(s.path);
    free(s.open);
    free(s.is_open);
    return ok;
}

/* ---- Parts ------------------------------------------------------------------------------- */

/* Whether a call of the part in the routine's block leads back; mark[], by block, tells which calls
 * are the part's. */
static bool leads_back(const struct call_graph *g, uint32_t routine, const uint8_t *mark)
{
    for (uint32_t i = g->first[routine]; i < g->first[routine + 1]; i++)
        if ((!mark || mark[g->call[i].block])
            && g->component[g->call[i].callee] == g->component[routine])
            return true;
    return false;
}

static void reach(struct call_graph *g, uint32_t routine, uint32_t *n)
{
    g->steps++;
    if (g->seen[routine] == g->search)
        return;
    g->seen[routine] = g->search;
    g->stack[(*n)++] = routine;
}

/* Puts the routines that the part calls in a routine on the stack and marks them as reached. */
static void reach_from(struct call_graph *g, uint32_t routine, const uint8_t *mark, uint32_t *n)
{
    for (uint32_t i = g->first[routine]; i < g->first[routine + 1]; i++)
        if (mark[g->call[i].block])
            reach(g, g->call[i].callee, n);
}

static void reach_all(struct call_graph *g, uint32_t n)
{
    while (n > 0) {
        uint32_t r = g->stack[--n];

        for (uint32_t i = g->first[r]; i < g->first[r + 1]; i++)
            reach(g, g->call[i].callee, &n);
    }
}

/* The end of the blocks of one routine, which begin at `i`; sets or clears the marks of their
 * calls. */
static uint32_t mark_blocks(const struct part *p, uint32_t i, uint8_t *mark, bool on)
{
    uint32_t routine = p->block[i].routine;

    for (; i < p->n_blocks && p->block[i].routine == routine; i++)
        mark[p->block[i].block] = on && (mark[p->block[i].block] || p->block[i].calls);
    return i;
}

static bool calls_itself(struct call_graph *g, const struct part *p, uint8_t *mark)
{
    uint32_t n = 0, n_routines = 0;
    bool back = false;

    if (!p->block)
        return leads_back(g, p->routine, NULL);
    g->search++;
    for (uint32_t i = 0, end; i < p->n_blocks; i = end, n_routines++) {
        end = mark_blocks(p, i, mark, true);
        back |= leads_back(g, p->block[i].routine, mark);
        reach_from(g, p->block[i].routine, mark, &n);
        mark_blocks(p, i, mark, false);
    }
    if (back || n == 0 || n_routines < 2)
        return back;
    if (g->steps > PATIENCE)
        return true;
    reach_all(g, n);
    for (uint32_t i = 0; !back && i < p->n_blocks; i++)
        back = g->seen[p->block[i].routine] == g->search;
    return back;
}

bool parts_find_exact(struct parts *p)
{
    struct call_graph g;
    uint32_t most = 0;
    uint8_t *mark = NULL;
    bool ok = make_arrays(&g, p);

    for (uint32_t r = 0; r < p->n_routines; r++)
        if (p->costs->block[r + 1] - p->costs->block[r] > most)
            most = p->costs->block[r + 1] - p->costs->block[r];
    if (ok) {
        sort_calls(&g);
        mark = calloc(most + (size_t)1, sizeof *mark);
        ok = mark && find_components(&g);
    }
    for (uint32_t i = 0; ok && i < p->n; i++)
        p->part[i].exact = !calls_itself(&g, &p->part[i], mark);
    free_graph(&g);
    free(mark);
    return ok;
}
