/* SPDX-License-Identifier: MIT */
/* rule-effects.h - what rules of a grammar do to the stack of activations (events.h).
 *
 * A rule is run once on the machine, with the first stack that it is found on.  The frames that it
 * looked at there and its effect are kept: a variant.  Where the rule occurs again on a stack that
 * looks the same, the effect is applied.  A rule has a variant for each such stack, mostly one.
 *
 *      first_of[rule] -> variant -> variant -> none      the one used last comes first
 */
#ifndef WPP_RULE_EFFECTS_H
#define WPP_RULE_EFFECTS_H

#include "wpp/replay/events.h"

#define RULE_EFFECT_NONE UINT32_MAX

struct rule_variant {
    struct events_effect effect;   /* seen and after: NULL; they are in `frames` from `frame` on */
    size_t frame;
    uint32_t next;                 /* another variant of the rule */
};

struct rule_effects {
    uint32_t *first_of;            /* by rule */
    struct rule_variant *variant;
    size_t n, capacity;
    struct events_frame *frames;   /* of each variant: seen, then after */
    size_t n_frames, frames_capacity;
};

/* False: no memory. */
bool rule_effects_begin(struct rule_effects *r, const wpp *w);
void rule_effects_end(struct rule_effects *r);

/* The rule's variant for the machine's stack, or RULE_EFFECT_NONE.  Cost: O(variants of the rule that
 * do not fit before it, and the frames that it looks at). */
uint32_t rule_effects_find(struct rule_effects *r, const struct events *e, uint32_t rule);
/* Its effect; valid until the next one is added. */
struct events_effect rule_effects_get(const struct rule_effects *r, uint32_t variant);
/* Keeps the effect of a stretch that ran the whole rule, and ends the stretch.  The variant's number:
 * the n-th one is n; RULE_EFFECT_NONE: no memory. */
uint32_t rule_effects_add(struct rule_effects *r, struct events *e,
                          const struct events_stretch *stretch, uint32_t rule);

/* Runs the thread's events before `event` on a new machine, without expanding rules that have an
 * effect already; `event` is at most the thread's number of them.  NULL: no memory.  Cost: O(grammar)
 * where rules have few variants; at worst O(events). */
struct events *events_until(const wpp *w, uint32_t thread, uint64_t event);

#endif
