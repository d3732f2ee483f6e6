/* SPDX-License-Identifier: MIT */
/* answer-shares.h - the share of the run that each answer adds to those above it.
 *
 * An answer is a group of hot subpaths (answer-groups.h).
 *
 *      cost    of all events in occurrences of its subpaths, each once
 *      own     of those that are in no answer above it
 *      any order       of all executions of its paths: at least its cost
 *
 * Each next answer is the one that adds most.  So the first ones cover most of the run, and the own
 * costs add up to the cost that all cover together.
 *
 * Answers without a common path cannot overlap, and then own = cost.  For others, each question how
 * much an answer adds takes a reading of the grammar (hot_cover).  An answer never adds more later
 * than earlier, so most need not be asked again.  After SHARES_READINGS questions, own is the last
 * result, an upper bound, and is marked so.
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
    uint64_t any_order;         /* of all executions of its paths, anywhere in the run */
    bool at_most;               /* own is an upper bound */
};

struct answers {
    struct answer *answer;
    size_t n;
    uint64_t own;               /* of all together */
    size_t n_subpaths;          /* in all of them */
    size_t *members;            /* answer[].member points into them */
};

/* Finds the first `top` answers of the list's subpaths, by its groups.  `disjoint`: no two
 * occurrences of subpaths overlap (Larus' walk).  HOT_OK or HOT_E_MEMORY; answers_free either
 * way. */
int answers_find(struct answers *a, const struct shown_list *s, bool disjoint, size_t top);
void answers_free(struct answers *a);

#endif
