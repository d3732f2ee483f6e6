/* SPDX-License-Identifier: MIT */
/* block-path-counts.h - how often given paths of blocks stand in the activations of routines.
 *
 *      an activation: acyclic paths 2 3 4 and 3 5, one behind the other      blocks 2 3 4 3 5
 *      the path 4 3 5 stands there once, though no acyclic path has it
 *
 * An automaton of each routine finds all its paths (path-automaton.h).  It reads the call tree's
 * pieces, each once for each state in which it is entered; nothing is expanded.
 */
#ifndef WPP_BLOCK_PATH_COUNTS_H
#define WPP_BLOCK_PATH_COUNTS_H

#include "wpp/coverage/coverage.h"

/* Paths of one routine; none is a part of another. */
struct block_paths {
    uint32_t n;
    const uint32_t *first;     /* n + 1: path i is block[first[i] .. first[i+1]) */
    const uint32_t *block;
    uint64_t *count;           /* by path: what was counted is added */
};

/* `paths`: by routine of the coverage.  In an input that is a path profile, only those are counted that
 * lie within one of its paths and the block behind it.  WPP_E_MEMORY; errors of call_tree_new().  Cost: O(call trees) where
 * pieces are entered in few states. */
bool block_paths_count(const struct coverage *c, struct block_paths *paths, struct wpp_error *error);

#endif
