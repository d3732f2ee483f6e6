/* SPDX-License-Identifier: MIT */
/* missed-paths.h - acyclic paths that no run executed, and how near the runs came to them.
 *
 * Paths with a common beginning have neighbouring numbers (Ball and Larus 1996).  So the missed paths of a
 * routine are a few ranges of numbers, each with its longest executed beginning and the edge that
 * would have to be taken next:
 *
 *      executed 0 1 6, of 8        ENTRY -+- a -+- . -+- 0
 *                                         |     |     +- 1
 *                                         |     +- 2 3          missed: turn at a
 *                                         +- b -+- 4 5          missed: turn at b
 *                                               +- c -+- 6
 *                                                     +- 7      missed: turn at c
 *
 * Paths that no input makes possible are missed, too: the graph does not tell.
 */
#ifndef WPP_MISSED_PATHS_H
#define WPP_MISSED_PATHS_H

#include "wpp/coverage/coverage.h"

struct missed_path {
    uint32_t routine;          /* of the coverage */
    uint64_t first, n;         /* path numbers first .. first + n - 1 */
    uint32_t block;            /* the last one of the executed beginning, where they turn; 0: there is
                                  no such beginning */
    uint32_t edge;             /* of the graph: the way that they take there */
    uint32_t steps;            /* edges of the beginning */
    uint64_t reached;          /* executions of paths with this beginning */
    uint64_t edge_count;       /* executions of the edge, in other paths */
    uint32_t nearest;          /* of the coverage's paths: of those with this beginning the one that was
                                  executed most; UINT32_MAX: there is no such beginning */
};

struct missed_paths {
    size_t n;
    struct missed_path *item;  /* by routine, then number */
};

/* Of all routines that are not excluded, or of the chosen ones of these.  False: no memory.
 * Cost: O(blocks and edges on executed paths). */
bool missed_paths_new(struct missed_paths *out, const struct coverage *c, const bool *chosen);
void missed_paths_free(struct missed_paths *m);

/* The last line of the beginning; NULL: none of its blocks has one. */
const struct wpp_line *missed_path_line(const struct coverage *c, const struct missed_path *m);

#endif
