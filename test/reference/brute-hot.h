/* SPDX-License-Identifier: MIT */
/* brute-hot.h - hot subpaths straight from the definition, on the expanded
 * trace.  Quadratic and worse; for small grammars.  Shares no code with
 * hotpaths/.  Runs out of memory by aborting. */
#ifndef WPP_TEST_BRUTE_HOT_H
#define WPP_TEST_BRUTE_HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct brute_string {
    uint32_t *symbols;
    size_t length;
};

/* A grammar written out. */
struct brute_run {
    const struct wpp_grammar *g;
    uint32_t n_rules;                /* start rules included */
    uint32_t n_threads;
    struct brute_string *rule;       /* expansion of each rule, start rules included */
    uint64_t *instances;             /* of each rule in all threads, counted one by one */
};

void brute_expand(struct brute_run *run, const struct wpp_grammar *g);
void brute_free(struct brute_run *run);

/* The thread's whole trace. */
const struct brute_string *brute_thread(const struct brute_run *run, uint32_t thread);

/* Places where `w` stands in the threads' traces, overlapping ones too. */
uint64_t brute_occurrences(const struct brute_run *run, const uint32_t *w, size_t length);

uint64_t brute_cost(const uint64_t *cost, const uint32_t *w, size_t length);

struct brute_limits {
    uint32_t min_length, max_length;
    uint64_t min_cost;
};

/* True when `w` is hot by the definition. */
bool brute_is_hot(const struct brute_run *run, const uint64_t *cost,
                  const struct brute_limits *limits, const uint32_t *w, size_t length);
/* True when no proper prefix of it is hot either. */
bool brute_is_minimal(const struct brute_run *run, const uint64_t *cost,
                      const struct brute_limits *limits, const uint32_t *w, size_t length);

/* All minimal hot subpaths, each once: calls `each` for every one; returns
 * their number. */
size_t brute_minimal_hot(const struct brute_run *run, const uint64_t *cost,
                         const struct brute_limits *limits,
                         void (*each)(void *ctx, const uint32_t *w, size_t length,
                                      uint64_t frequency),
                         void *ctx);

/* True when `marked` (a flag for each symbol of rule r's expansion) touches
 * every subpath that crosses symbols of r's right-hand side, or is one
 * terminal of it, and is hot by r's instances alone. */
bool brute_touches_crossing(const struct brute_run *run, const uint64_t *cost,
                            const struct brute_limits *limits, uint32_t rule,
                            const bool *marked);

/* The least distance at which the string agrees with itself; its length if none. */
uint32_t brute_period(const uint32_t *w, size_t length);

/* What all places of the string cost, each event once, and how many pieces they make up: those
 * that overlap are one. */
uint64_t brute_own_cost(const struct brute_run *run, const uint64_t *cost, const uint32_t *w,
                        size_t length, uint64_t *pieces);

/* Whether two strings of n symbols are the same but for where they begin. */
bool brute_is_rotation(const uint32_t *a, const uint32_t *b, size_t n);

/* Whether there is a string of `turn` symbols of whose endless repetition both are
 * pieces, each at a place of its own, the first at its beginning. */
bool brute_fit_a_loop(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t turn);

#endif
