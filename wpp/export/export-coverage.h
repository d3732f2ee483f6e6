/* SPDX-License-Identifier: MIT */
/* export-coverage.h - coverage for other people's tools: files with their lines, branches and routines,
 * executed or not.  What marks in the sources exclude is not written.
 */
#ifndef WPP_EXPORT_COVERAGE_H
#define WPP_EXPORT_COVERAGE_H

#include <stdio.h>

#include "wpp/coverage/coverage.h"

struct export_coverage {
    FILE *out;                     /* its errors are the caller's to check */
    const struct coverage *c;
    const bool *chosen;            /* by routine of the coverage: only these, and lines in them; NULL: all */
    bool lcov_2;                   /* the tracefile of lcov 2.2 */
    uint64_t time;                 /* of the run: seconds since 1970, 0: unknown */
};

/* What is written of a file. */
struct export_counts {
    uint64_t lines, lines_hit, branches, branches_hit, routines, routines_hit;
};

/* Counts of a file; of its lines `first` to `last` alone, without routines. */
struct export_counts export_count_file(const struct export_coverage *x, uint32_t file);
struct export_counts export_count_lines(const struct export_coverage *x, uint32_t file, uint32_t first,
                                        uint32_t last);
/* The first line of the file from number `line` on: an index of the coverage's lines. */
uint32_t export_find_line(const struct export_coverage *x, uint32_t file, uint32_t line);
/* Whether these are written. */
bool export_shows_routine(const struct export_coverage *x, uint32_t routine);
bool export_shows_line(const struct export_coverage *x, uint32_t file, const struct coverage_line *l);
bool export_shows_branch(const struct export_coverage *x, const struct coverage_branch *b);

/* The routine that a line is in: of those that are written and have it, one that begins last; or
 * UINT32_MAX. */
uint32_t export_routine_of(const struct export_coverage *x, uint32_t file, uint32_t line);
/* Activations of a routine; if GCC inlined all its calls, executions of its first line that has some:
 * lcov 2 refuses files in which a routine was not executed, but lines of it were. */
uint64_t export_entered(const struct export_coverage *x, uint32_t routine);

/* ---- The formats.  False: no memory. ---- */

bool export_lcov(struct export_coverage *x);
bool export_gcov(struct export_coverage *x);
bool export_cobertura(struct export_coverage *x);

#endif
