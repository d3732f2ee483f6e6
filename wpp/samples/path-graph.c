/* SPDX-License-Identifier: MIT */
#include "wpp/samples/path-graph.h"

#include <stdlib.h>
#include <string.h>

/* While a graph is made. */
struct making {
    const struct map_routine *r;
    const struct path_rules *rules;
    uint32_t n;                /* vertices */
    uint8_t *cut;              /* by arc: 0, or enum wpp_edge_kind of its END */
    uint32_t *order, n_order;  /* blocks, each behind those that it reaches by arcs that are not cut */
    uint8_t *state;            /* of the search: 0 new, 1 on the stack, 2 done */
    uint32_t *stack, *next;
    uint32_t *loop;            /* the head of the innermost loop of a block, or 0 */
    double *num;
};

static uint32_t n_arcs(const struct making *m)
{
    return m->r->first_arc[m->n];
}

/* Whether paths that leave the block by an arc end there: exceptions, non-local jumps. */
static bool is_far(const struct making *m, uint32_t arc)
{
    return m->r->arc_kind[arc] == WPP_EDGE_END_JUMP && m->r->arc[arc] != 1;
}

/* ---- Depth first --------------------------------------------------------------------------- */

static void search(struct making *m, uint32_t root, bool finds_back)
{
    uint32_t depth = 0;

    if (m->state[root])
        return;
    m->stack[0] = root;
    m->state[root] = 1;
    m->next[root] = m->r->first_arc[root];
    for (;;) {
        uint32_t v = m->stack[depth], arc = m->next[v], to;

        if (arc == m->r->first_arc[v + 1]) {
            m->state[v] = 2;
            m->order[m->n_order++] = v;
            if (depth-- == 0)
                return;
            continue;
        }
        m->next[v]++;
        to = m->r->arc[arc];
        if (to == 1 || m->cut[arc])
            continue;
        if (m->state[to] == 1 && finds_back)
            m->cut[arc] = WPP_EDGE_END_BACK;
        if (m->state[to])
            continue;
        m->state[to] = 1;
        m->next[to] = m->r->first_arc[to];
        m->stack[++depth] = to;
    }
}

static void search_all(struct making *m, bool finds_back)
{
    memset(m->state, 0, m->n);
    m->n_order = 0;
    if (m->n > 2)
        search(m, 2, finds_back);
    for (uint32_t v = 2; v < m->n; v++)
        search(m, v, finds_back);
}

/* ---- Regions -------------------------------------------------------------------------------- */

/* Marks the natural loop of the back arc b -> h, unless a smaller one has the block. */
static void mark_loop(struct making *m, uint32_t b, uint32_t h, uint32_t *size, uint32_t *in_first,
                      const uint32_t *in)
{
    uint32_t depth = 0, n = 0;

    memset(m->state, 0, m->n);
    m->state[h] = m->state[b] = 1;
    m->next[n++] = h;
    if (b != h) {
        m->next[n++] = b;
        m->stack[depth++] = b;
    }
    while (depth > 0) {
        uint32_t v = m->stack[--depth];
        for (uint32_t i = in_first[v]; i < in_first[v + 1]; i++)
            if (!m->state[in[i]]) {
                m->state[in[i]] = 1;
                m->next[n++] = in[i];
                m->stack[depth++] = in[i];
            }
    }
    for (uint32_t i = 0; i < n; i++)
        if (size[m->next[i]] == 0 || n < size[m->next[i]]) {
            size[m->next[i]] = n;
            m->loop[m->next[i]] = h;
        }
}

/* Blocks from which arcs lead to each block. */
static bool find_sources(const struct making *m, struct wpp_arena *arena, uint32_t **first, uint32_t **in)
{
    *first = wpp_arena_alloc(arena, m->n + (size_t)2, sizeof **first);
    *in = wpp_arena_alloc(arena, n_arcs(m), sizeof **in);
    if (!*first || !*in)
        return false;
    for (uint32_t i = 0; i < n_arcs(m); i++)
        (*first)[m->r->arc[i] + 2]++;
    for (uint32_t v = 0; v <= m->n; v++)
        (*first)[v + 1] += (*first)[v];
    for (uint32_t v = 0; v < m->n; v++)
        for (uint32_t i = m->r->first_arc[v]; i < m->r->first_arc[v + 1]; i++)
            (*in)[(*first)[m->r->arc[i] + 1]++] = v;
    return true;
}

/* Cuts the arcs between loops, and those to a block that two regions lead to.  A region grows from its
 * entry over blocks all of whose arcs come from it (rule 1 and 4), in one loop (rule 2). */
static bool cut_regions(struct making *m, struct wpp_arena *arena)
{
    uint32_t *first, *in, *size = wpp_arena_alloc(arena, m->n, sizeof *size);
    uint32_t *region = wpp_arena_alloc(arena, m->n, sizeof *region);

    if (!size || !region || !find_sources(m, arena, &first, &in))
        return false;
    for (uint32_t v = 2; v < m->n; v++)
        for (uint32_t i = m->r->first_arc[v]; i < m->r->first_arc[v + 1]; i++)
            if (m->cut[i] == WPP_EDGE_END_BACK)
                mark_loop(m, v, m->r->arc[i], size, first, in);
    search_all(m, false);
    for (uint32_t k = m->n_order; k-- > 0;) {
        uint32_t v = m->order[k];
        region[v] = v;
        if (first[v] < first[v + 1] && v != 2 && m->loop[v] != v)
            region[v] = region[in[first[v]]];
        for (uint32_t i = first[v]; i < first[v + 1]; i++)
            if (region[in[i]] != region[v] || m->loop[in[i]] != m->loop[v])
                region[v] = v;
    }
    for (uint32_t v = 2; v < m->n; v++)
        for (uint32_t i = m->r->first_arc[v]; i < m->r->first_arc[v + 1]; i++)
            if (!m->cut[i] && m->r->arc[i] != 1 && region[m->r->arc[i]] != region[v])
                m->cut[i] = WPP_EDGE_END_LIMIT;
    return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Paths from the block to EXIT; its arcs are cut if there are too many. */
static double count_paths(struct making *m, uint32_t v, bool *limited)
{
    double n = 0;
    uint32_t begin = m->r->first_arc[v], end = m->r->first_arc[v + 1];

    for (uint32_t i = begin; i < end; i++)
        n += m->cut[i] || m->r->arc[i] == 1 ? 1 : m->num[m->r->arc[i]];
    if (begin == end)
        return 1;
    if (n <= (double)m->rules->limit)
        return n;
    *limited = true;
    for (uint32_t i = begin; i < end; i++)
        if (!m->cut[i] && m->r->arc[i] != 1)
            m->cut[i] = WPP_EDGE_END_LIMIT;
    return end - begin;
}

static struct wpp_edge out_edge(const struct making *m, uint32_t v, uint32_t arc)
{
    struct wpp_edge e = {.src = v, .dst = m->r->arc[arc], .kind = WPP_EDGE_REAL, .to = UINT32_MAX};

    if (m->cut[arc]) {
        e.kind = m->cut[arc];
        e.to = e.dst;
        e.dst = 1;
    } else if (e.dst == 1) {
        e.kind = m->r->arc_kind[arc] == WPP_EDGE_REAL || m->r->arc_kind[arc] == WPP_EDGE_END_JUMP
                     ? m->r->arc_kind[arc] : WPP_EDGE_END_STOP;
    }
    return e;
}

/* Marks blocks to which jumps lead that the table does not follow (computed gotos of a recorded run's
 * graph): paths begin there that no END edge names. */
static void mark_unnamed(const struct making *m, uint8_t *target)
{
    const struct wpp_routine *r = &m->r->r;

    for (uint32_t i = 0; i < r->n_edges; i++)
        if (r->edges[i].kind == WPP_EDGE_START && r->edges[i].dst > 1)
            target[r->edges[i].dst] |= 4;
    for (uint32_t i = 0; i < r->n_edges; i++)
        if (r->edges[i].kind > WPP_EDGE_START && r->edges[i].to < r->n_blocks)
            target[r->edges[i].to] &= (uint8_t)~4;
}

/* The edges of ENTRY: to the routine's first block, and to the targets of what is cut. */
static uint32_t entry_edges(const struct making *m, struct wpp_edge *edge, uint32_t *start, uint8_t *target)
{
    uint32_t n = 0;

    memset(target, 0, m->n);
    for (uint32_t v = 2; v < m->n; v++)
        for (uint32_t i = m->r->first_arc[v]; i < m->r->first_arc[v + 1]; i++)
            if (m->r->arc[i] != 1)
                target[m->r->arc[i]] |= m->cut[i] ? 2 : 1;
    mark_unnamed(m, target);
    edge[n++] = (struct wpp_edge){0, 2, WPP_EDGE_REAL, UINT32_MAX, 0};
    for (uint32_t v = 2; v < m->n; v++) {
        start[v] = PATH_NONE;
        if ((target[v] & 6) || (v != 2 && !target[v])) {
            start[v] = n;
            edge[n++] = (struct wpp_edge){0, v, WPP_EDGE_START, UINT32_MAX, 0};
        }
    }
    return n;
}

static double paths_behind(const struct making *m, const struct wpp_edge *e)
{
    return e->dst == 1 ? 1 : m->num[e->dst];
}

static bool fill(struct making *m, struct path_graph *out, struct wpp_arena *arena)
{
    uint32_t most = n_arcs(m) + 2 * m->n + 1, n;
    struct wpp_edge *edge = wpp_arena_alloc(arena, most, sizeof *edge);
    uint32_t *first = wpp_arena_alloc(arena, m->n + (size_t)1, sizeof *first);
    uint32_t *start = wpp_arena_alloc(arena, m->n, sizeof *start);

    if (!edge || !first || !start)
        return false;
    n = entry_edges(m, edge, start, m->state);
    first[1] = first[2] = n;
    for (uint32_t v = 2; v < m->n; v++) {
        for (uint32_t i = m->r->first_arc[v]; i < m->r->first_arc[v + 1]; i++)
            edge[n++] = out_edge(m, v, i);
        if (m->r->first_arc[v] == m->r->first_arc[v + 1])
            edge[n++] = (struct wpp_edge){v, 1, WPP_EDGE_END_STOP, UINT32_MAX, 0};
        first[v + 1] = n;
    }
    for (uint32_t v = 0; v < m->n; v++) {
        uint64_t val = 0;
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            edge[i].val = val;
            val += (uint64_t)paths_behind(m, &edge[i]);
        }
        if (v == 0)
            out->num_paths = val;
    }
    out->edge = edge;
    out->n_edges = n;
    out->first = first;
    out->start = start;
    return true;
}

static bool fill_in_edges(struct making *m, struct path_graph *out, struct wpp_arena *arena)
{
    uint32_t *first = wpp_arena_alloc(arena, m->n + (size_t)2, sizeof *first);
    uint32_t *in = wpp_arena_alloc(arena, out->n_edges, sizeof *in);
    double *from_entry = wpp_arena_alloc(arena, m->n, sizeof *from_entry);

    if (!first || !in || !from_entry)
        return false;
    for (uint32_t i = 0; i < out->n_edges; i++)
        first[out->edge[i].dst + 2]++;
    for (uint32_t v = 0; v <= m->n; v++)
        first[v + 1] += first[v];
    for (uint32_t i = 0; i < out->n_edges; i++)
        in[first[out->edge[i].dst + 1]++] = i;
    from_entry[0] = 1;
    for (uint32_t i = 0; i < out->first[1]; i++)
        from_entry[out->edge[i].dst] += 1;
    for (uint32_t k = m->n_order; k-- > 0;)
        for (uint32_t v = m->order[k], i = out->first[v]; i < out->first[v + 1]; i++)
            from_entry[out->edge[i].dst] += from_entry[v];
    out->in_first = first;
    out->in = in;
    out->from_entry = from_entry;
    return true;
}

bool path_graph_new(struct path_graph *out, const struct map_routine *routine,
                    const struct path_rules *rules, struct wpp_arena *arena)
{
    struct making m = {.r = routine, .rules = rules, .n = routine->r.n_blocks};

    *out = (struct path_graph){.n_vertices = m.n};
    m.cut = wpp_arena_alloc(arena, n_arcs(&m), 1);
    m.order = wpp_arena_alloc(arena, m.n, sizeof *m.order);
    m.state = wpp_arena_alloc(arena, m.n, 1);
    m.stack = wpp_arena_alloc(arena, m.n + (size_t)1, sizeof *m.stack);
    m.next = wpp_arena_alloc(arena, m.n + (size_t)1, sizeof *m.next);
    m.loop = wpp_arena_alloc(arena, m.n, sizeof *m.loop);
    m.num = wpp_arena_alloc(arena, m.n, sizeof *m.num);
    if (!m.cut || !m.order || !m.state || !m.stack || !m.next || !m.loop || !m.num)
        return false;
    for (uint32_t i = 0; i < n_arcs(&m); i++)
        m.cut[i] = is_far(&m, i) ? WPP_EDGE_END_JUMP : 0;
    search_all(&m, true);
    if (rules->regions && !cut_regions(&m, arena))
        return false;
    search_all(&m, false);
    m.num[1] = 1;
    for (uint32_t k = 0; k < m.n_order; k++)
        m.num[m.order[k]] = count_paths(&m, m.order[k], &out->limited);
    if (!fill(&m, out, arena))
        return false;
    m.num[0] = (double)out->num_paths;
    out->to_exit = m.num;
    return fill_in_edges(&m, out, arena);
}

uint32_t path_graph_edge(const struct path_graph *g, uint32_t src, uint32_t dst)
{
    for (uint32_t i = g->first[src]; i < g->first[src + 1]; i++)
        if (g->edge[i].kind == WPP_EDGE_REAL || g->edge[i].dst != 1 || g->edge[i].to == UINT32_MAX
                ? g->edge[i].dst == dst : g->edge[i].to == dst)
            return i;
    return PATH_NONE;
}
