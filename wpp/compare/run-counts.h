/* SPDX-License-Identifier: MIT */
/* run-counts.h - which routines, lines and paths one run executed more often than another, those
 * first whose instructions differ most.
 *
 * Routines and lines are matched by names, as common-keys.h does by line; paths as profile-diff.h does.
 * A line has the number that A has for it, if A executed its routine, else B's.  All threads count.
 */
#ifndef WPP_RUN_COUNTS_H
#define WPP_RUN_COUNTS_H

#include "wpp/compare/common-keys.h"
#include "wpp/profile/profile-diff.h"

struct count_row {
    const struct wpp_routine *routine;     /* A's if it has it; of a line: one that has it */
    const char *file;
    uint32_t line;                 /* of a line: its number; else the routine's */
    const struct wpp_terminal *path;       /* of a path, else NULL */
    unsigned side;                 /* of a path: the run whose terminal it is */
    uint32_t terminal;
    double insns[2];               /* GCC's estimate, of all executions */
    double executions[2];          /* of a routine: calls */
    bool has[2];                   /* the run executed it */
};

struct count_rows {
    struct count_row *row;         /* that differ */
    size_t n;
};

struct run_counts {
    double insns[2];               /* of all paths */
    struct count_rows routines, lines, paths;
};

/* `ignore`: names of routines that are left out.  WPP_E_MEMORY.  Cost: O(grammars + n log n) in the
 * path tables of both. */
bool run_counts_new(struct run_counts *out, const struct profile_diff *profile,
                    char *const *ignore, size_t n_ignore, struct wpp_error *error);
void run_counts_free(struct run_counts *c);

#endif
