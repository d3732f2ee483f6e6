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

struct outward {
    const struct wpp_grammar *g;
    uint64_t reach;             /* the most terminals that are requested */
    uint32_t *head, *tail;      /* of each rule */
};

/* HOT_OK or HOT_E_MEMORY; outward_clear either way. */
int outward_init(struct outward *o, const struct wpp_grammar *g, uint64_t reach);
void outward_clear(struct outward *o);

/* Open right-hand sides; [at, end) is the rest of each; the last one is the innermost. */
struct outward_part {
    uint64_t at, end;
};

struct outward_walk {
    const struct outward *o;
    struct outward_part *parts;
    size_t n, size;
};

/* A walk that is all zero except `o` is at its end.  Free it by walk_clear. */
void outward_walk_clear(struct outward_walk *w);

/* Begins a walk over the symbols [at, end), which lie in one right-hand side. */
int outward_walk_begin(struct outward_walk *w, uint64_t at, uint64_t end);

/* Inserts [at, end) of another right-hand side before the rest of the walk.  HOT_OK or
 * HOT_E_MEMORY. */
int outward_walk_open(struct outward_walk *w, uint64_t at, uint64_t end);

/* The next terminal to the right, or, walking left, the next one to the left.  OUTWARD_END when
 * there is none, OUTWARD_NO_MEMORY. */
#define OUTWARD_END       UINT32_MAX
#define OUTWARD_NO_MEMORY (UINT32_MAX - 1)
uint32_t outward_right(struct outward_walk *w);
uint32_t outward_left(struct outward_walk *w);

/* The same in two steps: get the next symbol, or OUTWARD_END; then enter it, so that its derivation
 * comes next.  A symbol that is not entered is skipped. */
uint32_t outward_right_symbol(struct outward_walk *w);
int outward_right_enter(struct outward_walk *w, uint32_t rule);
uint32_t outward_left_symbol(struct outward_walk *w);
int outward_left_enter(struct outward_walk *w, uint32_t rule);

#endif
