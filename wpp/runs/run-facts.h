/* SPDX-License-Identifier: MIT */
/* run-facts.h - which predicates are true of one run.
 *
 * They are read off the grammar, which is not expanded: a rule's body shows all pairs and triples of
 * paths that cross its symbols, and where rules stand first and last gives the order of paths.  Loops,
 * callers and depths come from the call tree (wpp/replay/call-tree.h).
 */
#ifndef WPP_RUN_FACTS_H
#define WPP_RUN_FACTS_H

#include "wpp/runs/predicates.h"

/* Where a path stands in a thread, in places counted within the run: first < last of another path
 * means that it came before that one. */
struct path_span {
    uint32_t thread;           /* counted over all processes of the run */
    uint32_t path;             /* of the vocabulary */
    uint32_t first, last;
};

/* The most times that a loop was gone round in a visit, or that a routine stood within itself. */
struct loop_most {
    uint32_t header;           /* PREDICATE_HEADER or PREDICATE_ROUTINE */
    uint64_t most;
};

struct run_facts {
    uint32_t *predicate;       /* each once, in order of being found; without `loop` and `before` */
    uint32_t n, capacity;
    struct path_span *span;
    uint32_t n_spans, span_capacity;
    struct loop_most *loop;    /* each header and routine once */
    uint32_t n_loops, loop_capacity;
    uint32_t n_threads;
    uint64_t events;
    uint32_t *seen, n_seen, stamp;     /* by predicate: `stamp` if it is there */
    bool failed;
};

/* An empty set of facts for the next run; the arrays are used again. */
void run_facts_begin(struct run_facts *f);
void run_facts_free(struct run_facts *f);

/* Adds a fact.  For the parts that find facts. */
void run_facts_add(struct run_facts *f, uint32_t predicate);
/* Adds a number to those of a loop or routine, of which the largest is kept.  False: no memory. */
bool run_facts_most(struct run_facts *f, uint32_t header, uint64_t most);

/* Adds what a process of the run did.  *kept: v refers to w, which must live on.  The parts
 * TOOL_NEED_PATHS (wpp/cli/tool.h) of w must be there.  WPP_E_MEMORY, WPP_E_ARGUMENT: too large.
 * Cost: O(grammar + call tree), and for a new path its blocks. */
bool run_facts_of(struct run_facts *f, struct vocabulary *v, const wpp *w, bool *kept,
                  struct wpp_error *error);

/* ---- The parts, for run_facts_of() ------------------------------------------------------------ */

/* Numbers of a file's routines and terminals in the vocabulary. */
struct facts_names {
    const wpp *w;
    uint32_t n_terminals, n_routines;
    uint32_t *routine;         /* by routine */
    uint32_t *path;            /* by terminal; UINT32_MAX: it has no routine */
};

/* order-facts.c: pairs, triples, and spans.  False: no memory. */
bool facts_of_order(struct run_facts *f, struct vocabulary *v, const struct facts_names *names);
/* call-facts.c: loops, callers and depths.  WPP_E_MEMORY, WPP_E_ARGUMENT. */
bool facts_of_calls(struct run_facts *f, struct vocabulary *v, const struct facts_names *names,
                    struct wpp_error *error);
/* depth-facts.c, when the callers are there.  False: no memory. */
struct call_tree;
bool facts_of_depths(struct run_facts *f, const struct vocabulary *v, const struct facts_names *names,
                     const struct call_tree *tree);

#endif
