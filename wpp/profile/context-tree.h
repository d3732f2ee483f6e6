/* SPDX-License-Identifier: MIT */
/* context-tree.h - the calling context tree with all its nodes, made once; questions about routines are answered from
 * it without the call tree (call-contexts.h answers each from that).
 *
 *      0 main                     above read_block: nodes 2 and 4, and the nodes around each
 *        1 parse                  below parse:      node 1, and the nodes in it
 *          2 read_block
 *        3 write
 *          4 read_block
 *
 * A recursive program may have nearly as many contexts as activations.  The tree has a bounded number of nodes, the
 * outermost ones; `left` says which routines are also called below a node that was not opened.
 *
 * Invariants (context_tree_check): a node stands behind its parent; the children of a node stand in a row, in order of
 * cost, each of another routine; they cost no more than it.
 */
#ifndef WPP_CONTEXT_TREE_H
#define WPP_CONTEXT_TREE_H

#include "wpp/profile/call-contexts.h"

#define CONTEXT_NO_PARENT UINT32_MAX

struct context_node {
    uint32_t routine;
    uint32_t parent;           /* or CONTEXT_NO_PARENT: called by no traced routine */
    uint32_t first, n;         /* its children */
    bool open;                 /* its children are known */
    double calls, inclusive;   /* activations whose beginning was seen; cost of all */
};

struct context_tree {
    struct context_node *node;
    uint32_t n, n_roots;       /* the first ones are the roots */
    uint32_t n_routines;
    bool *left;                /* by routine */
    struct context_opening *opening;       /* NULL: it is made */
};

/* Makes the roots; `costs` must live until the tree is made.  `most`: nodes at which no more are opened.  False: no
 * memory. */
#ifdef WPP_HOSTILE
enum { CONTEXT_TREE_MOST = 8 };
#else
enum { CONTEXT_TREE_MOST = 1 << 18 };
#endif
bool context_tree_new(struct context_tree *out, const struct run_costs *costs, uint32_t most);
/* Goes on with making it, and looks at about `items` items of the call tree.  When out->opening is NULL, questions may be asked.
 * False: no memory; then the tree is empty.  Cost in all: for each node, O(the part of the call tree that it stands for),
 * at most a small multiple of the call tree's items. */
bool context_tree_open(struct context_tree *t, uint64_t items);
void context_tree_free(struct context_tree *t);
bool context_tree_check(const struct context_tree *t);

/* CONTEXTS_LEFT: the tree has not all of it; contexts_below() and contexts_above() have. */
enum contexts_status { CONTEXTS_DONE, CONTEXTS_LEFT, CONTEXTS_NO_MEMORY };

/* The same as contexts_below() and contexts_above().  Cost: O(nodes), above for each level of the answer. */
enum contexts_status context_tree_below(struct call_contexts *out, const struct context_tree *t, const bool *chosen,
                                        struct context_limits limits);
enum contexts_status context_tree_above(struct call_contexts *out, const struct context_tree *t, const bool *chosen,
                                        struct context_limits limits);

#endif
