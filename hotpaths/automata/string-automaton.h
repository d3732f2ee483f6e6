/* SPDX-License-Identifier: MIT */
/* string-automaton.h - a machine that sees where strings of a set end (Aho and Corasick).
 *
 *      nodes       a tree of all beginnings; node 0 is the empty string
 *      node.fail   the longest other node that the node's string ends with
 *      node.ends   the string that ends here, or PATTERN_NONE
 *      node.more   the next node on the way of `fail` where one ends; 0: none
 *      pair        two terminals that stand side by side in a string
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

/* Of strings that differ; `reversed`: of each from its end.  HOT_OK or HOT_E_MEMORY;
 * patterns_clear either way. */
int patterns_init(struct patterns *p, const struct hot_string *strings, size_t n, bool reversed);
void patterns_clear(struct patterns *p);

uint32_t patterns_next(const struct patterns *p, uint32_t node, uint32_t terminal);

/* The longest string that the node's ends with and that the terminal goes on with, or 0:
 * from there it leads to the same node. */
uint32_t patterns_reduce(const struct patterns *p, uint32_t node, uint32_t terminal);

/* times[i] is how often node i was come to; then, how often its string was seen. */
void patterns_add_up(const struct patterns *p, uint64_t *times);

/* Whether a string has `terminal` right behind `before`, or (HOT_NO_TERMINAL) behind any. */
bool patterns_continue(const struct patterns *p, uint32_t before, uint32_t terminal);

/* The longest string that ends at the node: where it does; 0: none. */
static inline uint32_t patterns_first(const struct patterns *p, uint32_t node)
{
    return p->node[node].ends != PATTERN_NONE ? node : p->node[node].more;
}

#endif
