/* SPDX-License-Identifier: MIT */
/* runs-triage.h - wpp-runs' commands that look into runs: novel and cluster. */
#ifndef WPP_RUNS_TRIAGE_H
#define WPP_RUNS_TRIAGE_H

#include "wpp/runs/run-store.h"

/* Prints what a run of the store, or the WPP `file` if it is not NULL, did that no other run of the store
 * did.  Both die of an error.  False: there is nothing new. */
bool triage_novel(struct run_store *s, int64_t id, const char *file, bool json);

/* Prints the clusters of the failing runs by their last n events.  folder, if it is not NULL, and word: see
 * runs-copy.h. */
void triage_clusters(struct run_store *s, uint64_t n, double least, bool json, const char *folder,
                     uint64_t word);

#endif
