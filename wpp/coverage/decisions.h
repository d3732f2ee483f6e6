/* SPDX-License-Identifier: MIT */
/* decisions.h - the decisions of a routine and their short-circuit vectors, from its control-flow graph.
 *
 * A decision is a boolean expression that control depends on; its conditions are the blocks that decide:
 *
 *      if (a && (b || c))       2: a -> 3 | 6      conditions 2 3 4, outcomes 5 (true) and 6 (false)
 *          x();                 3: b -> 5 | 4
 *                               4: c -> 5 | 6      vectors  F--: false      TT-: true
 *                                                           TFT: true       TFF: false
 *
 * A vector is one way of evaluating it: a path of blocks from the first condition to an outcome.  What
 * is not evaluated is `-`.
 *
 * The blocks of a decision are found by their shape: each condition but the first is come to from
 * conditions of the decision alone, perhaps through blocks that compute it, and two blocks are left
 * to go to.  `if (a) if (b) x();` has the same graph as `if (a && b) x();`, and is the same decision.
 */
#ifndef WPP_DECISIONS_H
#define WPP_DECISIONS_H

#include <stddef.h>

#include "wpp/base/arena.h"
#include "wpp/wpp.h"

struct decision_vector {
    const uint32_t *block;     /* from the first condition to the outcome */
    uint32_t n_blocks;
    const char *value;         /* by condition: T, F, - */
    bool outcome;
    uint64_t count;            /* the caller's; 0 */
};

struct decision {
    uint32_t n_conditions;
    const uint32_t *condition; /* blocks, in the order of evaluation */
    uint32_t outcome[2];       /* the block behind it: false, true */
    uint32_t n_vectors;        /* 0: there are more than the limit */
    struct decision_vector *vector;
};

struct decisions {
    uint32_t n;
    struct decision *decision; /* by first condition */
};

/* Whether conditions on these two lines of a routine may be of one expression. */
typedef bool decisions_joined(void *context, const struct wpp_routine *routine,
                              const struct wpp_line *a, const struct wpp_line *b);

/* A decision with more conditions is cut, and one with more vectors has none. */
enum { DECISION_CONDITIONS = 200, DECISION_VECTORS = 1000 };

/* `joined` NULL: always.  All is the arena's.  False: no memory. */
bool decisions_find(const struct wpp_routine *routine, decisions_joined *joined, void *context,
                    struct wpp_arena *arena, struct decisions *out);

#endif
