/* SPDX-License-Identifier: MIT */
/* runs-copy.h - failing runs as files, a folder for each cluster: inputs, which AFL++'s tools take, or reports,
 * which casr's do.
 *
 *      FOLDER/cl1/id:000000,sig:06,src:000017,run:43      the shortest run of cluster 1
 *      FOLDER/cl1/id:000001,sig:06,src:000203,run:51
 *      FOLDER/cl2/id:000000,sig:11,orig:sample.json,run:7
 *
 * AFL++ names its queue and crashes so; casr-cluster calls its folders so.  A run's input is a file that its
 * command names.
 */
#ifndef WPP_RUNS_COPY_H
#define WPP_RUNS_COPY_H

#include "wpp/runs/run-clusters.h"
#include "wpp/runs/run-store.h"

/* Makes the folder, which must not exist.  word: which word of the command names the input, 1 being the program's
 * first argument; 0: the last one that is a file.  Says how many runs have no such file.  Dies of what goes
 * wrong. */
void runs_copy(struct run_store *s, const struct run_clusters *c, const char *folder, uint64_t word);

/* Makes the folder likewise, with a report for each run (wpp/runs/crash-report.h):
 *
 *      FOLDER/cl1/id:000000,sig:06,run:43.casrep
 */
void runs_report(struct run_store *s, const struct run_clusters *c, const char *folder);

#endif
