/* SPDX-License-Identifier: MIT */
/* export-run.h - a run, or a part of it, for other people's tools.
 *
 *      export_run_new     the part of the run: counts of paths, and with the order a tree of calls
 *      export_FORMAT      writes it; each format is a file of this room
 *
 * Nothing here expands the run, except a timeline, up to a limit.  The clock is the instruction (GCC's
 * estimate, as in the path table).  Costs are whole numbers, and their sums are exact up to 2^53.
 */
#ifndef WPP_EXPORT_RUN_H
#define WPP_EXPORT_RUN_H

#include <stdio.h>

#include "wpp/profile/run-costs.h"
#include "wpp/replay/call-tree.h"

struct export_options {
    uint32_t thread;               /* UINT32_MAX: all */
    bool ranged;                   /* only events [begin, end) of that thread */
    uint64_t begin, end;
    const bool *chosen;            /* by routine: only these; NULL: all */
    bool callees;                  /* and what they called */
    bool assembler_names;
    bool inlined;                  /* stacks have frames of inlined functions */
    uint64_t limit;                /* the most calling contexts, activations on a timeline, or nodes */
    uint32_t depth;                /* the most activations in a stack */
};

struct export_run {
    const wpp *w;
    const char *path;              /* the file's name */
    struct export_options options;
    FILE *out;                     /* its errors are the caller's to check */
    uint64_t *count;               /* by terminal: executions in this part */
    uint32_t *first_path, *paths;  /* terminals of routine r: paths[first_path[r] .. first_path[r + 1]) */
    uint32_t n_routines;
    bool in_order;                 /* there is a tree; else it is a path profile */
    struct call_tree tree;         /* of this part */
    struct run_costs costs;
    char note[256];                /* for people: what was left out; or "" */
};

/* WPP_E_MEMORY, WPP_E_ARGUMENT.  Cost: O(grammar) mostly, see call-tree.h. */
bool export_run_new(struct export_run *out, const wpp *w, const struct export_options *options,
                    struct wpp_error *error);
void export_run_free(struct export_run *r);

/* The name for people, or the assembler's. */
const char *export_name(const struct export_run *r, const char *name, const char *shown);

/* Executions of a routine's blocks and DAG edges: n_blocks and n_edges values.  Cost: O(its paths). */
void export_sum(const struct export_run *r, uint32_t routine, uint64_t *block, uint64_t *edge);

/* Whether the routine was executed in this part, and is one of the chosen. */
bool export_has(const struct export_run *r, uint32_t routine);

/* The sum of all costs in this part. */
double export_total(const struct export_run *r);

/* ---- The formats.  False: no memory. ---- */

bool export_callgrind(struct export_run *r);
bool export_folded(struct export_run *r);
bool export_speedscope(struct export_run *r);
bool export_chrome(struct export_run *r);
bool export_perfetto(struct export_run *r);
bool export_pprof(struct export_run *r);
bool export_firefox(struct export_run *r);
bool export_call_graph(struct export_run *r);
/* Of the chosen routines. */
bool export_flow_graph(struct export_run *r);

#endif
