/* SPDX-License-Identifier: MIT */
/* call-contexts.h - the calling context tree (Ammons, Ball and Larus, PLDI 1997), down to nodes of
 * a minimal cost, made from the call tree.
 *
 *      below    main            above    memcpy
 *                 parse                    read_block
 *                   read_block               parse
 *                 write                        main
 *
 * A node stands for all activations that were reached by its chain of calls.  Several activations
 * of a routine, one within the other, are nodes one below the other.
 */
#ifndef WPP_CALL_CONTEXTS_H
#define WPP_CALL_CONTEXTS_H

#include "wpp/profile/run-costs.h"

#define CONTEXT_NOBODY UINT32_MAX      /* no traced routine: the thread began there */

struct call_context {
    uint32_t routine;          /* or CONTEXT_NOBODY, only above */
    uint32_t depth;            /* 0: a root */
    uint32_t hidden;           /* children that cost too little or lie too deep */
    double calls;              /* activations; above: of the root, also in nodes that lead to it */
    double inclusive, self;    /* above: the cost of the root's activations reached through this
                                  node; self is 0 */
};

struct call_contexts {
    struct call_context *node; /* each before its children, which are in order of cost */
    size_t n, capacity;
    double total;              /* of the roots */
};

struct context_limits {
    double share;              /* least inclusive cost of a node, as a share of that of all
                                  roots; 0 .. 1 */
    uint32_t depth;            /* nodes on a chain, at least 1 */
};

/* From the beginning of the threads on; or, if `chosen` (by routine) is not NULL, from the
 * outermost activations of chosen routines on.  False: no memory.  Cost: for each node, O(the part
 * of the call tree it stands for). */
bool contexts_below(struct call_contexts *out, const struct run_costs *c, const bool *chosen,
                    struct context_limits limits);
/* The callers of the outermost activations of chosen routines.  Cost: O(call tree) for each
 * node. */
bool contexts_above(struct call_contexts *out, const struct run_costs *c, const bool *chosen,
                    struct context_limits limits);
void contexts_free(struct call_contexts *c);
/* Adds a node behind all others.  False: no memory. */
bool contexts_add(struct call_contexts *out, struct call_context node);

#endif
