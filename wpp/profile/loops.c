/* SPDX-License-Identifier: MIT */
/* loops.c - dominators (Cooper, Harvey and Kennedy, 2001), then one walk back for each header. */
#include "wpp/profile/loops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_BLOCK UINT32_MAX
#define ROOT (NO_BLOCK - 1)     /* above all blocks that control reaches other than by an arc */

/* Arrays by block. */
struct search {
    const struct flow *f;
    uint32_t *into_first, *into;       /* arcs by target: into[into_first[b] ..] index f->arc */
    uint64_t *arrived;                 /* over arcs */
    uint32_t *order, n_order;          /* arrivals over arcs */
    uint32_t *rank;                    /* place in it, NO_BLOCK: not reached */
    uint32_t *dominator;               /* the immediate one, or ROOT */
    uint32_t *stack;
    bool *in_loop;
};

static bool make_search(struct search *s, const struct flow *f)
{
    uint32_t n = f->n_blocks;

    *s = (struct search){.f = f};
    s->into_first = calloc(n + (size_t)2, sizeof *s->into_first);
    s->into = calloc(f->n_arcs + (size_t)1, sizeof *s->into);
    s->arrived = calloc(n + (size_t)1, sizeof *s->arrived);
    s->order = calloc(n + (size_t)1, sizeof *s->order);
    s->rank = calloc(n + (size_t)1, sizeof *s->rank);
    s->dominator = calloc(n + (size_t)1, sizeof *s->dominator);
    s->stack = calloc(2 * (size_t)n + 2, sizeof *s->stack);
    s->in_loop = calloc(n + (size_t)1, sizeof *s->in_loop);
    return s->into_first && s->into && s->arrived && s->order && s->rank && s->dominator && s->stack
        && s->in_loop;
}

static void free_search(struct search *s)
{
    free(s->into_first);
    free(s->into);
    free(s->arrived);
    free(s->order);
    free(s->rank);
    free(s->dominator);
    free(s->stack);
    free(s->in_loop);
}

static void index_targets(struct search *s)
{
    const struct flow *f = s->f;

    for (uint32_t i = 0; i < f->n_arcs; i++) {
        s->into_first[f->arc[i].dst + 1]++;
        s->arrived[f->arc[i].dst] += f->arc[i].count;
    }
    for (uint32_t b = 0; b < f->n_blocks; b++)
        s->into_first[b + 1] += s->into_first[b];
    for (uint32_t i = 0; i < f->n_arcs; i++)
        s->into[s->into_first[f->arc[i].dst]++] = i;
    for (uint32_t b = f->n_blocks; b > 0; b--)
        s->into_first[b] = s->into_first[b - 1];
    s->into_first[0] = 0;
    assert(s->into_first[f->n_blocks] == f->n_arcs);
}

/* Whether control reaches the block other than by an arc. */
static bool is_root(const struct search *s, uint32_t block)
{
    return s->f->block[block] > s->arrived[block];
}

/* Visits the blocks from `root` on; the block finished last is put at the end of order[]. */
static void visit(struct search *s, uint32_t root, uint32_t *place)
{
    const struct flow *f = s->f;
    uint32_t n = 0, *next = s->stack + f->n_blocks;

    s->rank[root] = 0;
    next[n] = f->first[root];
    s->stack[n++] = root;
    while (n > 0) {
        uint32_t b = s->stack[n - 1];

        if (next[n - 1] == f->first[b + 1]) {
            assert(*place > 0);
            s->order[--*place] = b;
            n--;
            continue;
        }
        uint32_t to = f->arc[next[n - 1]++].dst;
        if (s->rank[to] == NO_BLOCK && f->block[to] > 0) {
            assert(n < f->n_blocks);
            s->rank[to] = 0;
            next[n] = f->first[to];
            s->stack[n++] = to;
        }
    }
}

static void order_blocks(struct search *s)
{
    uint32_t n = s->f->n_blocks, place = n;

    memset(s->rank, 0xFF, n * sizeof *s->rank);
    for (uint32_t b = n; b-- > 0;)
        if (s->f->block[b] > 0 && s->rank[b] == NO_BLOCK && is_root(s, b))
            visit(s, b, &place);
    /* A cycle that looks as if control never reached it. */
    for (uint32_t b = 0; b < n; b++)
        if (s->f->block[b] > 0 && s->rank[b] == NO_BLOCK)
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
    uint32_t common = is_root(s, block) ? ROOT : NO_BLOCK;

    for (uint32_t i = s->into_first[block]; i < s->into_first[block + 1]; i++) {
        uint32_t from = s->f->arc[s->into[i]].src;

        if (s->rank[from] != NO_BLOCK && s->dominator[from] != NO_BLOCK)
            common = common == NO_BLOCK ? from : common_dominator(s, common, from);
    }
    return common == NO_BLOCK ? ROOT : common;
}

static void find_dominators(struct search *s)
{
    bool changed = true;

    memset(s->dominator, 0xFF, s->f->n_blocks * sizeof *s->dominator);
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
            uint32_t src = s->f->arc[s->into[i]].src;

            if (!s->in_loop[src] && s->rank[src] != NO_BLOCK) {
                s->in_loop[src] = true;
                assert(n < s->f->n_blocks);
                s->stack[n++] = src;
            }
        }
    }
    return marked;
}

static void count_turns(const struct search *s, struct loop *l, uint64_t back, bool own_latch)
{
    const struct flow *f = s->f;
    uint64_t header = f->block[l->header], left = 0;

    for (uint32_t i = f->first[l->header]; i < f->first[l->header + 1]; i++)
        if (!s->in_loop[f->arc[i].dst])
            left += f->arc[i].count;
    l->entries = header > back ? header - back : 0;
    l->iterations = own_latch ? header : header - left;
}

static bool take_loop(struct search *s, struct loop *l, uint32_t header)
{
    uint64_t back = 0;
    bool own_latch = false;

    *l = (struct loop){.header = header, .n_blocks = 1};
    memset(s->in_loop, 0, s->f->n_blocks * sizeof *s->in_loop);
    s->in_loop[header] = true;
    for (uint32_t i = s->into_first[header]; i < s->into_first[header + 1]; i++) {
        const struct flow_arc *a = &s->f->arc[s->into[i]];

        if (s->rank[a->src] == NO_BLOCK || !dominates(s, header, a->src))
            continue;
        back += a->count;
        own_latch |= a->src == header;
        l->n_blocks += mark_back(s, a->src);
    }
    assert(l->n_blocks <= s->n_order);
    l->blocks = malloc(l->n_blocks * sizeof *l->blocks);
    if (!l->blocks)
        return false;
    l->n_blocks = 0;
    for (uint32_t b = 0; b < s->f->n_blocks; b++)
        if (s->in_loop[b])
            l->blocks[l->n_blocks++] = b;
    count_turns(s, l, back, own_latch);
    return true;
}

static bool is_header(const struct search *s, uint32_t block)
{
    for (uint32_t i = s->into_first[block]; i < s->into_first[block + 1]; i++) {
        const struct flow_arc *a = &s->f->arc[s->into[i]];

        if (a->count > 0 && s->rank[a->src] != NO_BLOCK && dominates(s, block, a->src))
            return true;
    }
    return false;
}

bool loops_find(struct loops *out, const struct flow *f)
{
    struct search s;
    bool ok = make_search(&s, f);

    *out = (struct loops){0};
    if (ok) {
        index_targets(&s);
        order_blocks(&s);
        find_dominators(&s);
        out->loop = calloc(s.n_order + (size_t)1, sizeof *out->loop);
        ok = out->loop;
    }
    for (uint32_t b = 0; ok && b < f->n_blocks; b++)
        if (s.rank[b] != NO_BLOCK && is_header(&s, b))
            ok = take_loop(&s, &out->loop[out->n++], b);
    free_search(&s);
    if (!ok)
        loops_free(out);
    return ok;
}

void loops_free(struct loops *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->loop[i].blocks);
    free(l->loop);
    *l = (struct loops){0};
}
