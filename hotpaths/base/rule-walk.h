/* SPDX-License-Identifier: MIT */
/* rule-walk.h - the terminals to the right and to the left of a place in a rule.
 *
 * A walk descends only as far as it must.  Rules are entered at their head
 * (their tail): what stands first below them and is still long enough to
 * hold all that is ever asked for,
 *
 *      head(r) = head(first symbol)  if that derives `reach` terminals or more,
 *                r                   else
 *
 * so that n terminals cost O(n) however deep the grammar is.
 */
#ifndef WPP_RULE_WALK_H
#define WPP_RULE_WALK_H

#include "hotpaths/base/analysis.h"

struct outward {
    const struct wpp_grammar *g;
    uint64_t reach;             /* terminals asked for at most */
    uint32_t *head, *tail;      /* of each rule */
};

/* HOT_OK or HOT_E_MEMORY; outward_clear either way. */
int outward_init(struct outward *o, const struct wpp_grammar *g, uint64_t reach);
void outward_clear(struct outward *o);

/* Right-hand sides that are open, [at, end) still to come of each; the last is
 * the innermost. */
struct outward_part {
    uint64_t at, end;
};

struct outward_walk {
    const struct outward *o;
    struct outward_part *parts;
    size_t n, size;
};

/* All zero but `o` is a walk that has come to its end; free with walk_clear. */
void outward_walk_clear(struct outward_walk *w);

/* Begins a walk over the symbols [at, end), which lie in one right-hand side. */
int outward_walk_begin(struct outward_walk *w, uint64_t at, uint64_t end);

/* Lets [at, end) of another right-hand side come before all that the walk still has to come.
 * HOT_OK or HOT_E_MEMORY. */
int outward_walk_open(struct outward_walk *w, uint64_t at, uint64_t end);

/* The next terminal in order, or, walking left, the last one before.
 * OUTWARD_END when there is none, OUTWARD_NO_MEMORY. */
#define OUTWARD_END       UINT32_MAX
#define OUTWARD_NO_MEMORY (UINT32_MAX - 1)
uint32_t outward_right(struct outward_walk *w);
uint32_t outward_left(struct outward_walk *w);

/* In two steps: the next symbol, or OUTWARD_END; and what it derives is to come next.  A
 * symbol that is not entered has been passed. */
uint32_t outward_right_symbol(struct outward_walk *w);
int outward_right_enter(struct outward_walk *w, uint32_t rule);
uint32_t outward_left_symbol(struct outward_walk *w);
int outward_left_enter(struct outward_walk *w, uint32_t rule);

#endif
