/* SPDX-License-Identifier: MIT */
/* check.h - whether an open WPP is what it should be, beyond its checksums.
 *
 * Each fails with WPP_E_DAMAGED and says what is wrong, or with WPP_E_MEMORY.
 */
#ifndef WPP_CHECK_H
#define WPP_CHECK_H

#include "wpp/wpp.h"

/* SEQUITUR's invariants on the stored grammar: bodies of two symbols or more
 * that use smaller rules only, every rule used at least twice, no digram twice
 * but for overlaps as in `aaa`, lengths, and each thread's number of events. */
bool check_grammar(const wpp *w, struct wpp_error *error);
/* The same for a grammar alone.  Grammars of several segments, joined, may share digrams. */
bool check_rules(const struct wpp_grammar *g, uint32_t n_segments, struct wpp_error *error);

/* Tokens distinct; path numbers in range; each path's blocks, edges, cost and
 * ends regenerated from its number by Ball and Larus' rule. */
bool check_paths(const wpp *w, struct wpp_error *error);

struct check_activations {
    uint64_t entered, left;    /* EnterRoutines; LeaveRoutines by returning */
    uint64_t unwound;          /* activations that ended otherwise */
    uint64_t nonlocal;         /* paths that begin where control came non-locally */
    uint64_t unseen;           /* activations that had begun before the first event */
    uint64_t open;             /* activations at the ends of the threads */
};

/* Walks all events: each path must be possible after the one before it in its
 * activation, and activations end otherwise than by returning only if some
 * routine can be entered non-locally. */
bool check_nesting(const wpp *w, struct check_activations *out, struct wpp_error *error);

#endif
