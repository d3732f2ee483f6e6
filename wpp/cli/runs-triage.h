/* SPDX-License-Identifier: MIT */
/* runs-triage.h - wpp-runs' commands that look into runs: novel and cluster. */
#ifndef WPP_RUNS_TRIAGE_H
#define WPP_RUNS_TRIAGE_H

#include "wpp/runs/run-store.h"

/* Prints what a run of the store, or the WPP `file` if it is not NULL, did that no other run of the store
 * did.  Both die of an error.  False: there is nothing new. */
bool triage_novel(struct run_store *s, int64_t id, const char *file, bool json);

struct cluster_request {
    uint64_t last;                 /* how many events of a run count */
    double alike;                  /* share of pairs that a run must have in common with a cluster */
    bool json;
    const char *copy;              /* a folder for the inputs, and which argument names them: runs-copy.h */
    uint64_t input;
    const char *reports;           /* a folder for casr's reports; NULL: none, as of copy */
};

/* Prints the clusters of the failing runs. */
void triage_clusters(struct run_store *s, const struct cluster_request *r);

#endif
