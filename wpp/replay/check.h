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

struct check_places {
    uint64_t n;
    uint64_t event;            /* the first one: event of a thread */
    uint32_t thread;
    uint32_t terminal;         /* the path that it is */
};

struct check_activations {
    uint64_t entered, left;    /* EnterRoutines; LeaveRoutines by returning */
    uint64_t unwound;          /* activations that ended otherwise */
    uint64_t nonlocal;         /* paths that begin where control came non-locally */
    uint64_t unseen;           /* activations that had begun before the first event */
    uint64_t open;             /* activations at the ends of the threads */
    struct check_places switched;  /* where an activation went on before those it had called left,
                                      though no routine can be entered non-locally: on another stack,
                                      or since code that is not traced took these off the stack */
    struct check_places strange;   /* where an activation went on that the thread has not begun, as
                                      far as it was recorded: coroutines come from other threads, or
                                      from before a fork */
};

/* Walks all events: each path must be possible after some path before it in its thread, on whatever
 * stack that ran.  Where all of a process was recorded and it had one thread, there is nothing that
 * explains a `strange` one: events are missing, or not in their order. */
bool check_nesting(const wpp *w, struct check_activations *out, struct wpp_error *error);

#endif
