/* SPDX-License-Identifier: MIT */
/* executions.h - the executions that a finder finds, as places of a run (stepper.h).  Those of a thread are
 * numbered from 0. */
#ifndef WPP_EXECUTIONS_H
#define WPP_EXECUTIONS_H

#include "wpp/replay/stepper.h"
#include "wpp/wpp.h"

/* A line, a routine or a path that is looked for. */
struct sought {
    const wpp *w;
    const wpp_finder *finder;
    const char *const *files;      /* of a line: the names under which it may be known */
    size_t n_files;                /* 0: an execution begins with its path, as a routine's does */
    uint32_t line;
};

/* How many executions of the place's thread begin before it, or (`also_here`) at it, too.  False: no memory.
 * Cost: O(d + the blocks of a path). */
bool executions_before(const struct sought *s, const struct run_place *p, bool also_here, uint64_t *n);
/* The place of execution k.  False: there are no more than k, or no memory.  Cost: likewise. */
bool executions_place(const struct sought *s, uint32_t thread, uint64_t k, struct run_place *out);
/* How many the thread has. */
uint64_t executions_of(const struct sought *s, uint32_t thread);

#endif
