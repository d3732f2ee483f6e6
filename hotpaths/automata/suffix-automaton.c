/* SPDX-License-Identifier: MIT */
/* suffix-automaton.c - the suffix automaton of a tree of strings; see suffix-automaton.h. */
#include "hotpaths/automata/suffix-automaton.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/hash-table.h"

#define NOTHING UINT32_MAX     /* no edge, no state */

/* ---- Edges ----------------------------------------------------------------------------- */

static struct factor_edge *find_edge(const struct factors *f, uint32_t state, uint32_t terminal)
{
    size_t mask = f->table_size - 1, slot;
    uint32_t last = f->state[state].edges;
    uint64_t hash;

    if (last == NOTHING || f->edge[last].terminal == terminal)
        return last == NOTHING ? NULL : &f->edge[last];
    if (f->edge[last].next == NOTHING)
        return NULL;
    assert(f->n_in_table < f->table_size);
    hash = hash_table_hash(state, terminal);
    for (slot = SLOT_HOME(hash) & mask; f->table[slot]; slot = (slot + 1) & mask) {
        struct factor_edge *e = &f->edge[SLOT_NUMBER(f->table[slot])];

        if (SLOT_TAG(f->table[slot]) == SLOT_TAG(hash) && e->state == state &&
            e->terminal == terminal)
            return e;
    }
    return NULL;
}

/* Room for one more edge, and for two in the table. */
static int grow_edges(struct factors *f)
{
    if (GROW(f->edge, f->edges_size, f->n_edges + 1) != HOT_OK ||
        hash_table_grow(&f->table, &f->table_size, f->n_in_table + 2) != HOT_OK ||
        f->n_edges + 1 >= NOTHING)
        return HOT_E_MEMORY;
    return HOT_OK;
}

static void into_table(struct factors *f, uint32_t edge)
{
    uint64_t hash = hash_table_hash(f->edge[edge].state, f->edge[edge].terminal);
    size_t slot = SLOT_HOME(hash) & (f->table_size - 1);

    while (f->table[slot])
        slot = (slot + 1) & (f->table_size - 1);
    f->table[slot] = SLOT_TAG(hash) | (edge + 1);
    f->n_in_table++;
}

/* A state's only edge is in no table: most states have one. */
static int add_edge(struct factors *f, uint32_t state, uint32_t terminal, uint32_t to)
{
    uint32_t first = f->state[state].edges, edge = (uint32_t)f->n_edges;

    if (grow_edges(f) != HOT_OK)
        return HOT_E_MEMORY;
    f->edge[f->n_edges++] = (struct factor_edge){ state, terminal, to, first };
    f->state[state].edges = edge;
    if (first == NOTHING)
        return HOT_OK;
    if (f->edge[first].next == NOTHING)
        into_table(f, first);
    into_table(f, edge);
    return HOT_OK;
}

/* ---- States ---------------------------------------------------------------------------- */

static uint32_t add_state(struct factors *f, uint32_t length, uint32_t node)
{
    assert(f->n < 2 * (uint64_t)f->p->n);
    f->state[f->n] = (struct factor_state){ length, 0, node, NOTHING };
    return f->n++;
}

/* The terminal leads from `from` and its suffixes to `to`.  But longer factors lead there too, and
 * these now end at fewer nodes.  *out is the new state of those from `from` on. */
static int split_state(struct factors *f, uint32_t from, uint32_t terminal, uint32_t to,
                       uint32_t *out)
{
    uint32_t clone = add_state(f, f->state[from].length + 1, f->state[to].node);
    struct factor_edge *e;

    assert(f->state[clone].length < f->state[to].length);
    for (uint32_t i = f->state[to].edges; i != NOTHING; i = f->edge[i].next)
        if (add_edge(f, clone, f->edge[i].terminal, f->edge[i].to) != HOT_OK)
            return HOT_E_MEMORY;
    f->state[clone].link = f->state[to].link;
    f->state[to].link = clone;
    for (; from != NOTHING && (e = find_edge(f, from, terminal)) && e->to == to;
         from = f->state[from].link)
        e->to = clone;
    *out = clone;
    return HOT_OK;
}

/* Adds the state of the string of `node`; the state of its parent is `last`. */
static int extend(struct factors *f, uint32_t last, uint32_t node, uint32_t *out)
{
    uint32_t terminal = f->p->node[node].terminal, from = last, state;
    struct factor_edge *e = find_edge(f, last, terminal);

    if (e && f->state[e->to].length == f->state[last].length + 1) {
        *out = e->to;
        return HOT_OK;
    }
    if (e)
        return split_state(f, last, terminal, e->to, out);
    *out = state = add_state(f, f->state[last].length + 1, node);
    for (; from != NOTHING && !(e = find_edge(f, from, terminal)); from = f->state[from].link)
        if (add_edge(f, from, terminal, state) != HOT_OK)
            return HOT_E_MEMORY;
    if (from == NOTHING)
        return HOT_OK;
    f->state[state].link = e->to;
    if (f->state[e->to].length == f->state[from].length + 1)
        return HOT_OK;
    return split_state(f, from, terminal, e->to, &f->state[state].link);
}

int factors_init(struct factors *f, const struct patterns *p)
{
    uint32_t *of = malloc((size_t)p->n * sizeof *of);
    int status = HOT_OK;

    *f = (struct factors){ .p = p };
    f->state = malloc(2 * (size_t)p->n * sizeof *f->state);
    if (!of || !f->state || p->n > NOTHING / 2 || hash_table_grow(&f->table, &f->table_size,
                                                                  1) != HOT_OK)
        status = HOT_E_MEMORY;
    else
        f->state[of[0] = add_state(f, 0, 0)].link = NOTHING;
    for (uint32_t i = 1; status == HOT_OK && i < p->n; i++)
        status = extend(f, of[p->node[i].parent], i, &of[i]);
    free(of);
    return status;
}

void factors_clear(struct factors *f)
{
    free(f->state);
    free(f->edge);
    free(f->table);
    *f = (struct factors){ 0 };
}

/* ---- Asking ---------------------------------------------------------------------------- */

/* Most states have only one edge. */
uint32_t factors_next(const struct factors *f, uint32_t state, uint32_t terminal)
{
    uint32_t last = f->state[state].edges;
    const struct factor_edge *e;

    if (last == NOTHING)
        return 0;
    e = &f->edge[last];
    if (e->terminal == terminal)
        return e->to;
    e = e->next == NOTHING ? NULL : find_edge(f, state, terminal);
    return e ? e->to : 0;
}

void factors_text(const struct factors *f, uint32_t state, uint32_t length, uint32_t *out)
{
    uint32_t node = f->state[state].node;

    assert(length <= f->state[state].length);
    for (; length > 0; node = f->p->node[node].parent)
        out[--length] = f->p->node[node].terminal;
}
