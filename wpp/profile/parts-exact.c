/* SPDX-License-Identifier: MIT */
/* parts-exact.c - inclusive costs of parts that call themselves: one walk up the call tree for as
 * many of them as there are lanes.
 *
 * The cost of a part within a piece depends on the piece's surroundings in one point only: whether
 * the calls before the piece's first path belong to the part.  So each piece has two sums:
 *
 *      lead     the part's cost within those calls, if they do not belong to the part (if they do,
 *               it is all that they cost)
 *      rest     the part's cost in everything else
 */
#include "wpp/profile/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, MEMORY = 256 << 20 };

struct lanes {
    const struct parts *parts;
    const struct run_costs *c;
    uint32_t n, stride;        /* the lanes in use; the arrays' distance between rows */
    double *own;               /* by terminal and lane: its cost in the part */
    uint32_t *calls;           /* by terminal: lanes whose part makes its calls */
    double *lead, *rest;       /* by piece and lane */
};

/* ---- Terminals --------------------------------------------------------------------------- */

/* `share` and `calls` are those of one part, by block. */
static void fill_terminal(struct lanes *l, uint32_t lane, const struct part *p, uint32_t number,
                          const double *share, const uint8_t *calls)
{
    const struct wpp_terminal *t = wpp_terminal(l->c->w, number);
    const struct wpp_routine *r = wpp_routine(l->c->w, t->routine);
    uint32_t first = l->c->block[t->routine], stop = t->n_blocks ? t->blocks[t->n_blocks - 1] : 0;
    double own = 0;

    for (uint32_t i = 0; i < t->n_blocks; i++)
        own += share[first + t->blocks[i]] * r->blocks[t->blocks[i]].insns;
    if (!p->block && t->routine == p->routine)
        own = (double)t->insns;
    l->own[(size_t)number * l->stride + lane] = own;
    assert(lane < l->stride && first + stop < l->c->block[t->routine + 1]);
    if (calls[first + stop])
        l->calls[number] |= 1u << lane;
}

static void fill_routine(struct lanes *l, uint32_t lane, const struct part *p, uint32_t routine,
                         const double *share, const uint8_t *calls)
{
    for (uint32_t i = l->parts->first_terminal[routine]; i < l->parts->first_terminal[routine + 1]; i++)
        fill_terminal(l, lane, p, l->parts->terminal[i], share, calls);
}

static void fill_lane(struct lanes *l, uint32_t lane, const struct part *p, double *share,
                      uint8_t *calls)
{
    const uint32_t *first = l->c->block;

    if (!p->block)
        memset(calls + first[p->routine], 1, first[p->routine + 1] - first[p->routine]);
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        uint32_t b = first[p->block[i].routine] + p->block[i].block;

        share[b] += p->block[i].share;
        calls[b] |= p->block[i].calls;
    }
    if (!p->block)
        fill_routine(l, lane, p, p->routine, share, calls);
    for (uint32_t i = 0; i < p->n_blocks; i++)
        if (i == 0 || p->block[i].routine != p->block[i - 1].routine)
            fill_routine(l, lane, p, p->block[i].routine, share, calls);
    if (!p->block)
        memset(calls + first[p->routine], 0, first[p->routine + 1] - first[p->routine]);
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        uint32_t b = first[p->block[i].routine] + p->block[i].block;

        share[b] = 0;
        calls[b] = 0;
    }
}

/* ---- Pieces ------------------------------------------------------------------------------ */

/* `mine`: lanes whose part makes the calls before the first path. */
static void add(double *to, const double *lead, double all, uint32_t mine, uint32_t n)
{
    assert(n <= LANES);
    for (uint32_t k = 0; k < n; k++)
        to[k] += mine >> k & 1 ? all : lead[k];
}

static void sum_piece(struct lanes *l, uint32_t p)
{
    const struct call_tree *t = l->c->tree;
    double *lead = l->lead + (size_t)p * l->stride, *rest = l->rest + (size_t)p * l->stride;
    uint32_t last = COSTS_NO_PATH;

    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;
        double *to = last == COSTS_NO_PATH ? lead : rest;
        uint32_t mine = last == COSTS_NO_PATH ? 0 : l->calls[last];

        if (item & CALL_TREE_CALL) {
            number = t->activation[number].piece;
            assert(number < p);
            add(to, l->rest + (size_t)number * l->stride, l->c->piece[number], mine, l->n);
        } else if (item & CALL_TREE_PIECE) {
            assert(number < p);
            add(to, l->lead + (size_t)number * l->stride, l->c->lead[number], mine, l->n);
            for (uint32_t k = 0; k < l->n; k++)
                rest[k] += l->rest[(size_t)number * l->stride + k];
            if (l->c->last[number] != COSTS_NO_PATH)
                last = l->c->last[number];
        } else if (wpp_terminal(l->c->w, item)->routine != WPP_NO_ROUTINE) {
            for (uint32_t k = 0; k < l->n; k++)
                rest[k] += l->own[(size_t)item * l->stride + k];
            last = item;
        }
    }
}

/* ---- The whole --------------------------------------------------------------------------- */

static bool make_lanes(struct lanes *l, const struct parts *p)
{
    size_t n_terminals = wpp_grammar(p->costs->w)->n_terminals + (size_t)1;
    size_t n_pieces = p->costs->tree->n_pieces + (size_t)1;

    *l = (struct lanes){.parts = p, .c = p->costs, .stride = LANES};
    while (l->stride > 1 && (2 * n_pieces + n_terminals) * sizeof(double) > MEMORY / l->stride)
        l->stride /= 2;
    l->own = malloc(n_terminals * l->stride * sizeof *l->own);
    l->calls = malloc(n_terminals * sizeof *l->calls);
    l->lead = malloc(n_pieces * l->stride * sizeof *l->lead);
    l->rest = malloc(n_pieces * l->stride * sizeof *l->rest);
    return l->own && l->calls && l->lead && l->rest;
}

static void free_lanes(struct lanes *l)
{
    free(l->own);
    free(l->calls);
    free(l->lead);
    free(l->rest);
}

static void clear_lanes(struct lanes *l)
{
    size_t n_terminals = wpp_grammar(l->c->w)->n_terminals + (size_t)1;
    size_t n_pieces = l->c->tree->n_pieces + (size_t)1;

    l->n = 0;
    memset(l->own, 0, n_terminals * l->stride * sizeof *l->own);
    memset(l->calls, 0, n_terminals * sizeof *l->calls);
    memset(l->lead, 0, n_pieces * l->stride * sizeof *l->lead);
    memset(l->rest, 0, n_pieces * l->stride * sizeof *l->rest);
}

/* Sets the costs of the lanes' parts to those within the roots. */
static void walk_up(struct parts *p, struct lanes *l, const uint32_t *number)
{
    const struct call_tree *t = l->c->tree;

    for (uint32_t piece = 1; piece < t->n_pieces; piece++)
        if (l->c->times[piece] > 0)
            sum_piece(l, piece);
    for (uint32_t k = 0; k < l->n; k++) {
        struct part *part = &p->part[number[k]];

        part->inclusive = 0;
        part->exact = true;
    }
    for (uint32_t i = 0; i < t->n_threads; i++)
        for (uint32_t k = 0; l->c->counted[i] && k < l->n; k++)
            p->part[number[k]].inclusive += l->lead[(size_t)t->root[i] * l->stride + k]
                                          + l->rest[(size_t)t->root[i] * l->stride + k];
}

bool parts_exact(struct parts *p, const uint32_t *number, uint32_t n)
{
    size_t n_blocks = p->costs->block[p->n_routines] + (size_t)1;
    double *share = calloc(n_blocks, sizeof *share);
    uint8_t *calls = calloc(n_blocks, sizeof *calls);
    uint32_t batch[LANES];
    struct lanes l = {0};
    bool ok = share && calls && make_lanes(&l, p);

    for (uint32_t i = 0; ok && i < n;) {
        clear_lanes(&l);
        for (; i < n && l.n < l.stride; i++)
            if (!p->part[number[i]].exact) {
                assert(l.n < LANES);
                batch[l.n] = number[i];
                fill_lane(&l, l.n++, &p->part[number[i]], share, calls);
            }
        if (l.n > 0)
            walk_up(p, &l, batch);
    }
    free(share);
    free(calls);
    free_lanes(&l);
    return ok;
}

/* ---- Ranking ----------------------------------------------------------------------------- */

struct rank { double cost; uint32_t number; };

static int by_cost(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_ranks(const struct parts *p, struct rank *rank, uint32_t n, bool inclusive)
{
    for (uint32_t i = 0; i < n; i++)
        rank[i].cost = inclusive ? p->part[rank[i].number].inclusive : p->part[rank[i].number].self;
    if (n > 0)
        qsort(rank, n, sizeof *rank, by_cost);
}

/* Makes bounds exact until the first `want` costs are no bounds. */
static bool settle(struct parts *p, struct rank *rank, uint32_t n, bool inclusive, uint32_t want,
                   uint32_t *number)
{
    for (;;) {
        uint32_t open = 0;

        sort_ranks(p, rank, n, inclusive);
        for (uint32_t i = 0; i < n && i < want; i++)
            if (!p->part[rank[i].number].exact)
                number[open++] = rank[i].number;
        assert(open <= n);
        if (open == 0)
            return true;
        for (uint32_t i = want; i < n && open % LANES; i++)
            if (!p->part[rank[i].number].exact)
                number[open++] = rank[i].number;
        if (!parts_exact(p, number, open))
            return false;
    }
}

uint32_t *parts_ranked(struct parts *p, uint32_t from, uint32_t to, bool inclusive, uint32_t want,
                       uint32_t *n)
{
    assert(from <= to && to <= p->n);
    struct rank *rank = malloc((to - from + (size_t)1) * sizeof *rank);
    uint32_t *number = malloc((to - from + (size_t)1) * sizeof *number);
    bool ok = rank && number;

    *n = 0;
    for (uint32_t i = from; ok && i < to; i++)
        if (p->part[i].inclusive > 0 || p->part[i].calls > 0)
            rank[(*n)++].number = i;
    ok = ok && settle(p, rank, *n, inclusive, want, number);
    for (uint32_t i = 0; ok && i < *n; i++)
        number[i] = rank[i].number;
    free(rank);
    if (ok)
        return number;
    free(number);
    return NULL;
}
