/* SPDX-License-Identifier: MIT */
/* edge-prediction.h - how much of a path profile its edge profile tells.
 *
 * The edge profile is what the paths say of each edge of a routine's DAG: the sum of the counts of
 * the paths that take it.  From it alone follow two bounds for each path (Ball, Mataga, Sagiv,
 * "Edge profiling versus path profiling: the showdown", POPL 1998):
 *
 *      definite    what must have gone along the path: the flow of the whole DAG, minus at each
 *                  vertex on the way what left it by other edges; at least 0
 *      potential   what can have gone along it: the least count of its edges
 *
 * Both are exact: some profile with the same edges has that count for the path (of each path alone,
 * not of all at once).
 *
 *      profile 1    ACDF 90   ACDEF 60   ABCDEF 100   ABDF 20
 *      profile 2    ACDF 110  ACDEF 40   ABCDEF 100   ABDEF 20      each edge as often as in 1
 *      bounds       0..110    40..150    0..100       0..20         the same for both
 *
 * And what Ball and Larus compared (MICRO 1996, Table 3): from where a path begins, the routine's
 * entry or the target of a cut edge, follow the most frequent edge of each block.  A path is
 * predicted as far as it takes such edges; of equally frequent edges, the one that it takes.
 */
#ifndef WPP_EDGE_PREDICTION_H
#define WPP_EDGE_PREDICTION_H

#include "wpp/profile/path-profile.h"

struct flow_bounds { uint64_t definite, potential; };

/* Of a path's n edges, which lead from ENTRY to EXIT.  `edge` are executions of the DAG's edges,
 * `block` of its vertices, block[0] those of ENTRY: all of the DAG. */
struct flow_bounds flow_bounds_of(const struct wpp_edge *edges, const uint32_t *path, uint32_t n,
                                  const uint64_t *block, const uint64_t *edge);

/* Of one path of the profile. */
struct predicted_path {
    struct flow_bounds bounds;
    bool whole;                /* predicted to its end */
    uint32_t edges;            /* that are predicted, of n_blocks: the one that begins it aside */
    uint64_t insns;            /* of the blocks that these edges leave */
};

/* Of a routine, or of all. */
struct prediction_sum {
    uint32_t paths, whole;     /* executed paths, and those that are predicted whole */
    uint64_t count, whole_count;         /* their executions */
    double edges, insns;       /* of all executions, and what of them is predicted: */
    double predicted_edges, predicted_insns;
    double definite;           /* flow that the edge profile alone proves, sums over paths */
    uint32_t longest_edges;    /* of the longest path */
    uint64_t longest_insns;
};

struct edge_prediction {
    const struct path_profile *p;        /* the caller's; must outlive the prediction */
    struct predicted_path *path;         /* as p->path */
    struct prediction_sum *routine;      /* as p->routine */
    struct prediction_sum all;
};

/* False without memory.  Cost: O(edges of all executed paths + of their routines). */
bool edge_prediction_new(struct edge_prediction *out, const struct path_profile *p);
void edge_prediction_free(struct edge_prediction *e);

#endif
