/* SPDX-License-Identifier: MIT */
/* picture.h - the part of a WPP's DAG that is worth drawing.
 *
 * A grammar has thousands of rules, a legible picture some dozens of nodes.
 * Those are chosen from the start rules down: next is always the symbol through
 * which most cost flows out of the rules already chosen.  So the picture is
 * connected, and what it leaves out is what matters least.
 *
 *      cost(terminal)  = its instructions
 *      cost(rule)      = sum over its right-hand side
 *      share(symbol)   = executions x cost / cost of everything
 *      flow(edge)      = executions of the rule x times x cost of the symbol,
 *                        as a share too
 *
 * Two simplifications:
 *   - A rule that is only a power of one symbol, R -> s s ... s, is no node: an
 *     edge to it becomes an edge to s, as many times.  A loop's tower of
 *     doublings shrinks to one edge.
 *   - A rule has one edge to each symbol.  It says how often the symbol stands
 *     in the right-hand side and where, repeated neighbours being one place.
 */
#ifndef WPP_PICTURE_H
#define WPP_PICTURE_H

#include "wpp/wpp.h"

enum { PICTURE_PLACES = 3 };

struct picture_node {
    uint32_t symbol;           /* terminal, or WPP_RULE | rule, start rules included */
    uint64_t executed;
    double share;
    uint64_t n_places;         /* of a rule: symbols on its right-hand side, neighbours merged */
    uint64_t n_hidden;         /* of these: to symbols that are not in the picture */
    double hidden;             /* flow into them */
    double drawn;              /* of the share: what arrives along drawn edges from a start rule */
};

struct picture_edge {
    uint32_t from, to;         /* nodes */
    uint64_t times;            /* per execution of `from` */
    uint64_t n_places;
    uint64_t place[PICTURE_PLACES];   /* the first of them, counted from 1 */
    double flow;
};

/* Invariants (picture_check): nodes 0 .. n_starts-1 are the start rules; every
 * other node has an edge from one chosen before it; edges are grouped by `from`
 * and ascend by first place; at each rule the flows out, drawn and hidden, sum
 * to its share; drawn <= share; what is drawn down to terminals and what is
 * hidden sum to the whole. */
struct picture {
    uint32_t n_nodes, n_starts, n_edges;
    struct picture_node *node;
    struct picture_edge *edge;
    double cost;               /* of everything, in instructions */
    double hidden;             /* share of the cost that leaves the drawing before a terminal */
    uint64_t hidden_rules, hidden_terminals;
    uint64_t folded_rules;     /* powers on the way to what is shown or not */
};

/* At most max_nodes nodes, and all start rules.  False without memory. */
bool picture_new(const wpp *w, uint32_t max_nodes, struct picture *out);
void picture_free(struct picture *p);
bool picture_check(const struct picture *p, const char **why);

#endif
