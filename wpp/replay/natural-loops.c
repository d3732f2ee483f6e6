/* SPDX-License-Identifier: MIT */
/* natural-loops.c - dominators (Cooper, Harvey and Kennedy, 2001), then one walk back for each header. */
#include "wpp/replay/natural-loops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_BLOCK UINT32_MAX
#define ROOT (NO_BLOCK - 1)     /* above all blocks that control reaches other than by an arc */

/* Arrays by block. */
struct search {
    const struct block_graph *g;
    uint32_t *into_first, *into;       /* sources by target: into[into_first[b] ..] */
    uint32_t *order, n_order;          /* arrivals over arcs */
    uint32_t *rank;                    /* place in it, NO_BLOCK: not reached */
    uint32_t *dominator;               /* the immediate one, or ROOT */
    uint32_t *stack;
    bool *in_loop;
};

static bool make_search(struct search *s, const struct block_graph *g)
{
    uint32_t n = g->n_blocks;

    *s = (struct search){.g = g};
    s->into_first = calloc(n + (size_t)2, sizeof *s->into_first);
    s->into = calloc(g->first[n] + (size_t)1, sizeof *s->into);
    s->order = calloc(n + (size_t)1, sizeof *s->order);
    s->rank = calloc(n + (size_t)1, sizeof *s->rank);
    s->dominator = calloc(n + (size_t)1, sizeof *s->dominator);
    s->stack = calloc(2 * (size_t)n + 2, sizeof *s->stack);
    s->in_loop = calloc(n + (size_t)1, sizeof *s->in_loop);
    return s->into_first && s->into && s->order && s->rank && s->dominator && s->stack && s->in_loop;
}

static void free_search(struct search *s)
{
    free(s->into_first);
    free(s->into);
    free(s->order);
    free(s->rank);
    free(s->dominator);
    free(s->stack);
    free(s->in_loop);
}

static void index_targets(struct search *s)
{
    const struct block_graph *g = s->g;

    for (uint32_t i = 0; i < g->first[g->n_blocks]; i++)
        s->into_first[g->dst[i] + 1]++;
    for (uint32_t b = 0; b < g->n_blocks; b++)
        s->into_first[b + 1] += s->into_first[b];
    for (uint32_t b = 0; b < g->n_blocks; b++)
        for (uint32_t i = g->first[b]; i < g->first[b + 1]; i++)
            s->into[s->into_first[g->dst[i]]++] = b;
    for (uint32_t b = g->n_blocks; b > 0; b--)
        s->into_first[b] = s->into_first[b - 1];
    s->into_first[0] = 0;
    assert(s->into_first[g->n_blocks] == g->first[g->n_blocks]);
}

/* Visits the blocks from `root` on; the block finished last is put at the end of order[]. */
static void visit(struct search *s, uint32_t root, uint32_t *place)
{
    const struct block_graph *g = s->g;
    uint32_t n = 0, *next = s->stack + g->n_blocks;

    s->rank[root] = 0;
    next[n] = g->first[root];
    s->stack[n++] = root;
    while (n > 0) {
        uint32_t b = s->stack[n - 1];

        if (next[n - 1] == g->first[b + 1]) {
            assert(*place > 0);
            s->order[--*place] = b;
            n--;
            continue;
        }
        uint32_t to = g->dst[next[n - 1]++];
        if (s->rank[to] == NO_BLOCK && g->there[to]) {
            assert(n < g->n_blocks);
            s->rank[to] = 0;
            next[n] = g->first[to];
            s->stack[n++] = to;
        }
    }
}

static void order_blocks(struct search *s)
{
    uint32_t n = s->g->n_blocks, place = n;

    memset(s->rank, 0xFF, n * sizeof *s->rank);
    for (uint32_t b = n; b-- > 0;)
        if (s->g->there[b] && s->rank[b] == NO_BLOCK && s->g->root[b])
            visit(s, b, &place);
    /* A cycle that looks as if control never reached it. */
    for (uint32_t b = 0; b < n; b++)
        if (s->g->there[b] && s->rank[b] == NO_BLOCK)
            visit(s, b, &place);
    s->n_order = n - place;
    memmove(s->order, s->order + place, s->n_order * sizeof *s->order);
    for (uint32_t i = 0; i < s->n_order; i++)
        s->rank[s->order[i]] = i;
}

static uint32_t common_dominator(const struct search *s, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == ROOT || b == ROOT)
            return ROOT;
        assert(s->rank[a] != s->rank[b]);    /* the later one climbs */
        if (s->rank[a] > s->rank[b])
            a = s->dominator[a];
        else
            b = s->dominator[b];
    }
    return a;
}

static uint32_t dominator_of(const struct search *s, uint32_t block)
{
    uint32_t common = s->g->root[block] ? ROOT : NO_BLOCK;

    for (uint32_t i = s->into_first[block]; i < s->into_first[block + 1]; i++) {
        uint32_t from = s->into[i];

        if (s->rank[from] != NO_BLOCK && s->dominator[from] != NO_BLOCK)
            common = common == NO_BLOCK ? from : common_dominator(s, common, from);
    }
    return common == NO_BLOCK ? ROOT : common;
}

static void find_dominators(struct search *s)
{
    bool changed = true;

    memset(s->dominator, 0xFF, s->g->n_blocks * sizeof *s->dominator);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < s->n_order; i++) {
            uint32_t b = s->order[i], dominator = dominator_of(s, b);

            changed |= dominator != s->dominator[b];
            s->dominator[b] = dominator;
        }
    }
}

static bool dominates(const struct search *s, uint32_t a, uint32_t b)
{
    assert(s->rank[a] != NO_BLOCK && s->rank[b] != NO_BLOCK);
    while (b != a && b != ROOT && s->rank[b] > s->rank[a])
        b = s->dominator[b];
    return a == b;
}

/* Whether an arc from `src` to the block is a back edge. */
static bool goes_back(const struct search *s, uint32_t src, uint32_t block)
{
    return s->rank[src] != NO_BLOCK && dominates(s, block, src);
}

/* Marks and counts the blocks that reach `from` without passing a marked block. */
static uint32_t mark_back(struct search *s, uint32_t from)
{
    uint32_t n = 0, marked = 0;

    if (!s->in_loop[from])
        s->stack[n++] = from;
    s->in_loop[from] = true;
    while (n > 0) {
        uint32_t b = s->stack[--n];

        marked++;
        for (uint32_t i = s->into_first[b]; i < s->into_first[b + 1]; i++) {
            uint32_t src = s->into[i];

            if (!s->in_loop[src] && s->rank[src] != NO_BLOCK) {
                s->in_loop[src] = true;
                assert(n < s->g->n_blocks);
                s->stack[n++] = src;
            }
        }
    }
    return marked;
}

static bool take_loop(struct search *s, struct natural_loop *l, uint32_t header)
{
    *l = (struct natural_loop){.header = header, .n_blocks = 1};
    memset(s->in_loop, 0, s->g->n_blocks * sizeof *s->in_loop);
    s->in_loop[header] = true;
    for (uint32_t i = s->into_first[header]; i < s->into_first[header + 1]; i++) {
        if (!goes_back(s, s->into[i], header))
            continue;
        l->own_latch |= s->into[i] == header;
        l->n_blocks += mark_back(s, s->into[i]);
    }
    assert(l->n_blocks <= s->n_order);
    l->blocks = malloc(l->n_blocks * sizeof *l->blocks);
    if (!l->blocks)
        return false;
    l->n_blocks = 0;
    for (uint32_t b = 0; b < s->g->n_blocks; b++)
        if (s->in_loop[b])
            l->blocks[l->n_blocks++] = b;
    return true;
}

static bool is_header(const struct search *s, uint32_t block)
{
    for (uint32_t i = s->into_first[block]; i < s->into_first[block + 1]; i++)
        if (goes_back(s, s->into[i], block))
            return true;
    return false;
}

bool natural_loops_find(struct natural_loops *out, const struct block_graph *g)
{
    struct search s;
    bool ok = make_search(&s, g);

    *out = (struct natural_loops){0};
    if (ok) {
        index_targets(&s);
        order_blocks(&s);
        find_dominators(&s);
        out->loop = calloc(s.n_order + (size_t)1, sizeof *out->loop);
        ok = out->loop;
    }
    for (uint32_t b = 0; ok && b < g->n_blocks; b++)
        if (s.rank[b] != NO_BLOCK && is_header(&s, b))
            ok = take_loop(&s, &out->loop[out->n++], b);
    free_search(&s);
    if (!ok)
        natural_loops_free(out);
    return ok;
}

void natural_loops_free(struct natural_loops *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->loop[i].blocks);
    free(l->loop);
    *l = (struct natural_loops){0};
}

bool natural_loop_has(const struct natural_loop *l, uint32_t block)
{
    uint32_t low = 0, high = l->n_blocks;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (l->blocks[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->n_blocks && l->blocks[low] == block;
}

/* ---- A routine's graph ------------------------------------------------------------------------ */

enum { ENTRY, EXIT };

/* Where control goes from the edge's source; NO_BLOCK: nowhere, or it is not known. */
static uint32_t target_of(const struct wpp_routine *r, const struct wpp_edge *e)
{
    uint32_t to = e->kind == WPP_EDGE_START ? NO_BLOCK : e->kind == WPP_EDGE_REAL ? e->dst : e->to;

    return e->src == ENTRY || to == EXIT || to >= r->n_blocks ? NO_BLOCK : to;
}

/* Counts the arcs into first[src + 1], or (`place`) writes them, first[src] being the place of the next. */
static void take_arcs(const struct wpp_routine *r, uint32_t *first, uint32_t *place)
{
    for (uint32_t i = 0; i < r->n_edges; i++) {
        uint32_t to = target_of(r, &r->edges[i]), src = r->edges[i].src;

        if (to != NO_BLOCK && place)
            place[first[src]++] = to;
        else if (to != NO_BLOCK)
            first[src + 1]++;
    }
    for (uint32_t i = 0; i < r->n_landings; i++)
        if (place)
            place[first[r->landings[i].src]++] = r->landings[i].dst;
        else
            first[r->landings[i].src + 1]++;
}

/* Marks the blocks that can be reached from one that is not marked; `stack` has room for all blocks. */
static void reach(uint32_t from, const uint32_t *first, const uint32_t *dst, bool *reached, uint32_t *stack)
{
    uint32_t n = 0;

    stack[n++] = from;
    reached[from] = true;
    while (n > 0) {
        uint32_t b = stack[--n];

        for (uint32_t i = first[b]; i < first[b + 1]; i++)
            if (!reached[dst[i]]) {
                reached[dst[i]] = true;
                stack[n++] = dst[i];
            }
    }
}

/* Control reaches a block from outside by an edge out of ENTRY, or by no arc that the table knows; and
 * of what cannot be reached from these, the first block.  False: no memory. */
static bool find_roots(const struct wpp_routine *r, const uint32_t *first, const uint32_t *dst, bool *root)
{
    bool *reached = calloc(r->n_blocks + (size_t)1, sizeof *reached);
    uint32_t *stack = malloc((r->n_blocks + (size_t)1) * sizeof *stack);
    bool ok = reached && stack;

    memset(root, true, r->n_blocks * sizeof *root);
    for (uint32_t i = 0; i < first[r->n_blocks]; i++)
        root[dst[i]] = false;
    for (uint32_t i = 0; i < r->n_edges; i++)
        if (r->edges[i].src == ENTRY && r->edges[i].kind == WPP_EDGE_REAL)
            root[r->edges[i].dst] = true;
    for (uint32_t b = EXIT + 1; ok && b < r->n_blocks; b++)
        if (root[b] && !reached[b])
            reach(b, first, dst, reached, stack);
    for (uint32_t b = EXIT + 1; ok && b < r->n_blocks; b++)
        if (!reached[b]) {
            root[b] = true;
            reach(b, first, dst, reached, stack);
        }
    free(reached);
    free(stack);
    return ok;
}

bool natural_loops_of(struct natural_loops *out, const struct wpp_routine *r)
{
    uint32_t *first = calloc(r->n_blocks + (size_t)2, sizeof *first);
    uint32_t *dst = calloc(r->n_edges + (size_t)r->n_landings + 1, sizeof *dst);
    bool *there = calloc(r->n_blocks + (size_t)1, sizeof *there);
    bool *root = calloc(r->n_blocks + (size_t)1, sizeof *root);
    bool ok = first && dst && there && root;

    *out = (struct natural_loops){0};
    if (ok) {
        take_arcs(r, first, NULL);
        for (uint32_t b = 0; b < r->n_blocks; b++)
            first[b + 1] += first[b];
        take_arcs(r, first, dst);
        for (uint32_t b = r->n_blocks; b > 0; b--)
            first[b] = first[b - 1];
        first[0] = 0;
        for (uint32_t b = EXIT + 1; b < r->n_blocks; b++)
            there[b] = true;
        ok = find_roots(r, first, dst, root)
          && natural_loops_find(out, &(struct block_graph){r->n_blocks, first, dst, there, root});
    }
    free(first);
    free(dst);
    free(there);
    free(root);
    return ok;
}
