/* SPDX-License-Identifier: MIT */
/* course.h - whether one thread's paths can have run in this order at all, on any number of stacks.
 *
 * The machine of events.h has one stack.  A thread that switches stacks (coroutines, a child of
 * clone() with the memory of its parent) does things that are impossible on one stack.  This
 * machine has no stack: it counts, for each block, the stopped activations that may go on there.
 *
 *      a path ends at a call that returns to block 7, and whose exceptions land in 9:
 *          waiting[7]++, waiting[9]++
 *      a path that does not enter its routine begins at block 7:
 *          waiting[7]--, which was not 0
 *
 * So it accepts everything that can have happened, and more: an activation that may go on in two
 * blocks counts for both.  Where control may arrive without a sign (longjmp, computed goto) it
 * accepts any path of a routine that has been entered.  After the word Gap it knows no activations.
 */
#ifndef WPP_COURSE_H
#define WPP_COURSE_H

#include "wpp/wpp.h"

struct course {
    const wpp *w;
    uint32_t n_routines;
    uint64_t n_blocks;         /* of all routines */
    uint64_t *first;           /* of each routine: where its blocks begin in `waiting` */
    uint64_t *waiting;         /* of each block of each routine */
    uint64_t *anywhere;        /* of each routine: activations that may go on at any block */
    uint64_t *live;            /* of each routine: activations that have not returned */
    bool whole;                /* no activation was seen that had begun before the recording */
};

/* False without memory. */
bool course_begin(struct course *c, const wpp *w);
void course_end(struct course *c);

/* Takes the next terminal.  False: no activation can have gone on there, and as far as is known
 * none of that routine began before the recording. */
bool course_next(struct course *c, const struct wpp_terminal *terminal);

#endif
