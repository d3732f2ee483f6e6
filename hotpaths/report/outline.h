/* SPDX-License-Identifier: MIT */
/* outline.h - a subpath as a person reads it: its calls and its repetitions.
 *
 *      step     terminal   depth
 *      0        caller       0     ends at a call
 *      1        callee       1     arrives by it
 *      2        callee       1     leaves
 *      3        caller       0     goes on behind the call
 *
 * Depths are relative: the least depth is 0.
 */
#ifndef WPP_OUTLINE_H
#define WPP_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct outline_step {
    uint32_t terminal;
    uint32_t depth;
    bool called;            /* it arrives by a call within the subpath */
    bool leaves;
};

/* Steps at, at + 1, ...: `period` of them repeat `count` times, at least 2. */
struct outline_fold {
    size_t at, period, count;
};

struct outline {
    struct outline_step *steps;
    size_t n;
    struct outline_fold *folds;       /* in order; repetitions within an iteration come after its
                                       fold */
    size_t n_folds;
};

/* Fills `s` (outline_free); false: no memory. */
bool outline_make(struct outline *s, const wpp *w, const uint32_t *terminals, uint32_t n);
void outline_free(struct outline *s);

/* The repetition that begins at step `at` and ends before `end`: `count` times the same `period`
 * steps.  It is the one that covers most; of equals, the one with the shortest period.  count is 1
 * when nothing repeats. */
struct outline_repeat {
    size_t period;
    size_t count;
};
struct outline_repeat outline_repeat_at(const struct outline *s, size_t at, size_t end);

#endif
