/* SPDX-License-Identifier: MIT */
/* run-records.h - branch records of a run whose paths are all known: the truth to compare estimates with.
 *
 * The run is a WPP.  Its blocks are given addresses as if a compiler had laid them out in the order of their
 * numbers; whatever does not fall into the next block is a taken branch.  A processor that keeps the last
 * `depth` of them is read each `period` branches, more or less (by up to a sixteenth, at random). */
#ifndef WPP_RUN_RECORDS_H
#define WPP_RUN_RECORDS_H

#include "wpp/samples/branch-records.h"
#include "wpp/samples/path-estimate.h"

enum { MOST_DEPTH = 64 };

/* One way of sampling, and what it has found. */
struct run_sampling {
    uint32_t depth;
    uint64_t period;
    uint64_t next, seed;       /* the caller leaves them 0 */
    struct block_trail split, whole; /* the paper's partial paths, and those through calls */
    struct partial_paths found_split, found_whole;
    struct records_figures figures;
};

/* A map of the run's routines.  WPP_E_MEMORY, WPP_E_ARGUMENT (no routines). */
bool run_map_new(struct address_map *m, const wpp *w, struct wpp_error *error);

/* Walks through the whole run; `actual` gets its paths, uncut by calls, each sampling what it sees.
 * `branch`, if not NULL, is called for each taken branch.  Cost: O(blocks executed + samples x depth). */
bool run_records(const wpp *w, struct path_graphs *graphs, struct run_sampling *sampling, size_t n,
                 struct partial_paths *actual, uint64_t *n_branches, struct wpp_error *error);
void run_sampling_free(struct run_sampling *s);

#endif
