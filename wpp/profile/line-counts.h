/* SPDX-License-Identifier: MIT */
/* line-counts.h - how often each source line was executed.
 *
 * It is computed from the counts of terminals alone; no stream is ever expanded:
 *
 *      counts of terminals
 *        -> counts of the routine's DAG edges and blocks
 *        -> counts of its control-flow arcs: a REAL edge is one; an END edge
 *           b -> EXIT and the START edge of its `to` are one cut in two
 *        -> counts of lines
 *
 * A line's count is gcov's, so that the two can be compared line by line:
 *
 *   - A block belongs to the greatest line of each run of lines of one file
 *     among its lines (each line counts where it first occurs).  A routine's
 *     last block belongs to none: gcov treats it as the exit.
 *   - A line that has blocks was executed as often as control entered the set
 *     of its blocks, plus as often as it went round a cycle within the set.
 *   - A line that is only in blocks of other lines was executed as often
 *     as those blocks.
 *   - Lines are summed over routines.  Routines that begin at one line of one
 *     file (copies of an inline function, instances of a template) are summed
 *     after the rules above, all others before.
 *
 * Where GCC has put a line into the program several times (inlined, in unrolled loops), that count
 * need not be the sum of its copies'.  Executions are: a line has one each time that a path comes
 * to it from another line, or begins in it.
 *
 * The table does not tell which of several calls before one join did not return, or which statement
 * jumped to a landing pad.  These are chosen so that blocks keep their counts; the choice matters
 * only within a line.
 */
#ifndef WPP_LINE_COUNTS_H
#define WPP_LINE_COUNTS_H

#include "wpp/wpp.h"

enum line_kind { LINE_COUNTS, LINE_EXECUTIONS };

/* The input of the counts. */
struct line_program {
    uint32_t n_routines, n_terminals;
    const struct wpp_routine *const *routines;
    const struct wpp_terminal *const *terminals;   /* their `routine` indexes routines */
    const uint64_t *counts;                        /* executions of each terminal */
    enum line_kind kind;
    bool zeros;                                    /* LINE_COUNTS: lines that were not executed, too */
};

struct line_count {
    const char *file;      /* as given to the compiler, with its directory if files would
                              otherwise have the same name */
    const char *path;      /* with the directory of its compilation */
    uint32_t line;
    uint64_t count;        /* at least 1, but with `zeros` */
};

struct line_counts {
    size_t n;
    struct line_count *item;   /* by file (strcmp), then line */
    char **names;              /* owns the files' names and paths */
    size_t n_names;
};

/* False: no memory. */
bool line_counts_compute(const struct line_program *program, struct line_counts *out);
/* The same for a WPP's routines and the given executions of its terminals. */
bool line_counts_of(const wpp *w, const uint64_t *counts, enum line_kind kind,
                    struct line_counts *out);
void line_counts_free(struct line_counts *counts);

#endif
