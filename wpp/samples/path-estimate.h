/* SPDX-License-Identifier: MIT */
/* path-estimate.h - how often full paths were executed, estimated from partial ones.
 *
 * A partial path may be part of several full paths:  ENTRY .. -> vertex, its edges, -> .. EXIT.
 *
 *   ESTIMATE_EQUAL   the paper's: each of them gets the same part of its count
 *   ESTIMATE_FLOW    ours: paths get counts under which what was seen is most likely.  The chance of a
 *                    branch is first that of its edges' counts; then paths that are seen to their ends
 *                    decide between those that are not (expectation maximisation).  A path counts by its
 *                    begin and its end, of which each execution has one: so long paths, which are in more
 *                    samples, get no more than their due.
 *   ESTIMATE_WHOLE   no estimate: the paths that were seen from begin to end
 */
#ifndef WPP_PATH_ESTIMATE_H
#define WPP_PATH_ESTIMATE_H

#include "wpp/samples/partial-paths.h"

enum estimate_how { ESTIMATE_EQUAL, ESTIMATE_FLOW, ESTIMATE_WHOLE };

struct path_estimate {
    uint32_t routine;
    uint64_t path;             /* number */
    double count;              /* in arbitrary units, the same for all */
};

struct path_estimates {
    uint64_t n, capacity;
    struct path_estimate *path;     /* by routine, then path */
    double spread, unspread;   /* counts of partial paths; of those that too many paths contain */
};

/* False without memory.  With paths that were seen whole, both give their counts. */
bool path_estimates_new(struct path_estimates *out, const struct partial_paths *found,
                        struct path_graphs *graphs, enum estimate_how how);
void path_estimates_free(struct path_estimates *e);

#endif
