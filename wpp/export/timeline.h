/* SPDX-License-Identifier: MIT */
/* timeline.h - the longest calls of a part of a run, in order.
 *
 *      main  |--------------------------------|     A call that is shown lies in one that is shown,
 *      parse    |-----|            |------|         up to main: it is never longer than that.
 *      read       |--|
 *
 * The clock is the instruction; each thread's begins at 0.
 */
#ifndef WPP_TIMELINE_H
#define WPP_TIMELINE_H

#include "wpp/export/export-run.h"

struct timeline_call {
    uint32_t thread, routine;
    uint32_t depth;                /* calls around it */
    bool unseen;                   /* it had begun before */
    double begin, end;             /* instructions; begin < end */
};

struct timeline {
    struct timeline_call *call;    /* by thread, begin, depth */
    uint32_t n;
    double all;                    /* calls that there are */
};

/* The longest calls, as many as the run's options allow.  The run is in order.  False: no memory.
 * Cost: O(tree), and for each call O(the items of the pieces that it lies in). */
bool timeline_new(struct timeline *out, const struct export_run *r);
void timeline_free(struct timeline *t);

/* Visits beginnings and ends in order; those of each thread are balanced.  False stops it. */
typedef bool timeline_edge(void *ctx, const struct timeline_call *call, bool begins);
bool timeline_visit(const struct timeline *t, timeline_edge *visit, void *ctx);

/* Says in the run's note what was left out. */
void timeline_note(const struct timeline *t, struct export_run *r);

#endif
