/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbering.c - from a control-flow graph to numbered paths, in six passes:
 *
 *   group_edges          CFG edges by source
 *   find_back_edges      reached vertices in postorder; which edges retreat
 *   count_paths          NumPaths, bottom up; vertices over the limit are cut
 *   lay_out              the DAG's edges, grouped by source
 *   assign_values        Val: running sums of NumPaths over each group
 *   pn_place_increments  maximum spanning tree; increments of the chords
 *
 * All passes iterate and do not recurse: a routine may have 100,000 blocks in one chain.
 */
#include "gcc-plugin/numbering/numbering-internal.h"

#include <assert.h>

/* Sums of two counts stay below 2^63. */
#define MAX_PATHS ((uint64_t)1 << 62)
/* END and START edges double the edges at most; indices stay below PN_NONE. */
#define MAX_EDGES (UINT32_MAX / 4)

enum visit { UNSEEN, ACTIVE, DONE };

/* The state that the passes share.
 *
 *   e.cut implies that e.src is reached
 *   after count_paths: paths[v] == 0 exactly when v is not reached
 *   in `order` each vertex stands after all its successors over uncut edges */
struct numbering {
    struct pn_graph *g;
    uint64_t limit;
    uint32_t *first, *out;    /* CFG edges of v: out[first[v] .. first[v + 1]), ascending */
    uint32_t *order;          /* reached vertices without ENTRY and EXIT */
    uint32_t n_order;
    uint64_t *paths;          /* NumPaths by vertex */
    uint32_t *start;          /* by vertex: START edge into it; PN_NONE: none */
    uint32_t n_starts;
};

static uint64_t saturating_add(uint64_t a, uint64_t b, uint64_t most)
{
    return a >= most || b > most - a ? most : a + b;
}

/* ---- The graph ------------------------------------------------------------- */

struct pn_graph *pn_new(uint32_t n_vertices, uint32_t entry, uint32_t exit)
{
    struct pn_graph *g = calloc(1, sizeof *g);

    if (g) {
        g->n_vertices = n_vertices;
        g->entry = entry;
        g->exit = exit;
    }
    return g;
}

static void drop_results(struct pn_graph *g)
{
    free(g->dag);
    free(g->first);
    g->dag = NULL;
    g->first = NULL;
    g->n_dag = g->n_limited = 0;
    g->num_paths = 0;
    for (uint32_t i = 0; i < g->n_edges; i++) {
        struct pn_edge *e = &g->edge[i];
        e->cut = e->back = e->limited = false;
        e->dag = e->start = PN_NONE;
    }
}

void pn_free(struct pn_graph *g)
{
    if (!g)
        return;
    free(g->dag);
    free(g->first);
    free(g->edge);
    free(g);
}

uint32_t pn_add_edge(struct pn_graph *g, uint32_t src, uint32_t dst,
                     uint64_t weight, uint32_t flags)
{
    if (g->n_edges == g->cap_edges) {
        uint32_t cap = g->cap_edges ? 2 * g->cap_edges : 16;
        if (cap > MAX_EDGES)
            return PN_NONE;
        struct pn_edge *edge = realloc(g->edge, cap * sizeof *edge);
        if (!edge)
            return PN_NONE;
        g->edge = edge;
        g->cap_edges = cap;
    }
    g->edge[g->n_edges] = (struct pn_edge){.src = src, .dst = dst, .flags = flags,
                                           .weight = weight, .dag = PN_NONE, .start = PN_NONE};
    return g->n_edges++;
}

static bool ends_are_sound(const struct pn_graph *g)
{
    if (g->entry >= g->n_vertices || g->exit >= g->n_vertices || g->entry == g->exit)
        return false;
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct pn_edge *e = &g->edge[i];
        if (e->src >= g->n_vertices || e->dst >= g->n_vertices
            || e->src == g->exit || e->dst == g->entry)
            return false;
    }
    return true;
}

static int group_edges(struct numbering *s)
{
    struct pn_graph *g = s->g;

    s->first = new_array((uint64_t)g->n_vertices + 2, sizeof *s->first);
    s->out = new_array(g->n_edges, sizeof *s->out);
    if (!s->first || !s->out)
        return PN_E_NOMEM;
    /* The counts are shifted by two places: so first[v + 1] is the place of v's next edge, and
     * in the end the begin of v + 1. */
    for (uint32_t i = 0; i < g->n_edges; i++)
        s->first[g->edge[i].src + 2]++;
    for (uint32_t v = 0; v < g->n_vertices; v++)
        s->first[v + 2] += s->first[v + 1];
    for (uint32_t i = 0; i < g->n_edges; i++)
        s->out[s->first[g->edge[i].src + 1]++] = i;
    return PN_OK;
}

/* ---- Back edges ------------------------------------------------------------ */

/* Depth-first search over the edges that the caller left uncut.  It starts from ENTRY and then
 * from each target of a cut edge, in the order found.  So a cycle that the caller has already
 * cut needs no second cut.  The search sees a loop's header before the rest of the loop, because
 * the header dominates the loop, also as a target.  So in a reducible graph only latches are
 * cut. */
struct search {
    uint8_t *state;           /* enum visit, by vertex */
    uint32_t *next;           /* by vertex: position in `out` of its next edge */
    uint32_t *stack, depth;   /* ACTIVE vertices */
    uint32_t *root, n_roots;  /* `rooted`: a vertex is a root at most once */
    bool *rooted;
};

static void add_root(struct search *d, uint32_t v)
{
    if (d->rooted[v])
        return;
    d->rooted[v] = true;
    d->root[d->n_roots++] = v;
}

static void enter(struct search *d, uint32_t v)
{
    assert(d->state[v] == UNSEEN);
    d->state[v] = ACTIVE;
    d->stack[d->depth++] = v;
}

/* Searches from one root.  PN_E_GRAPH: a vertex has no way out. */
static int visit_from(struct numbering *s, struct search *d, uint32_t root)
{
    enter(d, root);
    while (d->depth > 0) {
        uint32_t v = d->stack[d->depth - 1];
        if (s->first[v] == s->first[v + 1])
            return PN_E_GRAPH;
        if (d->next[v] == s->first[v + 1]) {
            d->state[v] = DONE;
            d->depth--;
            if (v != s->g->entry)
                s->order[s->n_order++] = v;
            continue;
        }
        struct pn_edge *e = &s->g->edge[s->out[d->next[v]++]];
        if (e->flags & PN_CUT) {
            e->cut = true;
            add_root(d, e->dst);
        } else if (d->state[e->dst] == ACTIVE) {
            e->cut = e->back = true;
        } else if (d->state[e->dst] == UNSEEN) {
            enter(d, e->dst);
        }
    }
    return PN_OK;
}

static int search_all(struct numbering *s, struct search *d)
{
    uint32_t n = s->g->n_vertices;

    s->order = new_array(n, sizeof *s->order);
    d->state = new_array(n, sizeof *d->state);
    d->next = new_array(n, sizeof *d->next);
    d->stack = new_array(n, sizeof *d->stack);
    d->root = new_array(n, sizeof *d->root);
    d->rooted = new_array(n, sizeof *d->rooted);
    if (!s->order || !d->state || !d->next || !d->stack || !d->root || !d->rooted)
        return PN_E_NOMEM;
    for (uint32_t v = 0; v < n; v++)
        d->next[v] = s->first[v];
    d->state[s->g->exit] = DONE;
    add_root(d, s->g->entry);
    for (uint32_t i = 0; i < d->n_roots; i++) {
        if (d->state[d->root[i]] != UNSEEN)
            continue;
        int status = visit_from(s, d, d->root[i]);
        if (status != PN_OK)
            return status;
    }
    return PN_OK;
}

static int find_back_edges(struct numbering *s)
{
    struct search d = {0};
    int status = search_all(s, &d);

    free(d.state);
    free(d.next);
    free(d.stack);
    free(d.root);
    free(d.rooted);
    return status;
}

/* ---- NumPaths and the limit ------------------------------------------------ */

/* Whether the limit may cut the edge.  An edge to EXIT is one path, cut or not, so it never
 * does. */
static bool limit_may_cut(const struct numbering *s, const struct pn_edge *e)
{
    return !e->cut && e->dst != s->g->exit;
}

/* Number of paths from v over its CFG edges; `limited`: as if the limit had cut v. */
static uint64_t paths_from(const struct numbering *s, uint32_t v, bool limited)
{
    uint64_t sum = 0;
    bool shared_end = false;

    for (uint32_t k = s->first[v]; k < s->first[v + 1]; k++) {
        const struct pn_edge *e = &s->g->edge[s->out[k]];
        if (!e->cut && !(limited && limit_may_cut(s, e)))
            sum = saturating_add(sum, s->paths[e->dst], MAX_PATHS + 1);
        else if (e->flags & PN_SHARED_END)
            shared_end = true;
        else
            sum = saturating_add(sum, 1, MAX_PATHS + 1);
    }
    return saturating_add(sum, shared_end, MAX_PATHS + 1);
}

static void cut_vertex(struct numbering *s, uint32_t v)
{
    for (uint32_t k = s->first[v]; k < s->first[v + 1]; k++) {
        struct pn_edge *e = &s->g->edge[s->out[k]];
        if (limit_may_cut(s, e))
            e->cut = e->limited = true;
    }
    s->g->n_limited++;
}

/* Number of paths from START edges: one for each distinct target of a cut edge. */
static uint64_t paths_from_starts(struct numbering *s)
{
    uint64_t sum = 0;

    for (uint32_t v = 0; v < s->g->n_vertices; v++)
        s->start[v] = PN_NONE;
    for (uint32_t i = 0; i < s->g->n_edges; i++) {
        const struct pn_edge *e = &s->g->edge[i];
        if (!e->cut || s->start[e->dst] != PN_NONE)
            continue;
        s->start[e->dst] = s->n_starts++;
        sum = saturating_add(sum, s->paths[e->dst], MAX_PATHS + 1);
    }
    return sum;
}

static int count_paths(struct numbering *s)
{
    struct pn_graph *g = s->g;

    s->paths = new_array(g->n_vertices, sizeof *s->paths);
    s->start = new_array(g->n_vertices, sizeof *s->start);
    if (!s->paths || !s->start)
        return PN_E_NOMEM;
    s->paths[g->exit] = 1;
    for (uint32_t k = 0; k < s->n_order; k++) {
        uint32_t v = s->order[k];
        uint64_t n = paths_from(s, v, false);
        if (n > s->limit && paths_from(s, v, true) < n) {
            cut_vertex(s, v);
            n = paths_from(s, v, false);
        }
        if (n > MAX_PATHS)
            return PN_E_RANGE;
        s->paths[v] = n;
    }
    g->num_paths = saturating_add(paths_from(s, g->entry, false), paths_from_starts(s),
                                  MAX_PATHS + 1);
    s->paths[g->entry] = g->num_paths;
    return g->num_paths > MAX_PATHS ? PN_E_RANGE : PN_OK;
}

/* ---- The DAG --------------------------------------------------------------- */

/* Appends a DAG edge.  Until assign_values, val holds the sort key: the paths from the edge's
 * target. */
static uint32_t append(struct numbering *s, uint32_t src, uint32_t dst, enum pn_kind kind,
                       uint32_t edge)
{
    struct pn_graph *g = s->g;
    uint64_t weight = kind == PN_START ? 0
                      : kind == PN_END ? g->edge[edge].end_weight : g->edge[edge].weight;

    g->dag[g->n_dag] = (struct pn_dag_edge){
        .src = src, .dst = dst, .kind = kind, .edge = edge, .val = s->paths[dst],
        .weight = weight,
    };
    return g->n_dag++;
}

static void append_out_edges(struct numbering *s, uint32_t v)
{
    struct pn_graph *g = s->g;
    uint32_t shared_end = PN_NONE;

    for (uint32_t k = s->first[v]; k < s->first[v + 1]; k++) {
        uint32_t i = s->out[k];
        const struct pn_edge *e = &g->edge[i];
        if (!e->cut) {
            append(s, v, e->dst, PN_REAL, i);
        } else if (!(e->flags & PN_SHARED_END)) {
            append(s, v, g->exit, PN_END, i);
        } else if (shared_end == PN_NONE) {
            shared_end = append(s, v, g->exit, PN_END, i);
        } else {
            struct pn_dag_edge *end = &g->dag[shared_end];
            end->weight = e->end_weight > end->weight ? e->end_weight : end->weight;
        }
    }
}

/* Edges with most paths first: so the smaller Vals fall to edges that lead to more paths.  No
 * two edges of one source compare equal. */
static int by_paths(const void *left, const void *right)
{
    const struct pn_dag_edge *a = left, *b = right;
    int order = compare(b->val, a->val);

    return order ? order : compare(a->edge, b->edge);
}

/* For ENTRY's edges: REAL before START, then in the caller's order. */
static int by_kind(const void *left, const void *right)
{
    const struct pn_dag_edge *a = left, *b = right;
    int order = compare(a->kind, b->kind);

    if (order == 0)
        order = compare(a->edge, b->edge);
    return order ? order : compare(a->dst, b->dst);
}

static int lay_out(struct numbering *s)
{
    struct pn_graph *g = s->g;
    uint64_t most = (uint64_t)g->n_edges + s->n_starts;

    g->dag = new_array(most, sizeof *g->dag);
    g->first = new_array((uint64_t)g->n_vertices + 1, sizeof *g->first);
    if (!g->dag || !g->first)
        return PN_E_NOMEM;
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        g->first[v] = g->n_dag;
        if (s->paths[v] == 0)
            continue;
        append_out_edges(s, v);
        for (uint32_t h = 0; v == g->entry && h < g->n_vertices; h++)
            if (s->start[h] != PN_NONE)
                append(s, v, h, PN_START, PN_NONE);
        qsort(g->dag + g->first[v], g->n_dag - g->first[v], sizeof *g->dag,
              v == g->entry ? by_kind : by_paths);
    }
    g->first[g->n_vertices] = g->n_dag;
    assert(g->n_dag <= most);
    return PN_OK;
}

static void assign_values(struct numbering *s)
{
    struct pn_graph *g = s->g;

    for (uint32_t v = 0; v < g->n_vertices; v++) {
        uint64_t val = 0;
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
            uint64_t paths = g->dag[i].val;
            g->dag[i].val = val;
            val += paths;
        }
        assert(v == g->exit || val == s->paths[v]);
    }
}

/* Sets the DAG edges of each CFG edge. */
static void link_edges(struct numbering *s)
{
    struct pn_graph *g = s->g;
    uint32_t *shared_end = s->order;      /* by vertex; reuses `order`, which is no longer needed */

    for (uint32_t i = 0; i < g->n_dag; i++) {
        const struct pn_dag_edge *d = &g->dag[i];
        if (d->kind == PN_START) {
            s->start[d->dst] = i;
            continue;
        }
        g->edge[d->edge].dag = i;
        if (d->kind == PN_END && (g->edge[d->edge].flags & PN_SHARED_END))
            shared_end[d->src] = i;
    }
    for (uint32_t i = 0; i < g->n_edges; i++) {
        struct pn_edge *e = &g->edge[i];
        if (!e->cut)
            continue;
        if (e->flags & PN_SHARED_END)
            e->dag = shared_end[e->src];
        e->start = s->start[e->dst];
    }
}

/* ---- All of it ------------------------------------------------------------- */

static int number_paths(struct numbering *s)
{
    int status;

    if ((status = group_edges(s)) != PN_OK
        || (status = find_back_edges(s)) != PN_OK
        || (status = count_paths(s)) != PN_OK
        || (status = lay_out(s)) != PN_OK)
        return status;
    assign_values(s);
    link_edges(s);
    return pn_place_increments(s->g);
}

int pn_number(struct pn_graph *g, uint64_t limit)
{
    struct numbering s = {.g = g, .limit = limit};
    int status = PN_E_GRAPH;

    drop_results(g);
    if (ends_are_sound(g))
        status = number_paths(&s);
    free(s.first);
    free(s.out);
    free(s.order);
    free(s.paths);
    free(s.start);
    if (status != PN_OK)
        drop_results(g);
    return status;
}

/* The last edge of v with val <= number; v's first edge has val 0. */
static uint32_t edge_towards(const struct pn_graph *g, uint32_t v, uint64_t number)
{
    uint32_t low = g->first[v], high = g->first[v + 1];

    assert(low < high && g->dag[low].val == 0);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->dag[middle].val <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t pn_regenerate(const struct pn_graph *g, uint64_t number, uint32_t *out, uint32_t max)
{
    uint32_t n = 0;

    if (number >= g->num_paths)
        return 0;
    for (uint32_t v = g->entry; v != g->exit; n++) {
        uint32_t i = edge_towards(g, v, number);
        if (n < max)
            out[n] = i;
        number -= g->dag[i].val;
        v = g->dag[i].dst;
    }
    assert(number == 0);
    return n;
}
