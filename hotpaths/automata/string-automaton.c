/* SPDX-License-Identifier: MIT */
/* string-automaton.c - finds strings of a set in a text; see string-automaton.h. */
#include "hotpaths/automata/string-automaton.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"

/* The slot of a node's child, or the empty one where it belongs. */
static size_t child_slot(const struct patterns *p, uint32_t parent, uint32_t terminal)
{
    uint64_t hash = ((uint64_t)parent << 32 | terminal) * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = p->table_size - 1, slot = hash >> 32 & mask;

    assert((p->table_size & mask) == 0 && p->n <= p->table_size / 2);
    for (; p->table[slot]; slot = (slot + 1) & mask) {
        const struct pattern_node *node = &p->node[p->table[slot]];

        if (node->parent == parent && node->terminal == terminal)
            break;
    }
    return slot;
}

static uint32_t add_child(struct patterns *p, uint32_t parent, uint32_t terminal)
{
    size_t slot = child_slot(p, parent, terminal);

    assert(parent < p->n);
    if (!p->table[slot]) {
        p->node[p->n] = (struct pattern_node){ .parent = parent, .terminal = terminal,
                                               .depth = p->node[parent].depth + 1,
                                               .ends = PATTERN_NONE };
        p->table[slot] = p->n++;
    }
    return (uint32_t)p->table[slot];
}

/* Orders nodes by depth: counts those of each depth, then puts each into the next slot of its
 * depth. */
static int order_nodes(struct patterns *p)
{
    uint32_t *next = calloc((size_t)p->deepest + 2, sizeof *next);

    p->order = malloc(p->n * sizeof *p->order);
    if (next && p->order) {
        for (uint32_t i = 0; i < p->n; i++) {
            assert(p->node[i].depth <= p->deepest);
            next[p->node[i].depth + 1]++;
        }
        for (uint32_t depth = 1; depth <= p->deepest; depth++)
            next[depth] += next[depth - 1];
        for (uint32_t i = 0; i < p->n; i++)
            p->order[next[p->node[i].depth]++] = i;
    }
    free(next);
    return next && p->order ? HOT_OK : HOT_E_MEMORY;
}

/* Shorter strings first: a node's failure is a shorter string. */
static int find_failures(struct patterns *p)
{
    if (order_nodes(p) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t i = 1; i < p->n; i++) {
        struct pattern_node *node = &p->node[p->order[i]];

        if (node->parent)
            node->fail = patterns_next(p, p->node[node->parent].fail, node->terminal);
        assert(p->node[node->fail].depth < node->depth);
        node->more = patterns_first(p, node->fail);
    }
    return HOT_OK;
}

/* The slot of two terminals, or the empty one where they belong. */
static size_t pair_slot(const struct patterns *p, uint64_t pair)
{
    size_t mask = p->pair_size - 1;
    size_t slot = pair * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;

    assert((p->pair_size & mask) == 0 && p->n <= p->pair_size / 4);
    while (p->pair[slot] && p->pair[slot] != pair)
        slot = (slot + 1) & mask;
    return slot;
}

static uint64_t pair_of(uint32_t before, uint32_t terminal)
{
    return ((uint64_t)before << 32 | terminal) + 1;
}

bool patterns_continue(const struct patterns *p, uint32_t before, uint32_t terminal)
{
    return p->pair[pair_slot(p, pair_of(before, terminal))] != 0;
}

static int find_pairs(struct patterns *p)
{
    p->pair_size = 16;
    while (p->pair_size < 4 * (size_t)p->n)
        p->pair_size *= 2;
    p->pair = calloc(p->pair_size, sizeof *p->pair);
    if (!p->pair)
        return HOT_E_MEMORY;
    for (uint32_t i = 1; i < p->n; i++) {
        const struct pattern_node *node = &p->node[i];
        uint64_t pair = pair_of(p->node[node->parent].terminal, node->terminal);

        if (!node->parent)
            continue;
        p->pair[pair_slot(p, pair)] = pair;
        pair = pair_of(HOT_NO_TERMINAL, node->terminal);
        p->pair[pair_slot(p, pair)] = pair;
    }
    return HOT_OK;
}

int patterns_init(struct patterns *p, const struct hot_string *strings, size_t n, bool reversed)
{
    size_t most = 1, size = 16;

    *p = (struct patterns){ 0 };
    for (size_t i = 0; i < n; i++)
        most += strings[i].length;
    while (size < 2 * most)
        size *= 2;
    if (most >= UINT32_MAX)
        return HOT_E_MEMORY;
    p->node = malloc(most * sizeof *p->node);
    p->table = calloc(size, sizeof *p->table);
    p->table_size = size;
    if (!p->node || !p->table)
        return HOT_E_MEMORY;
    p->node[p->n++] = (struct pattern_node){ .ends = PATTERN_NONE };
    for (size_t i = 0; i < n; i++) {
        uint32_t node = 0, length = strings[i].length;

        for (uint32_t k = 0; k < length; k++)
            node = add_child(p, node, strings[i].terminals[reversed ? length - 1 - k : k]);
        assert(p->n <= most);
        p->node[node].ends = (uint32_t)i;
        p->deepest = length > p->deepest ? length : p->deepest;
    }
    return find_pairs(p) == HOT_OK ? find_failures(p) : HOT_E_MEMORY;
}

void patterns_clear(struct patterns *p)
{
    free(p->node);
    free(p->order);
    free(p->table);
    free(p->pair);
    *p = (struct patterns){ 0 };
}

uint32_t patterns_reduce(const struct patterns *p, uint32_t node, uint32_t terminal)
{
    while (node && !p->table[child_slot(p, node, terminal)])
        node = p->node[node].fail;
    return node;
}

uint32_t patterns_next(const struct patterns *p, uint32_t node, uint32_t terminal)
{
    node = patterns_reduce(p, node, terminal);
    return (uint32_t)p->table[child_slot(p, node, terminal)];
}

void patterns_add_up(const struct patterns *p, uint64_t *times)
{
    for (uint32_t i = p->n; i-- > 1;)
        times[p->node[p->order[i]].fail] += times[p->order[i]];
}

uint32_t patterns_machine_next(void *ctx, uint32_t node, uint32_t terminal)
{
    return patterns_next(ctx, node, terminal);
}

uint32_t patterns_machine_reduce(void *ctx, uint32_t node, uint32_t terminal)
{
    return patterns_reduce(ctx, node, terminal);
}

bool patterns_machine_settles(void *ctx, uint32_t before, uint32_t terminal)
{
    return !patterns_continue(ctx, before, terminal);
}
