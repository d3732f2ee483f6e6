/* SPDX-License-Identifier: MIT */
/* run-costs.c - costs are summed up the call tree, counts of occurrences down. */
#include "wpp/profile/run-costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool makes_calls(const struct run_costs *c, uint32_t piece)
{
    return c->call_first[piece] < c->call_first[piece + 1];
}

/* Whether an item is a call, or a piece that makes some. */
static bool is_call_item(const struct run_costs *c, uint32_t item)
{
    return item & CALL_TREE_CALL || (item & CALL_TREE_PIECE && makes_calls(c, item & CALL_TREE_NUMBER));
}

/* Pieces ascend, so those in a piece are known when it is looked at. */
static bool find_calls(struct run_costs *c)
{
    const struct call_tree *t = c->tree;
    uint64_t n = 0;

    c->call_first = calloc(t->n_pieces + (size_t)2, sizeof *c->call_first);
    for (uint32_t p = 0; c->call_first && p < t->n_pieces; p++) {
        for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++)
            n += is_call_item(c, t->item[i]);
        c->call_first[p + 1] = n;
    }
    c->call_item = malloc((n + 1) * sizeof *c->call_item);
    n = 0;
    for (uint32_t p = 0; c->call_first && c->call_item && p < t->n_pieces; p++)
        for (uint64_t i = t->first[p]; makes_calls(c, p) && i < t->first[p + 1]; i++)
            if (is_call_item(c, t->item[i]))
                c->call_item[n++] = t->item[i];
    return c->call_first && c->call_item;
}

/* ---- Up: pieces from their items ------------------------------------------------------- */

static bool is_path(const struct run_costs *c, uint32_t item)
{
    return !(item & (CALL_TREE_CALL | CALL_TREE_PIECE))
        && wpp_terminal(c->w, item)->routine != WPP_NO_ROUTINE;
}

static void sum_piece(struct run_costs *c, uint32_t p)
{
    const struct call_tree *t = c->tree;

    c->last[p] = COSTS_NO_PATH;
    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL) {
            double cost = c->piece[t->activation[number].piece];

            assert(t->activation[number].piece < p);
            c->piece[p] += cost;
            if (c->last[p] == COSTS_NO_PATH)
                c->lead[p] += cost;
        } else if (item & CALL_TREE_PIECE) {
            assert(number < p);              /* its sums are complete */
            c->piece[p] += c->piece[number];
            if (c->last[p] == COSTS_NO_PATH)
                c->lead[p] += c->lead[number];
            if (c->last[number] != COSTS_NO_PATH)
                c->last[p] = c->last[number];
        } else {
            c->piece[p] += (double)wpp_terminal(c->w, item)->insns;
            if (is_path(c, item))
                c->last[p] = item;
        }
    }
}

/* ---- Down: counts of occurrences --------------------------------------------------------- */

static void spread_piece(struct run_costs *c, uint32_t p)
{
    const struct call_tree *t = c->tree;
    double times = c->times[p];
    uint32_t last = COSTS_NO_PATH;

    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL) {
            const struct activation *a = &t->activation[number];

            assert(number < t->n_activations && a->piece < p);
            c->times[a->piece] += times;
            if (!a->unseen)
                c->entered[a->routine] += times;
            if (last != COSTS_NO_PATH)
                c->called[last] += times * c->piece[a->piece];
        } else if (item & CALL_TREE_PIECE) {
            c->times[number] += times;
            if (last != COSTS_NO_PATH)
                c->called[last] += times * c->lead[number];
            if (c->last[number] != COSTS_NO_PATH)
                last = c->last[number];
        } else {
            c->count[item] += times;
            if (is_path(c, item))
                last = item;
        }
    }
}

/* ---- Sites ------------------------------------------------------------------------------- */

/* A set of (terminal, item): calls and pieces that begin with calls, with the terminal that ended
 * there. */
struct site_set {
    uint64_t *key;             /* 0: a free slot */
    size_t n, size;
    uint64_t *todo;            /* keys whose piece has not been read yet */
    size_t n_todo, todo_size;
};

static size_t site_place(const struct site_set *s, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (hash ^ hash >> 32) & (s->size - 1);

    assert((s->size & (s->size - 1)) == 0 && s->n < s->size);        /* so a search ends */
    while (s->key[i] && s->key[i] != key)
        i = (i + 1) & (s->size - 1);
    return i;
}

static bool grow_sites(struct site_set *s)
{
    struct site_set larger = *s;

    larger.size = s->size ? 2 * s->size : 256;
    larger.key = calloc(larger.size, sizeof *larger.key);
    if (!larger.key)
        return false;
    for (size_t i = 0; i < s->size; i++)
        if (s->key[i])
            larger.key[site_place(&larger, s->key[i])] = s->key[i];
    free(s->key);
    *s = larger;
    return true;
}

static bool push_todo(struct site_set *s, uint64_t key)
{
    if (s->n_todo == s->todo_size) {
        size_t size = 2 * s->todo_size + 64;
        uint64_t *todo = realloc(s->todo, size * sizeof *todo);

        if (!todo)
            return false;
        s->todo = todo;
        s->todo_size = size;
    }
    s->todo[s->n_todo++] = key;
    return true;
}

/* A call is stored by its routine, so that the set holds each site once. */
static bool add_site(struct site_set *s, const struct call_tree *t, uint32_t terminal, uint32_t item)
{
    uint32_t thing = item & CALL_TREE_CALL
                   ? CALL_TREE_CALL | t->activation[item & CALL_TREE_NUMBER].routine : item;
    uint64_t key = (uint64_t)terminal << 32 | thing;
    size_t place;

    assert(key != 0 && terminal != COSTS_NO_PATH);
    if (2 * s->n >= s->size && !grow_sites(s))
        return false;
    place = site_place(s, key);
    if (s->key[place])
        return true;
    s->key[place] = key;
    s->n++;
    return item & CALL_TREE_CALL || push_todo(s, key);
}

/* Adds the sites in piece p.  The calls before its first path are made where `lead` ended, if that
 * is a path; `whole`: adds also the other calls, at the paths before them. */
static bool add_sites_in(struct run_costs *c, struct site_set *s, uint32_t p, uint32_t lead,
                         bool whole)
{
    const struct call_tree *t = c->tree;
    uint32_t last = lead;

    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i];
        bool piece = !(item & CALL_TREE_CALL) && item & CALL_TREE_PIECE;

        if (last != COSTS_NO_PATH
            && (item & CALL_TREE_CALL || (piece && c->lead[item & CALL_TREE_NUMBER] > 0))
            && !add_site(s, t, last, item))
            return false;
        if (piece && c->last[item & CALL_TREE_NUMBER] != COSTS_NO_PATH)
            last = c->last[item & CALL_TREE_NUMBER];
        else if (is_path(c, item))
            last = item;
        if (!whole && last != lead)
            return true;
    }
    return true;
}

static int compare_sites(const void *a, const void *b)
{
    const struct call_site *x = a, *y = b;

    if (x->terminal != y->terminal)
        return x->terminal < y->terminal ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static bool take_sites(struct run_costs *c, const struct site_set *s)
{
    c->site = malloc((s->n + 1) * sizeof *c->site);
    if (!c->site)
        return false;
    for (size_t i = 0; i < s->size; i++)
        if (s->key[i] & CALL_TREE_CALL)
            c->site[c->n_sites++] = (struct call_site){
                (uint32_t)(s->key[i] >> 32), (uint32_t)s->key[i] & ~CALL_TREE_CALL
            };
    assert(c->n_sites <= s->n);
    qsort(c->site, c->n_sites, sizeof *c->site, compare_sites);
    return true;
}

static bool find_sites(struct run_costs *c)
{
    struct site_set s = {0};
    bool ok = true;

    for (uint32_t p = 1; ok && p < c->tree->n_pieces; p++)
        if (c->times[p] > 0 && makes_calls(c, p))
            ok = add_sites_in(c, &s, p, COSTS_NO_PATH, true);
    while (ok && s.n_todo > 0) {
        uint64_t key = s.todo[--s.n_todo];

        ok = add_sites_in(c, &s, (uint32_t)key & CALL_TREE_NUMBER, (uint32_t)(key >> 32), false);
    }
    ok = ok && take_sites(c, &s);
    free(s.key);
    free(s.todo);
    return ok;
}

/* ---- Blocks ------------------------------------------------------------------------------ */

static void spread_path(struct run_costs *c, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(c->w, number);
    const struct wpp_routine *routine = wpp_routine(c->w, t->routine);
    uint32_t first = c->block[t->routine], stop;

    for (uint32_t i = 0; i < t->n_blocks; i++)
        c->own[first + t->blocks[i]] += c->count[number] * routine->blocks[t->blocks[i]].insns;
    stop = t->n_blocks ? t->blocks[t->n_blocks - 1] : 0;
    assert(first + stop < c->block[t->routine + 1]);
    c->below[first + stop] += c->called[number];
}

/* ---- The whole --------------------------------------------------------------------------- */

static bool make_arrays(struct run_costs *c, uint32_t n_routines)
{
    uint32_t n_terminals = wpp_grammar(c->w)->n_terminals;
    size_t n_pieces = c->tree->n_pieces + (size_t)1, n_blocks;

    c->block = calloc(n_routines + (size_t)1, sizeof *c->block);
    if (!c->block)
        return false;
    for (uint32_t r = 0; r < n_routines; r++)
        c->block[r + 1] = c->block[r] + wpp_routine(c->w, r)->n_blocks;
    n_blocks = c->block[n_routines] + (size_t)1;
    c->counted = calloc(c->tree->n_threads + (size_t)1, sizeof *c->counted);
    c->count = calloc(n_terminals + (size_t)1, sizeof *c->count);
    c->called = calloc(n_terminals + (size_t)1, sizeof *c->called);
    c->entered = calloc(n_routines + (size_t)1, sizeof *c->entered);
    c->own = calloc(n_blocks, sizeof *c->own);
    c->below = calloc(n_blocks, sizeof *c->below);
    c->piece = calloc(n_pieces, sizeof *c->piece);
    c->lead = calloc(n_pieces, sizeof *c->lead);
    c->last = calloc(n_pieces, sizeof *c->last);
    c->times = calloc(n_pieces, sizeof *c->times);
    return c->counted && c->count && c->called && c->entered && c->own && c->below && c->piece
        && c->lead && c->last && c->times;
}

bool run_costs_new(struct run_costs *out, const wpp *w, const struct call_tree *tree,
                   uint32_t thread)
{
    struct wpp_summary run;

    *out = (struct run_costs){.w = w, .tree = tree};
    wpp_get_summary(w, &run);
    if (!make_arrays(out, run.n_routines) || !find_calls(out)) {
        run_costs_free(out);
        return false;
    }
    if (tree->n_pieces > 0)
        out->last[0] = COSTS_NO_PATH;
    for (uint32_t p = 1; p < tree->n_pieces; p++)
        sum_piece(out, p);
    for (uint32_t k = 0; k < tree->n_threads; k++)
        if (thread == UINT32_MAX || thread == k) {
            out->counted[k] = true;
            out->times[tree->root[k]] += 1;
            out->total += out->piece[tree->root[k]];
            out->events += wpp_thread(w, k)->tokens;
        }
    for (uint32_t p = tree->n_pieces; p-- > 1;)
        if (out->times[p] > 0)
            spread_piece(out, p);
    for (uint32_t t = 0; t < wpp_grammar(w)->n_terminals; t++)
        if (wpp_terminal(w, t)->routine != WPP_NO_ROUTINE && out->count[t] > 0)
            spread_path(out, t);
    if (!find_sites(out)) {
        run_costs_free(out);
        return false;
    }
    return true;
}

void run_costs_free(struct run_costs *c)
{
    free(c->counted);
    free(c->count);
    free(c->called);
    free(c->entered);
    free(c->block);
    free(c->own);
    free(c->below);
    free(c->piece);
    free(c->lead);
    free(c->last);
    free(c->times);
    free(c->call_first);
    free(c->call_item);
    free(c->site);
    *c = (struct run_costs){0};
}
