/* SPDX-License-Identifier: MIT */
/* hotpaths.h - the hot subpaths of a whole program path.
 *
 * A subpath is a string of terminals (acyclic paths) that stands somewhere in
 * the expansion of a thread.  One execution of it costs the sum of its
 * terminals' costs; its cost is that sum times its frequency, the number of
 * places where it stands.  A subpath is hot when its length lies between
 * min_length and max_length and its cost is at least min_cost; it is minimal
 * when no proper prefix of it is hot.
 *
 * The analyses read the grammar, never its expansion.  What each algorithm
 * promises is proved in docs/hotpaths-algorithm.md.
 *
 * The library prints nothing and keeps no global state; different threads may
 * analyse the same grammar at once.
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
    HOT_E_COST = -3         /* max_length times the dearest terminal passes 64 bits */
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
    bool no_sample;         /* HOT_EXACT: looks at all of a large grammar for what may be hot,
                             * not at a sample that hardly ever misses something (sample.h) */
};

struct hot_subpath {
    const uint32_t *terminals;
    uint32_t length;
    uint64_t unit_cost;     /* of one execution: the sum over its terminals */
    uint64_t frequency;     /* HOT_LARUS: a lower bound */
    uint64_t cost;          /* frequency x unit_cost; stops at UINT64_MAX */

    /* Places at which a subpath stands may overlap, but never by so much that two
     * begin less than `period` terminals apart.  Those that overlap are one piece of the
     * run.  In own_cost what lies in several places counts once: it is part of the run. */
    uint32_t period;        /* length if it cannot overlap itself; HOT_LARUS: length */
    uint64_t own_unit_cost; /* of the first `period` terminals, a turn if it is a loop's */
    uint64_t own_cost;      /* of all its places together; HOT_LARUS: cost */
    uint64_t pieces;        /* frequency if no places overlap; HOT_LARUS: frequency */

    /* HOT_EXACT: subpaths that are the same loop, begun at another of its paths. */
    size_t leader;          /* rank of the first of them */
    uint32_t rotations;     /* how many they are; 1: alone */
    uint32_t turn;          /* paths in a turn of the loop; 0: none */
    const uint32_t *loop;   /* they are; NULL: none */
};

typedef struct hot_result hot_result;

/* Finds the hot subpaths of `g`, whose terminal t costs cost[t]; only start rules may be empty.  The result
 * is the caller's (hot_free) and refers to neither `g` nor `cost`.  On error
 * *out is NULL.  HOT_OK, HOT_E_MEMORY, HOT_E_ARGUMENT, HOT_E_COST. */
int hot_find(hot_result **out, const struct wpp_grammar *g, const uint64_t *cost,
             const struct hot_config *config);
void hot_free(hot_result *r);

/* Number of subpaths found; each string counts once. */
size_t hot_count(const hot_result *r);

/* How many of them are the first of their loop, or no loop's. */
size_t hot_count_leaders(const hot_result *r);

/* The subpath of rank `index` (< hot_count), that of most own_cost first; equals
 * by length, then by terminals.  Its terminals live as long as `r`. */
struct hot_subpath hot_get(const hot_result *r, size_t index);

/* Cost of everything that was analysed; stops at UINT64_MAX. */
uint64_t hot_total_cost(const hot_result *r);

/* The min_cost that was used: the configured one, or the one chosen. */
uint64_t hot_min_cost(const hot_result *r);

/* ---- Given strings ---------------------------------------------------------
 * What can be asked of any strings of terminals, found or made up: they must differ, but
 * for those of hot_count_turns, and not be empty.  `thread`: only this one, or
 * HOT_ALL_THREADS.  All return HOT_OK or HOT_E_MEMORY. */

struct hot_string {
    const uint32_t *terminals;
    uint32_t length;
};

/* How often string i stands in thread k, overlapping places counted:
 * by_thread[i * g->n_threads + k]. */
int hot_places(const struct wpp_grammar *g, const struct hot_string *strings, size_t n,
               uint64_t *by_thread);

/* At how many places of thread k, no two of which overlap, the string stands at most:
 * by_thread[k]. */
int hot_places_apart(const struct wpp_grammar *g, struct hot_string string, uint64_t *by_thread);

/* What all events cost that are in some place of some of the strings, each counted
 * once. */
int hot_cover(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
              const struct hot_string *strings, size_t n, uint64_t *covered);

/* What the places of each string, frequency[i] in all, make up together: those that overlap
 * are one piece, and what lies in several of them costs once. */
struct hot_pieces {
    uint64_t pieces;
    uint64_t cost;
};
int hot_count_pieces(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
                     const struct hot_string *strings, const uint64_t *frequency, size_t n,
                     struct hot_pieces *out);

/* How often terminal t comes right behind (or, if `before`, right before) string i:
 * times[i * g->n_terminals + t]. */
int hot_neighbours(const struct wpp_grammar *g, uint32_t thread,
                   const struct hot_string *strings, size_t n, bool before, uint64_t *times);

/* Lets string i, terminals[i] (allocated by malloc, changed) of length[i], grow behind
 * and before as long as it stays as frequent as it is, frequency[i], up to `most`
 * terminals.  Strings may become equal. */
#define HOT_NO_TERMINAL UINT32_MAX
int hot_extend(const struct wpp_grammar *g, uint32_t thread, uint32_t **terminals,
               uint32_t *length, const uint64_t *frequency, size_t n, uint32_t most);

/* How often a loop turns in a row.  String i is a turn of it, begun anywhere.  A row is a
 * piece of a thread that reads along the loop and could go on along it neither before nor
 * behind; its turns are as many as its terminals make up, whole ones.  A turn of more than
 * HOT_TURN_MAX terminals is not counted: no rows. */
#define HOT_TURN_MAX 1000
struct hot_turns {
    uint64_t rows;              /* of one turn or more */
    uint64_t turns;             /* of all rows */
    uint64_t least, most;       /* of a row */
};
int hot_count_turns(const struct wpp_grammar *g, uint32_t thread, const struct hot_string *turns,
                    size_t n, struct hot_turns *out);

/* Of B's events, how many come behind an A with no other B in between; is_a[t] and
 * is_b[t] say what terminal t is.  An event that is both comes behind what was before
 * it, and is an A for the next. */
struct hot_order {
    uint64_t a, b;              /* events of each */
    uint64_t b_after_a;         /* B's, and since the B before (or the beginning) an A */
};
int hot_before(const struct wpp_grammar *g, uint32_t thread, const bool *is_a,
               const bool *is_b, struct hot_order *out);

/* How often terminal t comes right before (or right behind) an event that is_b says, where it
 * is none itself: times[t]. */
int hot_beside(const struct wpp_grammar *g, uint32_t thread, const bool *is_b, bool before,
               uint64_t *times);

/* One line for an enum hot_status. */
const char *hot_status_text(int status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
