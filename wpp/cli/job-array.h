/* SPDX-License-Identifier: MIT */
/* job-array.h - one command in several parts, here or as a job array of Slurm's. */
#ifndef WPP_JOB_ARRAY_H
#define WPP_JOB_ARRAY_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum job_place { JOB_HERE, JOB_SLURM };
extern const char *const job_place_names[];    /* `processors`, `slurm`, NULL: arguments of --with */

/* Adds text as one word of a shell. */
void job_put_word(FILE *out, const char *text);

/* Runs FOLDER/1.sh to FOLDER/n.sh by sh, and waits for all.  The folder's name is absolute.
 * Here: `jobs` of them at a time.  Under Slurm: as one job array called `name`, in the folder, with their
 * output in FOLDER/slurm.K; the nodes see the same files under the same names.
 * Returns sbatch's exit status, 128 and more for a signal; 0 here.  What became of the parts is theirs to
 * say, by files.  Dies if sbatch or sh cannot be started. */
int job_array_run(const char *folder, const char *name, uint32_t n, enum job_place place, uint32_t jobs);

/* What is told when no part has run. */
_Noreturn void job_array_die(const char *what, int status);

#endif
