/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-counts.h - sets GCC's execution counts and probabilities of a routine. */
#ifndef WPP_APPLY_COUNTS_H
#define WPP_APPLY_COUNTS_H

#include "gcc-plugin/gcc-compat.h"

#include <vector>

#include "gcc-plugin/use/counts-file.h"

/* Says how much the whole program executed: GCC calls a block hot by its share. */
void apply_summary(uint64_t runs, uint64_t most);

/* A routine's blocks, as the counts name them. */
struct counted_graph {
    function *fun;
    std::vector<basic_block> blocks;     /* by vertex; 0 and 1 are ENTRY and EXIT */
    std::vector<int> vertex;             /* by bb->index */
};

/* Blocks get their counts.  An edge gets its share of the counts of all edges out of its block: they
 * may be less than the block's, because activations end in calls.  Where they are all 0, it gets a
 * share by the counts of the blocks that it and the others lead to, and if these are 0, an equal one.
 * The counts are of the routine's graph: as many blocks, no other edges.
 * sampled: 0 means that a block was not seen.  It keeps GCC's probabilities, and is not taken for dead. */
void apply_counts(const counted_graph &r, const counted_routine &counts, bool sampled);

/* Says that the routine was never executed; GCC's own estimates still compare its blocks. */
void apply_never(function *fun);

#endif
