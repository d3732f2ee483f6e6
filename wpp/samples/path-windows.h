/* SPDX-License-Identifier: MIT */
/* path-windows.h - which paths of a routine samples of k branch records never tell apart.
 *
 * A sample shows k taken branches in a row, and what control falls through between them: a window.  Counts of
 * windows are all that samples can give, however many there are.  Four paths can hide behind them:
 *
 *        A       B            a window that reaches from before the meeting block m to behind the parting
 *         \     /             block p shows which of A and B went with which of C and D.  If at least k - 1
 *      m ..records.. p        branches lie from m to p, no window does: AC + BD and AD + BC have the same
 *         /     \             counts of windows.  A path without such a stretch has a window of its own.
 *        C       D
 *
 * A path's core is what lies from the first block that two ways lead to, to the last one from which two ways lead
 * on.  A path is told apart if and only if its core has less than k - 1 records.  Paths are in one class if they
 * share k - 1 records of their cores in a row, directly or over others: within a class counts can be shifted, between
 * classes they cannot (test/unit/path-windows.c solves the equations).
 *
 * A call within a block takes at least two records, of call and return.  Nothing of what is called is known, so more
 * paths may be alike in a run than are said here, none less.
 */
#ifndef WPP_PATH_WINDOWS_H
#define WPP_PATH_WINDOWS_H

#include "wpp/samples/path-graph.h"

/* How many records of a sample a path's edges and blocks take. */
struct record_costs {
    const struct path_graph *g;
    uint8_t *edge;             /* by edge of the DAG: 1 if it is taken, 0 if control falls */
    uint8_t *block;            /* by vertex: 2 if it calls */
};

/* Memory is the arena's.  False without. */
bool record_costs_new(struct record_costs *out, const struct address_map *m, uint32_t routine,
                      const struct path_graph *g, struct wpp_arena *arena);

struct path_windows {
    double alike;              /* paths that are not told apart */
    bool has_classes;          /* false: there are too many windows to count classes */
    uint32_t n_classes;
    double largest;            /* paths of the largest class */
    uint32_t from, to;         /* of that class: a block where ways meet before, and one where they part behind */
};

/* For samples of k records, k at least 2.  False without memory.  Cost: O(edges k), and of classes O(windows k), of
 * which there are at most some hundred thousand. */
bool path_windows_find(struct path_windows *out, const struct record_costs *costs, uint32_t k);

/* Whether the path of this number is one of those. */
bool path_windows_is_alike(const struct record_costs *costs, uint32_t k, uint64_t path);

#endif
