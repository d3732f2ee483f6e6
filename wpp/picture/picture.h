/* SPDX-License-Identifier: MIT */
/* picture.h - the part of a WPP's DAG that is worth drawing.
 *
 * A grammar has thousands of rules, a legible picture some dozens of nodes.
 * Drawn are the start rules and the symbols with the greatest share of the cost:
 *
 *      cost(terminal)  = its instructions
 *      cost(rule)      = sum over its right-hand side
 *      share(symbol)   = executions x cost / cost of everything
 *
 * Rules that are not drawn are expanded in place: an edge says how often its
 * target stands in the rule it leaves, when everything else is written out down
 * to what is drawn.  So every figure is exact and all executions of a node
 * arrive along its edges, also those through hidden rules.
 *
 *      flow(edge)      = executions of `from` x times x cost of `to`, as a share
 *
 * A rule that only repeats one symbol, R -> s s ... s, is never drawn: a loop's
 * tower of doublings shrinks to one edge.  Nor is a symbol that is executed just
 * where another one, already drawn, is, at nearly the same share: it would say
 * the same again.
 */
#ifndef WPP_PICTURE_H
#define WPP_PICTURE_H

#include "wpp/wpp.h"

struct picture_node {
    uint32_t symbol;           /* terminal, or WPP_RULE | rule, start rules included */
    uint64_t executed;
    uint64_t events;           /* it derives */
    double share;
    double hidden;             /* of the share: paths below it that are not drawn */
    uint32_t n_out;            /* edges from it */
    uint32_t routine;          /* that most of its cost is spent in, WPP_NO_ROUTINE: symbols' */
    double routine_part;       /* of its cost: how much */
};

struct picture_edge {
    uint32_t from, to;         /* nodes */
    uint64_t times;            /* `to` stands in one `from` */
    uint64_t offset;           /* of the first, in events from the beginning of `from` */
    uint32_t place;            /* 1, 2, ... among the edges of `from`, by offset */
    double flow;
};

/* Invariants (picture_check): nodes 0 .. n_starts-1 are the start rules, the
 * others descend by share; edges are grouped by `from` and ascend by offset;
 * flows into a node that is no start rule sum to its share; flows out of a rule
 * and what is hidden below it too; shares of drawn terminals and `hidden` sum
 * to 1.  Of routines that cost a node the same, `routine` is the first. */
struct picture {
    uint32_t n_nodes, n_starts, n_edges;
    struct picture_node *node;
    struct picture_edge *edge;
    double cost;               /* of everything, in instructions */
    double hidden;             /* share of paths that are not drawn */
    uint64_t hidden_rules;
    uint64_t hidden_terminals; /* control words not counted */
};

/* At most max_nodes nodes, but all start rules.  Takes as long as to read, for each node, the rules
 * below it once.  False without memory. */
bool picture_new(const wpp *w, uint32_t max_nodes, struct picture *out);
void picture_free(struct picture *p);
bool picture_check(const struct picture *p, const char **why);

#endif
