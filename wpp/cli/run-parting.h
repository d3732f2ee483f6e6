/* SPDX-License-Identifier: MIT */
/* run-parting.h - where two runs of a store part, in words. */
#ifndef WPP_RUN_PARTING_H
#define WPP_RUN_PARTING_H

#include "wpp/runs/run-store.h"

/* Of their first processes: `after 1,201 equal paths, in parse at lex.c:88`, from malloc.  NULL: they do not
 * part.  Dies if they cannot be compared. */
char *run_parting(struct run_store *s, int64_t a, int64_t b);

#endif
