/* SPDX-License-Identifier: MIT */
/* rule-effects.h - what rules of a grammar do to the stack of activations (events.h).
 *
 * A rule is run once on the machine, with the first stack that it is found on.  The frames that it
 * looked at there and its effect are kept: a variant.  Where the rule occurs again on a stack that
 * looks the same, the effect is applied.  A rule has a variant for each such stack, mostly one.
 *
 *      front[rule] -> variant -> variant -> none      the one used last comes first
 *
 * Most variants are short: they look at the topmost activation alone, which goes on, or at none, and
 * leave no other behind.  All that such a rule does is told by two numbers of frames, which lie by
 * rule beside the first variant's number: one access to memory for a symbol, where grammars of
 * millions of rules make an access the whole cost.
 */
#ifndef WPP_RULE_EFFECTS_H
#define WPP_RULE_EFFECTS_H

#include "wpp/replay/frame-kinds.h"

#define RULE_EFFECT_NONE UINT32_MAX

/* The short form of a variant.  seen: the kind of the topmost frame before the rule, or
 * FRAME_KIND_ANY: none is looked at, and none changes; or RULE_EFFECT_NONE: the variant is not
 * short.  after: its kind behind the rule.  mark: the caller's. */
struct rule_brief { uint32_t seen, after, mark; };

/* The front of a rule's list. */
struct rule_front {
    struct rule_brief brief;       /* that of the first variant */
    uint32_t variant;
};

struct rule_variant {
    struct rule_brief brief;
    uint32_t next;                 /* another variant of the rule */
    struct events_effect effect;   /* seen and after: NULL; they are kinds, or lie in `frames` from
                                      `frame` on */
    size_t frame;
};

/* Invariants (rule_effects_check):
 *      front[rule].brief is that of the variant in front; both are RULE_EFFECT_NONE if there is none
 *      each variant is in one rule's list
 *      a short variant's kinds are there, and both are FRAME_KIND_ANY or none is */
struct rule_effects {
    struct rule_front *front;      /* by rule */
    size_t n_rules;
    struct rule_variant *variant;
    size_t n, capacity;
    struct events_frame *frames;   /* of each variant that is not short: seen, then after */
    size_t n_frames, frames_capacity;
    struct frame_kinds kinds;
};

/* False: no memory. */
bool rule_effects_begin(struct rule_effects *r, const wpp *w);
void rule_effects_end(struct rule_effects *r);

/* Applies the rule's first variant if it is short and fits, and gives its mark: what rule_effects_find(),
 * _get() and events_apply() would do.  Cost: O(1). */
static inline bool rule_effects_short(const struct rule_effects *r, struct events *e, uint32_t rule,
                                      uint32_t *mark)
{
    const struct rule_brief *brief = &r->front[rule].brief;

    *mark = brief->mark;
    return brief->seen == FRAME_KIND_ANY
        || (brief->seen != RULE_EFFECT_NONE
            && events_swap_top(e, &r->kinds.frame[brief->seen], &r->kinds.frame[brief->after]));
}

/* Asks for the cache line that rule_effects_short() will need if the symbol is a rule: to be called for
 * the symbol RULE_EFFECTS_AHEAD behind the one that is run. */
#define RULE_EFFECTS_AHEAD 12
static inline void rule_effects_fetch(const struct rule_effects *r, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        __builtin_prefetch(&r->front[symbol & ~WPP_RULE]);
}

/* The rule's variant for the machine's stack, or RULE_EFFECT_NONE.  Cost: O(variants of the rule that
 * do not fit before it, and the frames that it looks at). */
uint32_t rule_effects_find(struct rule_effects *r, const struct events *e, uint32_t rule);
/* Its effect; valid until the next one is added. */
struct events_effect rule_effects_get(const struct rule_effects *r, uint32_t variant);
/* Keeps the effect of a stretch that ran the whole rule, and ends the stretch.  The mark is kept if
 * the variant is short.  The variant's number: the n-th one is n; RULE_EFFECT_NONE: no memory. */
uint32_t rule_effects_add(struct rule_effects *r, struct events *e,
                          const struct events_stretch *stretch, uint32_t rule, uint32_t mark);
/* Checks the invariants; false and a static text in *why. */
bool rule_effects_check(const struct rule_effects *r, const char **why);

/* Runs the thread's events before `event` on a new machine, without expanding rules that have an
 * effect already; `event` is at most the thread's number of them.  NULL: no memory.  Cost: O(grammar)
 * where rules have few variants; at worst O(events). */
struct events *events_until(const wpp *w, uint32_t thread, uint64_t event);

#endif
