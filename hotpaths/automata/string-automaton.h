/* SPDX-License-Identifier: MIT */
/* string-automaton.h - a machine that finds the ends of strings of a set (Aho and Corasick).
 *
 *      nodes       a tree of all beginnings; node 0 is the empty string
 *      node.fail   the longest other node whose string is an end of this node's
 *      node.ends   the string that ends here, or PATTERN_NONE
 *      node.more   the next node along `fail` where a string ends; 0: none
 *      pair        two neighbouring terminals of a string
 */
#ifndef WPP_STRING_AUTOMATON_H
#define WPP_STRING_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/hotpaths.h"

#define PATTERN_NONE UINT32_MAX

struct pattern_node {
    uint32_t parent, terminal, depth;
    uint32_t fail, ends, more;
};

struct patterns {
    struct pattern_node *node;
    uint32_t n, deepest;        /* nodes; the length of the longest string */
    uint32_t *order;            /* nodes, those of shorter strings first */
    uint64_t *table;            /* open addressing: of (parent, terminal), node; 0 is empty */
    size_t table_size;
    uint64_t *pair;             /* open addressing: both terminals + 1; 0 is empty */
    size_t pair_size;
};

/* For different strings; `reversed`: each is read from its end.  HOT_OK or HOT_E_MEMORY;
 * patterns_clear either way. */
int patterns_init(struct patterns *p, const struct hot_string *strings, size_t n, bool reversed);
void patterns_clear(struct patterns *p);

uint32_t patterns_next(const struct patterns *p, uint32_t node, uint32_t terminal);

/* The longest end of the node's string that is in the tree and continues with the terminal, or 0:
 * the terminal leads from there to the same node. */
uint32_t patterns_reduce(const struct patterns *p, uint32_t node, uint32_t terminal);

/* Before, times[i] is how often node i was reached; after, how often its string was found. */
void patterns_add_up(const struct patterns *p, uint64_t *times);

/* Whether a string has `terminal` right behind `before`, or (HOT_NO_TERMINAL) in any other place
 * but its first. */
bool patterns_continue(const struct patterns *p, uint32_t before, uint32_t terminal);

/* `next`, `reduce` and `settles` of a machine (grammar-automaton.h) whose states are the nodes; ctx
 * points at a struct that begins with the patterns. */
uint32_t patterns_machine_next(void *ctx, uint32_t node, uint32_t terminal);
uint32_t patterns_machine_reduce(void *ctx, uint32_t node, uint32_t terminal);
bool patterns_machine_settles(void *ctx, uint32_t before, uint32_t terminal);

/* The node of the longest string that ends at this node; 0: none. */
static inline uint32_t patterns_first(const struct patterns *p, uint32_t node)
{
    return p->node[node].ends != PATTERN_NONE ? node : p->node[node].more;
}

#endif
