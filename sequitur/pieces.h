/* SPDX-License-Identifier: MIT */
/* pieces.h - the rules of a part of the input, and one grammar of all parts.  Private.
 *
 *   symbol   0 ........ 2^30 - 1    a terminal
 *            PIECE_RUN | i          runs[i], a terminal several times
 *            SEQ_RULE | i           i < base_rules: rule i of the base's piece
 *                                   else rule i - base_rules of this piece
 *
 * Rules are in the order in which their first use ends, as in an export; the start rules are behind
 * them.  Runs have no bodies yet: a run that an earlier piece has made a rule is not spelled again
 * (combine.c). */
#ifndef SEQUITUR_PIECES_H
#define SEQUITUR_PIECES_H

#include "sequitur/grammar.h"
#include "sequitur/runs.h"

#define PIECE_RUN UINT32_C(0x40000000)

struct seq_piece {
    uint32_t base_rules;     /* rules of the base's piece; 0: this is it */
    uint32_t rules, starts;
    uint64_t *body;          /* rules + starts + 1 */
    uint32_t *symbols;
    struct run *runs;
    uint32_t n_runs;
    uint64_t body_size, symbols_size, runs_size;     /* in bytes, as allocated */
    seq_realloc *realloc;
    void *realloc_ctx;
};

/* The piece of s, whose input has ended.  The base's: fills s->numbers.  SEQ_OK, SEQ_E_NOMEM. */
int piece_take(seq *s, seq_piece **out);

#endif
