/* SPDX-License-Identifier: MIT */
/* coverage.h - what some runs of a program executed and what they did not, merged.
 *
 *      files   lines 3 5 6 ...            each with its count, 0 if it was not executed, and its branches
 *      routines, with their blocks, edges and executed paths
 *
 * Runs of one program are summed.  What was not executed is in no WPP: it comes from the path tables of
 * the modules that the runs loaded (cover-program.h).
 *
 * A line's count is gcov's (wpp/profile/line-counts.h).  A branch is an edge out of a block that has
 * several; it stands, as in gcov, at the last line of its block.  Without optimisation the blocks
 * are gcov's, too, so lines and branches have its counts.
 *
 * Invariants:
 *      files ascend by name, lines of a file by number; each line's branches by (routine, block, to)
 *      routines ascend by (file, line, name); paths of a routine by number
 */
#ifndef WPP_COVERAGE_H
#define WPP_COVERAGE_H

#include "wpp/coverage/cover-program.h"
#include "wpp/wpp.h"

struct coverage_branch {
    uint32_t routine;          /* of the coverage */
    uint32_t block, to;        /* of the routine's graph; 1: it leaves the routine */
    uint32_t group;            /* 0, 1 ... on its line: branches out of one block have one number */
    uint64_t count;
    uint64_t reached;          /* executions of the block */
    bool throws;               /* an exception goes this way; compilers make most of these */
    bool falls;                /* gcov's `fallthrough`: a condition's way to the next block */
    bool excluded;             /* by a mark in the source (exclusions.h) */
};

struct coverage_line {
    uint32_t line;
    bool excluded;             /* by a mark; then its branches are, too */
    uint64_t count;
    uint32_t first, n;         /* branches: coverage.branch[first .. first + n) */
};

/* How much of something was executed; what is excluded counts in neither. */
struct coverage_share { uint64_t executed, all; };
struct coverage_sums { struct coverage_share lines, branches, routines, paths; };

struct coverage_file {
    const char *name;          /* as given to the compiler, with its directory if files would
                                  otherwise have the same name */
    const char *path;          /* with the directory of its compilation */
    uint32_t first, n;         /* lines: coverage.line[first .. first + n) */
    uint32_t first_routine, n_routines;
    struct coverage_sums sums;
};

struct coverage_path {
    uint64_t number;
    uint64_t count;            /* at least 1 */
};

/* A routine of the source; what several units or modules hold of it, compiled to the same graph, is
 * one. */
struct coverage_routine {
    const struct wpp_routine *routine;         /* the graph, of one that was executed if any was */
    uint32_t file;             /* of the coverage; UINT32_MAX: its lines are in none */
    uint32_t last_line;        /* the last line of its own file; at least routine->line */
    bool excluded;             /* its first line is */
    bool optimised;            /* the graph is not that of the source */
    uint64_t entered;          /* activations that began */
    uint64_t *block, *edge;    /* executions; n_blocks and n_edges of the graph */
    uint32_t first, n;         /* executed whole paths: coverage.path[first .. first + n) */
};

struct coverage {
    uint32_t n_files, n_lines, n_branches, n_routines, n_paths;
    struct coverage_file *file;
    struct coverage_line *line;
    struct coverage_branch *branch;
    struct coverage_routine *routine;
    struct coverage_path *path;
    struct coverage_sums sums;
    const struct cover_program *program;       /* the caller's */
    uint32_t *body_of;         /* of each body of the program: its routine here */
    struct wpp_arena arena;    /* owns all arrays and names */
};

/* `program` must outlive it.  False: no memory.  Cost: O(n log n) in the blocks of all routines. */
bool coverage_new(struct coverage *out, const struct cover_program *program);
void coverage_free(struct coverage *c);

/* A line of a file; NULL: it has no code, or `file` is UINT32_MAX.  O(log n). */
struct coverage_line *coverage_find_line(const struct coverage *c, uint32_t file, uint32_t line);

static inline bool coverage_executed(const struct coverage_routine *r)
{
    return r->n > 0 || r->entered > 0;
}

/* Computes all sums anew: after `excluded` of lines, branches or routines has been set. */
void coverage_sum(struct coverage *c);

#endif
