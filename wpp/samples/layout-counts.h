/* SPDX-License-Identifier: MIT */
/* layout-counts.h - executions of the final code, as those of the graph before the compiler laid out the blocks.
 *
 * The compiler takes counts for its layout before it, when the final blocks are not there yet (docs/profile-use.md).
 * Each final block knows where it was, unless it is new:
 *
 *      before         final
 *      2 -> 3 -> 4    2 -> 3 -> 4      kept: the edge 3 -> 4 is the same
 *      2 -> 3 -> 4    2 -------> 4     3 held no code but a jump: 2 -> 4 is 2 -> 3 -> 4
 *      2 -> 4         2 -> x -> 4      x is a jump that was added: 2 -> x is 2 -> 4, x -> 4 is nothing
 *      2 -> 4 <- 3    2 -> x, 3 -> 4   x is a copy of 4
 *      2 -> 4 -> 5    2 -> 5           2 has swallowed 4, or a copy of it
 *
 * A way that can be gone in two ways is not placed; how much that is, is known.
 */
#ifndef WPP_LAYOUT_COUNTS_H
#define WPP_LAYOUT_COUNTS_H

#include "wpp/samples/path-estimate.h"

struct layout_arc {
    uint32_t src, dst;         /* vertices before the layout; dst 1: leaves the routine */
    double count;
};

struct layout_counts {
    uint32_t n_arcs;
    struct layout_arc *arc;    /* by source, then target: all of the graph */
    double calls;              /* of the routine */
    double placed, unplaced;   /* executions of final arcs */
};

/* The routine's paths are path[0 .. n), with numbers in g.  It must have a layout.  False without memory. */
bool layout_counts_new(struct layout_counts *out, const struct map_routine *r, const struct path_graph *g,
                       const struct path_estimate *path, uint64_t n);
void layout_counts_free(struct layout_counts *c);

/* The vertex where the routine is entered. */
uint32_t layout_entry(const struct wpp_routine *layout);

#endif
