/* SPDX-License-Identifier: MIT */
/* call-tree-cut.h - takes a part of a call tree, without expanding it.
 *
 *      root   [ call main ]                       root   [ call main' ]
 *      main   [ path 0, call f, path 1 ]          main'  [ call f', path 1 ]       unseen
 *      f      [ path 2, path 3 ]                  f'     [ path 3 ]                unseen
 *                     |
 *                  cut here, keep what follows
 *
 * The new pieces and activations are appended; those of the whole run stay, but are not reached from
 * a root.  Activations that were on the stack at the beginning of a range are there, and are `unseen`.
 * Of call_tree_check() two invariants are gone: a root derives a part of its thread, and an activation
 * may begin with a call.
 */
#ifndef WPP_CALL_TREE_CUT_H
#define WPP_CALL_TREE_CUT_H

#include "wpp/replay/call-tree.h"

/* All change the tree in place; after a failure it can only be freed.  False: no memory, or more than
 * 2^30 pieces or activations. */

/* Keeps events [begin, end) of the thread, and nothing of other threads.  begin <= end <= tokens.
 * Cost: O(pieces), and the depth of the stack. */
bool call_tree_cut(struct call_tree *t, uint32_t thread, uint64_t begin, uint64_t end);

/* Keeps one thread. */
void call_tree_keep_thread(struct call_tree *t, uint32_t thread);

/* Keeps the outermost activations of chosen routines (by number), with all that they called.
 * Cost: O(tree). */
bool call_tree_only(struct call_tree *t, const bool *chosen);

/* Events of each piece, calls included: n_pieces values.  NULL: no memory. */
uint64_t *call_tree_events(const struct call_tree *t);

#endif
