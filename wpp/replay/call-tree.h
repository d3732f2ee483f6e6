/* SPDX-License-Identifier: MIT */
/* call-tree.h - the tree of a run's activations, as a grammar.
 *
 * The dynamic call tree (Ammons, Ball and Larus, PLDI 1997, section 4) has a node for each
 * activation.  Written out it is as long as the run.  This one shares equal parts, as the WPP does,
 * and is made from the WPP's rules without expanding them:
 *
 *      piece        the sequence of items run in one activation, or in a part of one: paths of
 *                   the activation itself (terminals), smaller pieces, and calls
 *      activation   a routine and the piece that is its whole run
 *
 *      main calls f twice, f calls g:   root    [ call main ]
 *                                       main    [ path 0, call f, path 1, call f, path 2 ]
 *                                       f       [ path 0, call g, path 1 ]
 *
 * A rule of the WPP need not be a piece: it may begin in one activation and end in another.  It is
 * run once for each stack that looks different to it (rule-effects.h), and the pieces that it made
 * there are kept with the effect.
 *
 * Invariants (call_tree_check):
 *      item[] of piece p names pieces below p, and activations whose piece is below p
 *      a piece has two items or more, or one that is no piece; piece 0 is empty
 *      the first terminal in an activation is of its routine, and comes before any call
 *      the roots derive all events of their threads
 */
#ifndef WPP_CALL_TREE_H
#define WPP_CALL_TREE_H

#include "wpp/wpp.h"

/* An item: a terminal, or one of these and a number. */
#define CALL_TREE_PIECE UINT32_C(0x40000000)
#define CALL_TREE_CALL UINT32_C(0x80000000)
#define CALL_TREE_NUMBER UINT32_C(0x3FFFFFFF)

struct activation {
    uint32_t routine;
    uint32_t piece;
    bool unseen;               /* it began before the first event seen: its call was not seen */
};

struct call_tree {
    uint32_t n_pieces, n_activations, n_threads;
    uint64_t *first;           /* n_pieces + 1: piece p has item[first[p] .. first[p+1]) */
    uint32_t *item;
    struct activation *activation;
    uint32_t *root;            /* the piece of each thread: the calls by no traced routine */
    uint32_t *live;            /* by thread: the activations that had not left at its end, the
                                  outermost ones of those in which its last event lies */
};

/* WPP_E_MEMORY, WPP_E_ARGUMENT: more than 2^30 terminals, pieces or activations.
 * Cost: O(grammar) where rules have few variants; at worst O(events). */
bool call_tree_new(struct call_tree *out, const wpp *w, struct wpp_error *error);
/* The same for a thread's first `events` events, as if the run had ended there.  Cost: as much less. */
bool call_tree_until(struct call_tree *out, const wpp *w, uint32_t thread, uint64_t events,
                     struct wpp_error *error);
void call_tree_free(struct call_tree *t);
bool call_tree_check(const struct call_tree *t, const wpp *w, const char **why);

#endif
