/* SPDX-License-Identifier: MIT */
/* rule-walk.h - the terminals to the right and to the left of a place in a rule.
 *
 * A walk descends only as far as it must.  It enters rules at their head (their tail): the lowest
 * rule at their beginning that is still long enough for all requests,
 *
 *      head(r) = head(first symbol)  if that derives `reach` terminals or more,
 *                r                   else
 *
 * so that n terminals cost O(n) in a grammar of any depth.
 */
#ifndef WPP_RULE_WALK_H
#define WPP_RULE_WALK_H

#include "hotpaths/base/analysis.h"

/* The data shared by all walks of a grammar. */
struct rule_walks {
    const struct wpp_grammar *g;
    uint64_t reach;             /* the most terminals that are requested */
    uint32_t *head, *tail;      /* of each rule */
};

/* HOT_OK or HOT_E_MEMORY; rule_walks_clear either way. */
int rule_walks_init(struct rule_walks *o, const struct wpp_grammar *g, uint64_t reach);
void rule_walks_clear(struct rule_walks *o);

/* Open right-hand sides; [at, end) is the rest of each; the last one is the innermost. */
struct rule_walk_part {
    uint64_t at, end;
};

struct rule_walk {
    const struct rule_walks *o;
    struct rule_walk_part *parts;
    size_t n, size;
};

/* A walk that is all zero except `o` is at its end.  Free it by rule_walk_clear. */
void rule_walk_clear(struct rule_walk *w);

/* Begins a walk over the symbols [at, end), which lie in one right-hand side. */
int rule_walk_begin(struct rule_walk *w, uint64_t at, uint64_t end);

/* Inserts [at, end) of another right-hand side before the rest of the walk.  HOT_OK or
 * HOT_E_MEMORY. */
int rule_walk_open(struct rule_walk *w, uint64_t at, uint64_t end);

/* The next terminal to the right, or, walking left, the next one to the left.  RULE_WALK_END when
 * there is none, RULE_WALK_NO_MEMORY. */
#define RULE_WALK_END       UINT32_MAX
#define RULE_WALK_NO_MEMORY (UINT32_MAX - 1)
uint32_t rule_walk_right(struct rule_walk *w);
uint32_t rule_walk_left(struct rule_walk *w);

/* The same in two steps: get the next symbol, or RULE_WALK_END; then enter it, so that its
 * derivation comes next.  A symbol that is not entered is skipped. */
uint32_t rule_walk_right_symbol(struct rule_walk *w);
int rule_walk_right_enter(struct rule_walk *w, uint32_t rule);
uint32_t rule_walk_left_symbol(struct rule_walk *w);
int rule_walk_left_enter(struct rule_walk *w, uint32_t rule);

#endif
