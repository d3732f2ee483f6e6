/* SPDX-License-Identifier: MIT */
/* rank-of.h - which rank of a parallel program this process starts, by its environment. */
#ifndef WPP_RANK_OF_H
#define WPP_RANK_OF_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a launcher of parallel programs (Open MPI, Slurm, another one with PMIx or PMI) has started this
 * process as a rank.  job: what all ranks of that program have in common and no others of the machine's,
 * from malloc.  Dies without memory. */
bool rank_of(int64_t *rank, char **job);

#endif
