/* SPDX-License-Identifier: MIT */
/* run-clusters.h - failing runs that end alike.
 *
 * A run's end is the set of pairs of paths, one right behind the other, among its last events: of the
 * thread that a signal killed, or else of the first.  Runs are taken from the shortest on.  A run joins
 * the cluster whose representative, its first run, has the end most like it, as a share of the pairs of
 * both; if that is less than `least`, it begins a cluster.  So the representative is the shortest.
 */
#ifndef WPP_RUN_CLUSTERS_H
#define WPP_RUN_CLUSTERS_H

#include "wpp/runs/predicates.h"

struct run_end {
    int64_t id;
    uint64_t events;               /* of the run's first process */
    uint64_t *pair;                /* numbers of two paths of the vocabulary; ascending */
    size_t n;
    char *where;                   /* how it ended: `killed by SIGSEGV at list.c:11 in sum`; or "" */
    uint32_t cluster;
};

struct run_clusters {
    struct vocabulary v;
    struct run_end *run;           /* after clusters_end(): by cluster, the representative first */
    uint32_t n_runs, capacity, n_clusters;
    wpp **witness;
    uint32_t n_witnesses;
};

void clusters_init(struct run_clusters *c);
void clusters_free(struct run_clusters *c);

/* Adds a run, of whose first process the last n events count; takes w over.  The parts TOOL_NEED_PATHS
 * (wpp/cli/tool.h) of w must be there.  WPP_E_MEMORY. */
bool clusters_add(struct run_clusters *c, int64_t id, wpp *w, uint64_t n, struct wpp_error *error);

/* Makes the clusters; those with most runs come first.  False: no memory.  Cost: O(runs * clusters * pairs). */
bool clusters_end(struct run_clusters *c, double least);

#endif
