/* SPDX-License-Identifier: MIT */
/* check.h - checks an open WPP beyond its checksums.
 *
 * Each function fails with WPP_E_DAMAGED and a text about the error, or with WPP_E_MEMORY.
 */
#ifndef WPP_CHECK_H
#define WPP_CHECK_H

#include "wpp/wpp.h"

/* SEQUITUR's invariants on the stored grammar: bodies of two symbols or more that use only smaller
 * rules, every rule used at least twice, no digram twice except for overlaps as in `aaa`, lengths,
 * and each thread's number of events. */
bool check_grammar(const wpp *w, struct wpp_error *error);
/* The same for a grammar alone.  `apart`: it was built in parts, or segments were joined; then digrams
 * may stand twice. */
bool check_rules(const struct wpp_grammar *g, bool apart, struct wpp_error *error);

/* Tokens are distinct; path numbers are in range; each path's blocks, edges, cost and ends agree
 * with those regenerated from its number by Ball and Larus' rule. */
bool check_paths(const wpp *w, struct wpp_error *error);

struct check_places {
    uint64_t n;
    uint64_t event;            /* the first event, in a thread */
    uint32_t thread;
    uint32_t terminal;         /* its path */
};

struct check_activations {
    uint64_t entered, left;    /* EnterRoutines; LeaveRoutines by a return */
    uint64_t unwound;          /* activations that ended otherwise */
    uint64_t nonlocal;         /* paths that begin where control may arrive non-locally */
    uint64_t unseen;           /* activations that had begun before the first event */
    uint64_t open;             /* activations at the ends of the threads */
    struct check_places switched;  /* where an activation went on before those that it had called
                                      left, although no routine can be entered non-locally: on
                                      another stack, or after untraced code took them off the
                                      stack */
    struct check_places strange;   /* where an activation went on that the thread has not begun,
                                      as far as it was recorded: a coroutine from another thread,
                                      or an activation from before a fork */
};

/* Walks all events.  Each path must be possible after some earlier path of its thread, on any
 * stack.  If a whole process with one thread was recorded, nothing explains a `strange` one: events
 * are missing, or not in their order. */
bool check_nesting(const wpp *w, struct check_activations *out, struct wpp_error *error);

#endif
