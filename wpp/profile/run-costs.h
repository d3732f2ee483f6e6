/* SPDX-License-Identifier: MIT */
/* run-costs.h - what paths, blocks and calls of a run cost, from its call tree.
 *
 * The unit is the instruction (GCC's estimate, as in the path table).  A call belongs to the path
 * that ended there: the last one of the activation that was topmost when the callee's began.
 *
 *      main [ path 0, call f, path 1, call f, path 2 ]     called[path 0] = cost of the first f,
 *                                                          and all that it called; ...
 *
 * Sums are doubles: whole numbers are exact up to 2^53.
 */
#ifndef WPP_RUN_COSTS_H
#define WPP_RUN_COSTS_H

#include "wpp/replay/call-tree.h"
#include "wpp/wpp.h"

#define COSTS_NO_PATH UINT32_MAX

/* A call that was made at least once where a path ended. */
struct call_site { uint32_t terminal, callee; };

struct run_costs {
    const wpp *w;
    const struct call_tree *tree;
    double total;
    uint64_t events;
    bool *counted;             /* by thread: its events are included */
    /* By terminal. */
    double *count;             /* executions */
    double *called;            /* cost of all calls made where it ended, including their callees */
    /* By routine: activations whose beginning was seen. */
    double *entered;
    /* By block, those of routine r from block[r] on; n_routines + 1 values. */
    uint32_t *block;
    double *own, *below;   /* below: the sum of called[] of the paths that end in it */
    /* By piece. */
    double *piece;             /* cost of everything in it, calls included */
    double *lead;              /* cost of the calls before its first path */
    uint32_t *last;            /* its last path, or COSTS_NO_PATH */
    double *times;             /* how often it occurs in the run */
    /* The tree without what makes no calls: of piece p, call_item[call_first[p] .. call_first[p + 1]) are its
     * calls and the pieces in it that make some. */
    uint64_t *call_first;
    uint32_t *call_item;
    /* Ascending. */
    struct call_site *site;
    size_t n_sites;
};

/* `thread`: only this one, or UINT32_MAX.  The tree must outlive it.  False: no memory.  Cost:
 * O(tree + path table). */
bool run_costs_new(struct run_costs *out, const wpp *w, const struct call_tree *tree,
                   uint32_t thread);
void run_costs_free(struct run_costs *c);

#endif
