/* SPDX-License-Identifier: MIT */
/* answer-shares.h - what each answer adds to those above it: its own share of the run.
 *
 * An answer is a group of hot subpaths (answer-groups.h).
 *
 *      cost    of all events in places of its subpaths, each once
 *      own     of those that are in no answer above it
 *      any order       of all executions of its paths: no less than its cost
 *
 * Answers come in the order in which each next one adds most.  So what is told first covers most of
 * the run, and the own costs add up to what all cover together.
 *
 * What is cheap: answers that have no path in common cannot overlap, and then own = cost.  Others
 * take a reading of the grammar (hot_cover) for each question how much one adds; an answer adds
 * no more later than earlier, so most need not be asked again.  After SHARES_READINGS questions own
 * is what it was when it was last asked, an upper bound, and that is noted.
 */
#ifndef WPP_ANSWER_SHARES_H
#define WPP_ANSWER_SHARES_H

#include <stdbool.h>

#include "hotpaths/report/shown-answers.h"

enum { SHARES_READINGS = 24 };

struct answer {
    size_t leader;              /* index of an item */
    size_t *member;             /* its subpaths in order of rank, the leader first */
    size_t n_members;
    uint64_t cost, own;
    uint64_t any_order;         /* of all executions of its paths, wherever in the run */
    bool at_most;               /* own is an upper bound */
};

struct answers {
    struct answer *answer;
    size_t n;
    uint64_t own;               /* of all together */
    size_t n_subpaths;          /* in all of them */
    size_t *members;            /* what answer[].member points into */
};

/* The first `top` answers that the list's subpaths make, by its groups.  `disjoint`: no two places
 * of subpaths overlap (Larus' walk).  HOT_OK or HOT_E_MEMORY; answers_free either way. */
int answers_find(struct answers *a, const struct shown_list *s, bool disjoint, size_t top);
void answers_free(struct answers *a);

#endif
