/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.h - the increments that a copy needs to count the interesting paths of a routine, and what
 * these cost.
 *
 *      all edges interesting   Ball and Larus' numbers on the chords of a spanning tree
 *      some                    PSPP's labels (numbering/selected-paths.h), as they are or on chords
 *
 * A probe hit is one execution of an increment that is not 0: the paper's measure.
 */
#ifndef WPP_PARTITION_PROBES_H
#define WPP_PARTITION_PROBES_H

#include "gcc-plugin/partition/dag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A routine as planning sees it. */
struct p3_routine {
    const char *file;          /* of its definition, as in the path table */
    const char *name;          /* assembler name */
    const struct pn_graph *graph;
    const uint64_t *count;     /* executions of each DAG edge; NULL: not known, each counts 1 */
    uint32_t callers;          /* calls of it in the program's text; PN_NONE: not known */
};

/* The cost of one execution. */
struct p3_prices {
    uint32_t increment;
    uint32_t start;            /* an increment on an edge out of ENTRY: it may merge with r = 0 */
    uint32_t count;            /* count[r]++ at an interesting edge to EXIT */
    bool labels_only;          /* PSPP's labels stay where the paper puts them */
};

/* The paper's: each increment 1, counts nothing. */
extern const struct p3_prices p3_paper_prices;
/* Of the code that is really written: increments and counts 1, those out of ENTRY nothing. */
extern const struct p3_prices p3_code_prices;

/* Increments of the routine's edges (inc: n_dag) for this set of interesting edges, and what they
 * cost; either may be NULL.  An interesting path's sum of increments is shared with no other path.
 * Deterministic.  False without memory. */
bool p3_probes(const struct p3_routine *r, const uint64_t *set, const struct p3_prices *prices,
               int64_t *inc, uint64_t *cost);

#ifdef __cplusplus
}
#endif
#endif
