/* SPDX-License-Identifier: MIT */
/* mcdc.h - modified condition/decision coverage: which conditions were shown to matter.
 *
 * Two vectors of a decision (decisions.h) show a condition if they have opposite values of it and
 * opposite outcomes, and agree in every other condition that both evaluate.  A condition is shown if
 * two executed vectors show it.
 *
 *      a && (b || c)     executed  F--: F   TT-: T      shows a
 *                        with      TFF: F               shows b, too; and TFT: T would show c
 *
 * That is unique-cause MC/DC.  For comparison with gcov there are also the outcomes of masking MC/DC: a value of
 * a condition decided if it was evaluated in a vector, and the opposite value could have led to the opposite
 * outcome, all else being equal.  One vector suffices; the other one need not have been executed.
 *
 * Vectors are counted in the order of the run (block-path-counts.h), since calls in conditions end
 * acyclic paths.  The graph must be that of the source: -O0, or stage=early.
 */
#ifndef WPP_MCDC_H
#define WPP_MCDC_H

#include "wpp/coverage/coverage.h"
#include "wpp/coverage/decisions.h"

struct mcdc_decision {
    uint32_t routine;          /* of the coverage */
    const struct wpp_line *line;       /* of the first condition; NULL: it has none */
    struct decision d;         /* with counts */
    bool *shown;               /* by condition */
    bool *possible;            /* by condition: two vectors can show it */
    uint32_t n_shown;
    bool *decided[2];          /* by condition: its value false, true decided (masking MC/DC) */
    bool *missing;             /* by vector: it would show, alone or with another missing one, a
                                  condition that was not shown */
};

struct mcdc {
    uint32_t n;
    struct mcdc_decision *decision;    /* by routine, then first condition */
    uint64_t shown, all;       /* conditions */
    uint64_t decided;          /* values of conditions, of 2 * all */
    uint32_t n_optimised;      /* routines that were left out: their graphs are not the source's */
    uint32_t n_limited;        /* decisions that were left out: they have too many vectors */
    struct wpp_arena arena;    /* owns all of these */
};

/* `chosen`: by routine of the coverage; NULL: all.  The sources are looked for where `moved` says, and
 * tell which lines may be of one decision; without a source, a decision does not go on to another
 * line.  WPP_E_ARGUMENT: a path profile whose paths calls cut, or of edges: it does not tell; WPP_E_MEMORY. */
bool mcdc_new(struct mcdc *out, const struct coverage *c, const bool *chosen,
              const struct wpp_moved *moved, struct wpp_error *error);
void mcdc_free(struct mcdc *m);

#endif
