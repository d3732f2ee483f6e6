/* SPDX-License-Identifier: MIT */
#include "wpp/samples/layout-counts.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_VERTEX = 1, FIRST_BLOCK = 2, MOST_INFERRING = 8 };

struct placing {
    const struct map_routine *r;
    struct layout_counts *out;
    uint32_t n;                /* vertices of the graph before the layout */
    uint32_t *first;           /* n + 1: arcs out of v are arc[first[v] .. first[v + 1]) */
    uint32_t *origin;          /* by final block: vertex, or 0: unknown, or a jump that was added */
    uint32_t *tail;            /* by final block: the vertex at which it ends, or 0 */
    bool *gone;                /* by vertex: no final block was there */
    uint32_t *list, n_listed;  /* of a search: vertices that are gone */
    bool *listed, *on;         /* all false between searches */
    uint32_t *way;             /* arcs */
};

uint32_t layout_entry(const struct wpp_routine *layout)
{
    for (uint32_t i = 0; i < layout->n_edges; i++)
        if (layout->edges[i].src == 0 && layout->edges[i].kind == WPP_EDGE_REAL)
            return layout->edges[i].dst;
    return FIRST_BLOCK;
}

/* ---- The graph before the layout ---------------------------------------------------------------- */

static uint32_t target_of(const struct wpp_routine *l, const struct wpp_edge *e)
{
    if (e->src < 2 || e->kind == WPP_EDGE_START)
        return 0;
    return e->kind != WPP_EDGE_REAL && e->to < l->n_blocks ? e->to : e->dst;
}

static int by_arc(const void *a, const void *b)
{
    const struct layout_arc *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

static void find_arcs(struct placing *p)
{
    const struct wpp_routine *l = p->r->layout;
    struct layout_counts *out = p->out;
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n_edges; i++)
        if (target_of(l, &l->edges[i]))
            out->arc[n++] = (struct layout_arc){l->edges[i].src, target_of(l, &l->edges[i]), 0};
    if (n > 0)
        qsort(out->arc, n, sizeof *out->arc, by_arc);
    for (uint32_t i = 0; i < n; i++)
        if (out->n_arcs == 0 || by_arc(&out->arc[out->n_arcs - 1], &out->arc[i]))
            out->arc[out->n_arcs++] = out->arc[i];
    for (uint32_t v = 0, i = 0; v <= p->n; v++) {
        while (i < out->n_arcs && out->arc[i].src < v)
            i++;
        p->first[v] = i;
    }
}

/* ---- Ways ------------------------------------------------------------------------------------------ */

static uint32_t add_gone(struct placing *p, uint32_t vertex, uint32_t end, uint32_t n)
{
    if (vertex == end || vertex == EXIT_VERTEX || !p->gone[vertex] || p->listed[vertex])
        return n;
    p->listed[vertex] = true;
    p->list[n] = vertex;
    return n + 1;
}

/* Finds the vertices that are gone and lie on a way from u to v over such vertices: p->on. */
static void find_between(struct placing *p, uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    bool more = true;

    for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
        n = add_gone(p, p->out->arc[i].dst, v, n);
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = p->first[p->list[at]]; i < p->first[p->list[at] + 1]; i++)
            n = add_gone(p, p->out->arc[i].dst, v, n);
    while (more) {
        more = false;
        for (uint32_t at = 0; at < n; at++)
            for (uint32_t i = p->first[p->list[at]]; !p->on[p->list[at]] && i < p->first[p->list[at] + 1]; i++)
                more |= p->on[p->list[at]] = p->out->arc[i].dst == v || p->on[p->out->arc[i].dst];
    }
    for (uint32_t at = 0; at < n; at++)
        p->listed[p->list[at]] = false;
    p->n_listed = n;
}

static void forget_between(struct placing *p)
{
    for (uint32_t i = 0; i < p->n_listed; i++)
        p->on[p->list[i]] = false;
}

static bool has_way(struct placing *p, uint32_t u, uint32_t v)
{
    bool found = false;

    find_between(p, u, v);
    for (uint32_t i = p->first[u]; !found && i < p->first[u + 1]; i++)
        found = p->out->arc[i].dst == v || p->on[p->out->arc[i].dst];
    forget_between(p);
    return found;
}

/* Adds the count to each arc of the only way from u to v; u may be v.  False: there is none, or there are several. */
static bool add_way(struct placing *p, uint32_t u, uint32_t v, double count)
{
    uint32_t n = 0;
    bool found = true;

    find_between(p, u, v);
    for (uint32_t at = u; found && (n == 0 || at != v); at = p->out->arc[p->way[n - 1]].dst) {
        uint32_t choices = 0;
        for (uint32_t i = p->first[at]; i < p->first[at + 1]; i++)
            if (p->out->arc[i].dst == v || p->on[p->out->arc[i].dst]) {
                p->way[n] = i;
                choices++;
            }
        found = choices == 1 && ++n <= p->n_listed + 1;
        if (!found)
            break;
    }
    for (uint32_t i = 0; found && i < n; i++)
        p->out->arc[p->way[i]].count += count;
    forget_between(p);
    return found;
}

/* ---- Blocks that are new --------------------------------------------------------------------------- */

static uint32_t only_successor(const struct placing *p, uint32_t b)
{
    const struct map_routine *r = p->r;

    return r->first_arc[b + 1] == r->first_arc[b] + 1 ? r->arc[r->first_arc[b]] : 0;
}

/* Whether the block is new and does nothing but jump on within the routine. */
static bool is_jump(const struct placing *p, uint32_t b)
{
    return b > 1 && !p->r->origin[b] && p->r->r.blocks[b].insns <= 1 && only_successor(p, b) > 1;
}

/* Where such jumps lead in the end. */
static uint32_t behind_jumps(const struct placing *p, uint32_t b)
{
    for (uint32_t steps = 0; steps < p->r->r.n_blocks && is_jump(p, b); steps++)
        b = only_successor(p, b);
    return b;
}

static bool leads_to(const struct placing *p, uint32_t b, uint32_t c)
{
    const struct map_routine *r = p->r;

    for (uint32_t i = r->first_arc[b]; i < r->first_arc[b + 1]; i++)
        if (behind_jumps(p, r->arc[i]) == c)
            return true;
    return false;
}

/* Whether all that is known of where the final block b leads to could be said of a block at vertex t. */
static bool fits(struct placing *p, uint32_t b, uint32_t t)
{
    const struct map_routine *r = p->r;

    for (uint32_t i = r->first_arc[b]; i < r->first_arc[b + 1]; i++) {
        uint32_t c = behind_jumps(p, r->arc[i]), to = c == 1 ? EXIT_VERTEX : p->origin[c];
        if (to && !has_way(p, t, to))
            return false;
    }
    return true;
}

/* The vertex at which the final block b ends, if it begins at v: it may have swallowed the blocks that control
 * always passed next, or copies of them.  0: b cannot begin there. */
static uint32_t find_tail(struct placing *p, uint32_t b, uint32_t v)
{
    for (uint32_t steps = 0; steps < p->n && v != EXIT_VERTEX; steps++) {
        if (fits(p, b, v))
            return v;
        if (p->first[v + 1] != p->first[v] + 1)
            return 0;
        v = p->out->arc[p->first[v]].dst;
    }
    return 0;
}

/* Of which vertex the new block x is a copy, by one block from which control comes; 0: that does not tell. */
static uint32_t infer(struct placing *p, uint32_t b, uint32_t x)
{
    uint32_t found = 0, u = find_tail(p, b, p->origin[b]);

    for (uint32_t i = p->first[u]; u && i < p->first[u + 1]; i++) {
        uint32_t v = p->out->arc[i].dst;
        if (v == EXIT_VERTEX || !find_tail(p, x, v))
            continue;
        if (found)
            return 0;
        found = v;
    }
    return found;
}

/* True if anything new is known. */
static bool infer_origins(struct placing *p)
{
    bool more = false;

    for (uint32_t x = 2; x < p->r->r.n_blocks; x++)
        for (uint32_t b = 2; !p->origin[x] && !is_jump(p, x) && b < p->r->r.n_blocks; b++)
            if (p->origin[b] && leads_to(p, b, x)) {
                p->origin[x] = infer(p, b, x);
                more |= p->origin[x] != 0;
            }
    return more;
}

static void find_origins(struct placing *p)
{
    bool any = false;

    memset(p->gone, 1, p->n);
    for (uint32_t b = 2; b < p->r->r.n_blocks; b++) {
        p->origin[b] = p->r->origin[b];
        p->gone[p->origin[b]] = false;
        any |= !p->origin[b];
    }
    for (unsigned round = 0; any && round < MOST_INFERRING && infer_origins(p); round++)
        ;
    for (uint32_t b = 2; b < p->r->r.n_blocks; b++)
        p->tail[b] = p->origin[b] ? find_tail(p, b, p->origin[b]) : 0;
}

/* ---- Counts ------------------------------------------------------------------------------------------ */

static void place(struct placing *p, uint32_t b, uint32_t c, double count)
{
    uint32_t end = behind_jumps(p, c), v = end == 1 ? EXIT_VERTEX : p->origin[end];
    uint32_t u = p->origin[b], tail = p->tail[b];

    if (is_jump(p, b))
        return;
    if (!tail || !v || !add_way(p, tail, v, count)) {
        p->out->unplaced += count;
        return;
    }
    p->out->placed += count;
    for (; u != tail; u = p->out->arc[p->first[u]].dst)
        p->out->arc[p->first[u]].count += count;
}

/* A call of the routine arrives at its first block; that before the layout may be gone. */
static void place_call(struct placing *p, double count)
{
    uint32_t v = p->origin[behind_jumps(p, FIRST_BLOCK)], entry = layout_entry(p->r->layout);

    p->out->calls += count;
    if (v && v != entry)
        add_way(p, entry, v, count);
}

/* Adds the executions of a path to `edge`, by edges of its graph. */
static void add_path(const struct path_graph *g, uint64_t number, double count, double *edge)
{
    for (uint32_t v = 0; v != 1;) {
        uint32_t i = g->first[v + 1] - 1;
        while (i > g->first[v] && g->edge[i].val > number)
            i--;
        number -= g->edge[i].val;
        edge[i] += count;
        v = g->edge[i].dst;
    }
}

static void place_all(struct placing *p, const struct path_graph *g, const double *edge)
{
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct wpp_edge *e = &g->edge[i];
        if (edge[i] == 0)
            continue;
        if (e->src == 0 && e->kind == WPP_EDGE_REAL)
            place_call(p, edge[i]);
        else if (e->src != 0)
            place(p, e->src, e->kind != WPP_EDGE_REAL && e->to < g->n_vertices ? e->to : e->dst, edge[i]);
    }
}

bool layout_counts_new(struct layout_counts *out, const struct map_routine *r, const struct path_graph *g,
                       const struct path_estimate *path, uint64_t n)
{
    struct wpp_arena arena = {0};
    uint32_t vertices = r->layout->n_blocks;
    struct placing p = {.r = r, .out = out, .n = vertices};
    double *edge = wpp_arena_alloc(&arena, g->n_edges, sizeof *edge);
    bool done;

    *out = (struct layout_counts){.arc = calloc(r->layout->n_edges + (size_t)1, sizeof *out->arc)};
    p.first = wpp_arena_alloc(&arena, vertices + (size_t)1, sizeof *p.first);
    p.origin = wpp_arena_alloc(&arena, r->r.n_blocks, sizeof *p.origin);
    p.tail = wpp_arena_alloc(&arena, r->r.n_blocks, sizeof *p.tail);
    p.gone = wpp_arena_alloc(&arena, vertices, sizeof *p.gone);
    p.list = wpp_arena_alloc(&arena, vertices, sizeof *p.list);
    p.listed = wpp_arena_alloc(&arena, vertices, sizeof *p.listed);
    p.on = wpp_arena_alloc(&arena, vertices, sizeof *p.on);
    p.way = wpp_arena_alloc(&arena, vertices + (size_t)1, sizeof *p.way);
    done = out->arc && edge && p.first && p.origin && p.tail && p.gone && p.list && p.listed && p.on && p.way;
    if (done) {
        find_arcs(&p);
        find_origins(&p);
        for (uint64_t i = 0; i < n; i++)
            add_path(g, path[i].path, path[i].count, edge);
        place_all(&p, g, edge);
    } else {
        layout_counts_free(out);
    }
    wpp_arena_free(&arena);
    return done;
}

void layout_counts_free(struct layout_counts *c)
{
    free(c->arc);
    *c = (struct layout_counts){0};
}
