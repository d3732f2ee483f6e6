/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbering.h - acyclic path numbering on plain graphs.
 *
 * Ball and Larus, Efficient Path Profiling (MICRO 1996), sections 3.1 to 3.4,
 * with the cuts of Larus, Whole Program Paths (PLDI 1999), section 2.
 *
 * The caller describes a routine's control-flow graph.  pn_number() turns it
 * into a DAG: each *cut* edge (a back edge found by depth-first search, an
 * edge the caller marked, or one cut because a vertex had too many paths)
 *
 *      b ----> h     becomes     b --END--> EXIT   and   ENTRY --START--> h
 * It numbers the DAG's paths from ENTRY to EXIT densely from 0.  It also computes increments for
 * the edges, so that their sum along a path is the path's number.  It puts increments on as few
 * and as light edges as it can.
 *
 * No GCC type appears here; the code is plain C and is tested on graphs alone.
 */
#ifndef WPP_NUMBERING_H
#define WPP_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PN_NONE UINT32_MAX

enum pn_edge_flag {
    PN_CUT = 1u,          /* the caller says that this edge ends a path */
    PN_SHARED_END = 2u    /* such edges of one source share one END edge where they are cut,
                             because the event is emitted in the block, not on the edge */
};

/* An edge of the control-flow graph. */
struct pn_edge {
    uint32_t src, dst;
    uint32_t flags;       /* of pn_edge_flag */
    uint64_t weight;      /* cost of an increment on it; chords go to light edges */
    uint64_t end_weight;  /* the cost on its END edge, if it is cut; 0 unless set */
    /* results of pn_number */
    bool cut;             /* by the caller, as back edge, or by the limit */
    bool back;            /* cut because depth-first search found it retreating */
    bool limited;         /* cut because its source had more than limit paths */
    uint32_t dag;         /* its REAL edge in the DAG, or if cut its END edge; PN_NONE if
                             ENTRY does not reach src */
    uint32_t start;       /* if cut: the START edge of its target, else PN_NONE */
};

enum pn_kind { PN_REAL, PN_START, PN_END };

/* An edge of the DAG. */
struct pn_dag_edge {
    uint32_t src, dst;
    uint32_t kind;        /* pn_kind */
    uint32_t edge;        /* REAL, END: the (first) CFG edge it stands for; START: PN_NONE */
    uint64_t weight;      /* REAL: its edge's; END: the largest end_weight of its edges; START: 0 */
    uint64_t val;         /* Ball-Larus Val: sums to the path number, used to regenerate */
    int64_t inc;          /* increment to execute: sums to the path number too, 0 off the chords */
    bool chord;
};

struct pn_graph {
    uint32_t n_vertices, entry, exit;
    uint32_t n_edges, cap_edges;
    struct pn_edge *edge;
    /* results */
    uint32_t n_dag;
    struct pn_dag_edge *dag;   /* grouped by src, each group by ascending val */
    uint32_t *first;           /* n_vertices + 1: DAG edges of v are dag[first[v] .. first[v+1]) */
    uint64_t num_paths;        /* NumPaths(ENTRY) */
    uint32_t n_limited;        /* vertices cut because of the limit */
};

enum pn_status {
    PN_OK = 0,
    PN_E_NOMEM = -1,
    PN_E_GRAPH = -2,      /* vertex out of range, ENTRY is EXIT, edge into ENTRY or out of
                             EXIT, a vertex other than EXIT reachable from ENTRY without
                             out-edges */
    PN_E_RANGE = -3       /* more than 2^62 paths (cannot happen with a limit <= 2^32) */
};

/* An empty graph with vertices 0 .. n_vertices-1; NULL without memory. */
struct pn_graph *pn_new(uint32_t n_vertices, uint32_t entry, uint32_t exit);
void pn_free(struct pn_graph *g);

/* Adds an edge and returns its index, PN_NONE without memory.  Parallel edges
 * and self loops are allowed. */
uint32_t pn_add_edge(struct pn_graph *g, uint32_t src, uint32_t dst,
                     uint64_t weight, uint32_t flags);

/* Numbers the paths.  Earlier results are dropped first; after an error there are none.
 * Deterministic: equal graphs get equal numbers.
 *
 * Back edges are found by a depth-first search over the edges without PN_CUT: a cycle that the
 * caller has cut is not cut again.
 *
 * No vertex other than ENTRY keeps more than `limit` paths.  If it would, its out-edges are cut,
 * except those to EXIT, which are one path anyway.  Only a vertex with more than `limit`
 * out-edges can exceed the limit: then each of them is one path, and a cut would not help.
 *
 * ENTRY's REAL out-edges come first, so paths that begin at the routine's entry have the
 * smallest numbers.  REAL edges come in the order in which they were added, START edges by
 * target.  At other vertices the successor with the most paths comes first, then the edge added
 * first.
 *
 * Increments go to light edges, and preferably to those at ENTRY (also START edges): there they
 * merge with a constant that is set anyway.
 *
 * Time and memory are linear in the graph, except for sorting.  Vertices that ENTRY does not
 * reach get no DAG edges.  PN_OK or any error of pn_status. */
int pn_number(struct pn_graph *g, uint64_t limit);

/* Writes the DAG edges of path `number` to out[0 .. max) and returns their number, at most
 * n_vertices + 1; 0 if number >= num_paths.  It walks by Val, as in Ball and Larus section 3.4. */
uint32_t pn_regenerate(const struct pn_graph *g, uint64_t number,
                       uint32_t *out, uint32_t max);

/* Checks the equations above on a numbered graph.  It must be acyclic, Val dense at every
 * vertex, and START/END pairs complete.  Increments of non-chords must be 0, and chords sum to
 * Val sums around every fundamental cycle.  PN_OK; PN_E_GRAPH with *why set to a static string;
 * PN_E_NOMEM. */
int pn_check(const struct pn_graph *g, const char **why);

#ifdef __cplusplus
}
#endif
#endif
