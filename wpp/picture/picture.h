/* SPDX-License-Identifier: MIT */
/* picture.h - the part of a WPP's DAG that is worth drawing.
 *
 * A grammar has thousands of rules, a legible picture some dozens of nodes.  The picture has the
 * start rules and the symbols with the greatest share of the cost:
 *
 *      cost(terminal)  = its instructions
 *      cost(rule)      = sum over its right-hand side
 *      share(symbol)   = executions x cost / cost of everything
 *
 * Rules that are not drawn are expanded in place.  An edge's `times` tells how often its target
 * occurs in the rule that it leaves, when everything is expanded down to drawn symbols.  So every
 * figure is exact: all executions of a node arrive along its edges, also those through hidden
 * rules.
 *
 *      flow(edge)      = executions of `from` x times x cost of `to`, as a share
 *
 * A rule that only repeats one symbol, R -> s s ... s, is never drawn: so a loop's tower of
 * doublings becomes one edge.  A symbol is not drawn either if it is executed together with one
 * that is already drawn, at nearly the same share: it would add nothing.
 */
#ifndef WPP_PICTURE_H
#define WPP_PICTURE_H

#include "wpp/wpp.h"

/* What a rule derives. */
enum picture_kind {
    PICTURE_PART,              /* anything else */
    PICTURE_CALLS,             /* whole activations: one, or several one after another */
    PICTURE_LOOP               /* whole iterations of a loop, with all that they call; from any of its blocks */
};

struct picture_node {
    uint32_t symbol;           /* terminal, or WPP_RULE | rule, start rules included */
    uint64_t executed;
    uint64_t events;           /* that it derives */
    double share;
    double hidden;             /* the part of the share in paths below it that are not drawn */
    uint32_t n_out;            /* edges from it */
    uint32_t routine;          /* the one with most of its cost; WPP_NO_ROUTINE for plain symbols */
    double routine_part;       /* the part of its cost in that routine */
    enum picture_kind kind;
    uint32_t of;               /* CALLS: the routine of the first activation; LOOP: the loop's; else
                                  WPP_NO_ROUTINE */
    uint64_t calls;            /* CALLS: activations one after another */
    uint32_t paths;            /* different ones that it derives */
};

struct picture_edge {
    uint32_t from, to;         /* nodes */
    uint64_t times;            /* how often `to` occurs in one `from` */
    uint64_t offset;           /* of the first occurrence, in events from the beginning of `from` */
    uint32_t place;            /* 1, 2, ... among the edges of `from`, by offset */
    double flow;
};

/* Invariants (picture_check): nodes 0 .. n_starts-1 are the start rules or the chosen rule, the others descend by
 * share; edges are grouped by `from` and ascend by offset; flows into a node that is no start rule
 * sum to its share; flows out of a rule plus its `hidden` do so too; shares of drawn terminals and
 * `hidden` sum to 1.  Of routines that cost a node the same, `routine` is the first. */
struct picture {
    uint32_t n_nodes, n_starts, n_edges;
    struct picture_node *node;
    struct picture_edge *edge;
    double cost;               /* of the whole run, in instructions */
    double hidden;             /* share of paths that are not drawn */
    uint64_t hidden_rules;
    uint64_t hidden_terminals; /* control words not counted */
};

#define PICTURE_ALL UINT32_MAX

/* At most max_nodes nodes, but always all start rules.  With a `rule` that is not PICTURE_ALL, that rule
 * takes the place of the start rules: the whole is one execution of it.  For each node, reads the rules
 * below it once.  False: no memory. */
bool picture_new(const wpp *w, uint32_t max_nodes, uint32_t rule, struct picture *out);
void picture_free(struct picture *p);
bool picture_check(const struct picture *p, const char **why);

#endif
