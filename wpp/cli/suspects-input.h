/* SPDX-License-Identifier: MIT */
/* suspects-input.h - the runs of a store as suspects, read here or by several processors or machines.
 *
 *      one        each run is added (suspects_add)
 *      threads    a part of the runs each, into a file without a name; taken here in the order of runs
 *      slurm      the same by processes of a job array, of a copy of the store in STORE/parts.XXXXXX
 */
#ifndef WPP_SUSPECTS_INPUT_H
#define WPP_SUSPECTS_INPUT_H

#include "wpp/cli/job-array.h"
#include "wpp/runs/run-store.h"
#include "wpp/runs/suspects-part.h"

struct suspects_input {
    const char *folder;        /* the store's */
    struct run_store *store;
    struct suspects s;
    struct part_notes notes;
};

/* Reads all runs that have a label.  jobs: at most so many at a time; 1: without parts.  Dies of what goes
 * wrong. */
void suspects_input_read(struct suspects_input *in, const char *folder, enum job_place place, uint32_t jobs);
void suspects_input_free(struct suspects_input *in);

/* Writes part k of n of the runs, k counted from 1.  Dies of what goes wrong. */
void suspects_input_write_part(const char *folder, uint32_t k, uint32_t n, const char *output);

#endif
