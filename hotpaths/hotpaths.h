/* SPDX-License-Identifier: MIT */
/* hotpaths.h - the hot subpaths of a whole program path.
 *
 * A subpath is a string of terminals (acyclic paths) that occurs in the expansion of a thread.  One
 * execution of it costs the sum of its terminals' costs.  Its cost is that sum times its frequency,
 * the number of its occurrences.  A subpath is hot when its length is between min_length and
 * max_length and its cost is at least min_cost.  It is minimal when no proper prefix of it is hot.
 *
 * The analyses read the grammar, never its expansion.  docs/hotpaths-algorithm.md proves the
 * guarantees of each algorithm.
 *
 * The library prints nothing and keeps no global state; different threads may analyse the same
 * grammar at once.
 */
#ifndef WPP_HOTPATHS_H
#define WPP_HOTPATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum hot_status {
    HOT_OK = 0,
    HOT_E_MEMORY = -1,
    HOT_E_ARGUMENT = -2,    /* the configuration breaks a limit stated below */
    HOT_E_COST = -3         /* max_length times the most expensive terminal exceeds 64 bits */
};

enum hot_algorithm {
    HOT_LARUS = 0,          /* Larus' walk: disjoint finds, frequencies are lower bounds */
    HOT_EXACT = 1           /* all minimal hot subpaths with their true frequencies */
};

#define HOT_ALL_THREADS UINT32_MAX
#define HOT_LENGTH_MAX  UINT32_C(1000000)

struct hot_config {
    size_t size;            /* sizeof(struct hot_config), for later growth */
    enum hot_algorithm algorithm;
    uint32_t min_length;    /* terminals, at least 1 */
    uint32_t max_length;    /* terminals, min_length .. HOT_LENGTH_MAX */
    uint64_t min_cost;      /* 0: choose one that finds about `wanted` subpaths */
    uint32_t wanted;        /* used when min_cost is 0; at least 1; rotations count once */
    uint32_t thread;        /* only this thread's expansion, or HOT_ALL_THREADS */
    bool no_sample;         /* HOT_EXACT: searches all of a large grammar instead of a sample,
                               which hardly ever misses a subpath (sample.h) */
};

struct hot_subpath {
    const uint32_t *terminals;
    uint32_t length;
    uint64_t unit_cost;     /* of one execution: the sum over its terminals */
    uint64_t frequency;     /* HOT_LARUS: a lower bound */
    uint64_t cost;          /* frequency x unit_cost; at most UINT64_MAX */

    /* Occurrences of a subpath may overlap, but two of them never begin less than `period`
     * terminals apart.  Overlapping ones form one piece of the run.  own_cost counts events that
     * lie in several occurrences once: it is a part of the run. */
    uint32_t period;        /* length if it cannot overlap itself; HOT_LARUS: length */
    uint64_t own_unit_cost; /* of the first `period` terminals; for a loop, of one iteration */
    uint64_t own_cost;      /* of all its occurrences together; HOT_LARUS: cost */
    uint64_t pieces;        /* frequency if no occurrences overlap; HOT_LARUS: frequency */

    /* HOT_EXACT: subpaths that are the same loop, begun at different paths. */
    size_t leader;          /* rank of the first of them */
    uint32_t rotations;     /* how many there are; 1: only this one */
    uint32_t turn;          /* paths in an iteration of the loop; 0: no loop */
    const uint32_t *loop;   /* these paths; NULL: no loop */
};

typedef struct hot_result hot_result;

/* Finds the hot subpaths of `g`, whose terminal t costs cost[t]; only start rules may be empty.
 * The result is the caller's (hot_free) and refers to neither `g` nor `cost`.  On error *out is
 * NULL.  HOT_OK, HOT_E_MEMORY, HOT_E_ARGUMENT, HOT_E_COST. */
int hot_find(hot_result **out, const struct wpp_grammar *g, const uint64_t *cost,
             const struct hot_config *config);
void hot_free(hot_result *r);

/* Number of subpaths found; each string counts once. */
size_t hot_count(const hot_result *r);

/* How many of them are the first of their loop, or are no loop. */
size_t hot_count_leaders(const hot_result *r);

/* The subpath of rank `index` (< hot_count); the largest own_cost comes first, equals are sorted by
 * length, then by terminals.  Its terminals live as long as `r`. */
struct hot_subpath hot_get(const hot_result *r, size_t index);

/* Cost of everything that was analysed; at most UINT64_MAX. */
uint64_t hot_total_cost(const hot_result *r);

/* The min_cost that was used: as configured, or as chosen. */
uint64_t hot_min_cost(const hot_result *r);

/* ---- Given strings ---------------------------------------------------------
 * Questions about any strings of terminals, found or made up.  They must be different (except in
 * hot_count_turns) and not empty.  `thread`: only this one, or HOT_ALL_THREADS.  All return HOT_OK
 * or HOT_E_MEMORY. */

struct hot_string {
    const uint32_t *terminals;
    uint32_t length;
};

/* How often string i occurs in thread k, overlapping occurrences included: by_thread[i *
 * g->n_threads + k]. */
int hot_places(const struct wpp_grammar *g, const struct hot_string *strings, size_t n,
               uint64_t *by_thread);

/* The largest number of occurrences of the string in thread k of which no two overlap:
 * by_thread[k]. */
int hot_places_apart(const struct wpp_grammar *g, struct hot_string string, uint64_t *by_thread);

/* The cost of all events in occurrences of at least one of the strings, each event counted once. */
int hot_cover(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
              const struct hot_string *strings, size_t n, uint64_t *covered);

/* The pieces of each string, whose frequency is frequency[i]: overlapping occurrences are one
 * piece, and events in several of them cost once. */
struct hot_pieces {
    uint64_t pieces;
    uint64_t cost;
};
int hot_count_pieces(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
                     const struct hot_string *strings, const uint64_t *frequency, size_t n,
                     struct hot_pieces *out);

/* How often terminal t comes right behind (or, if `before`, right before) string i: times[i *
 * g->n_terminals + t]. */
int hot_neighbours(const struct wpp_grammar *g, uint32_t thread,
                   const struct hot_string *strings, size_t n, bool before, uint64_t *times);

/* Extends string i, terminals[i] (allocated by malloc, changed) of length[i], at both ends as long
 * as its frequency stays frequency[i], up to `most` terminals.  Strings may become equal. */
#define HOT_NO_TERMINAL UINT32_MAX
int hot_extend(const struct wpp_grammar *g, uint32_t thread, uint32_t **terminals,
               uint32_t *length, const uint64_t *frequency, size_t n, uint32_t most);

/* How often a loop is repeated in a row.  String i is one iteration, begun at any of its paths.  A
 * row is a part of a thread that follows the loop and could not be extended along it at either end.
 * Its turns are the whole iterations in its terminals.  An iteration of more than HOT_TURN_MAX
 * terminals is not counted: no rows. */
#define HOT_TURN_MAX 1000
struct hot_turns {
    uint64_t rows;              /* of at least one iteration */
    uint64_t turns;             /* of all rows */
    uint64_t least, most;       /* of a row */
};
int hot_count_turns(const struct wpp_grammar *g, uint32_t thread, const struct hot_string *turns,
                    size_t n, struct hot_turns *out);

/* How many of B's events come after an A with no other B in between; is_a[t] and is_b[t] classify
 * terminal t.  An event that is both comes after the events before it, and is an A for the next
 * one. */
struct hot_order {
    uint64_t a, b;              /* events of each */
    uint64_t b_after_a;         /* events of B with an A since the B before (or the beginning) */
};
int hot_before(const struct wpp_grammar *g, uint32_t thread, const bool *is_a,
               const bool *is_b, struct hot_order *out);

/* How often terminal t comes right before (or right behind) an event of is_b and is not in is_b
 * itself: times[t]. */
int hot_beside(const struct wpp_grammar *g, uint32_t thread, const bool *is_b, bool before,
               uint64_t *times);

/* One line for an enum hot_status. */
const char *hot_status_text(int status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
