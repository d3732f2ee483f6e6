/* SPDX-License-Identifier: MIT */
/* runs-ranks.h - `wpp-runs DIR ranks`: ranks of a parallel program, grouped by what they did. */
#ifndef WPP_RUNS_RANKS_H
#define WPP_RUNS_RANKS_H

#include "wpp/runs/run-ranks.h"
#include "wpp/runs/run-store.h"

/* job NULL: that of the last run which is a rank.  by RANKS_WAYS: ranks_choose().  Dies of what goes wrong. */
void runs_ranks(struct run_store *s, const char *job, unsigned by, bool json);

#endif
