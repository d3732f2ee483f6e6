/* SPDX-License-Identifier: MIT */
/* runs.h - runs of one terminal as one symbol.  Private, for fast.c.
 *
 *   stream    a a a b b c a a a b b d
 *   joined    a^3  b^2  c a^3  b^2  d         the shortcuts see only this
 *
 * t^k is a rule without a body as long as input may come (rule.run says which): its
 * count is one too high, so that it never dissolves, and its length, like every
 * length and position then, counts symbols of the joined stream: it is 1.  In the
 * end runs_spell() gives it the body that its binary number asks for,
 *
 *   t^13 -> t^12 t       t^12 -> t^8 t^4       t^8 -> t^4 t^4      t^4 -> t^2 t^2
 *
 * so that no two of these bodies share a digram, and what is used once dissolves
 * by the rewrites that are for all.
 *
 * Invariants:
 *   R1  rules[r].run = i + 1 if list[i].rule = r, else 0;
 *   R2  no two runs have the same terminal and times, which are at least 2;
 *   R3  neighbours in a body are never of the same terminal, be they runs or single.
 */
#ifndef SEQUITUR_RUNS_H
#define SEQUITUR_RUNS_H

#include "sequitur/grammar.h"

struct run {
    uint64_t times;
    uint32_t terminal;
    uint32_t rule;
};

struct runs {
    struct run *list;
    uint32_t n;
    uint32_t size;
    struct run *slots;       /* the same by terminal and times: open addressing, no rule: free */
    uint32_t bits;
    uint64_t missing;        /* runs that bodies will need and that were none when it was asked */
};

int runs_new(seq *s);
void runs_free(seq *s);

/* Joins terminals of stream t into t->staged, until that holds `most` symbols.  A run
 * is staged when its end has been seen.  Returns how many terminals were read: all, or
 * those before one that is too large, or t->staged is full, or s->status says what failed. */
size_t runs_join(seq *s, struct start *t, const uint32_t *terminals, size_t n, uint32_t most);
/* Stages the run that the stream ends with. */
int runs_end(seq *s, struct start *t);

/* The input has ended: every run gets a body. */
int runs_spell(seq *s);

/* Bytes that this takes at most, besides what there is, and exporting it then. */
uint64_t runs_spelling(const seq *s);
/* Bytes that the table takes more, at most, while n symbols are joined. */
uint64_t runs_growth(const seq *s, uint32_t n);

/* Whether node n's symbol and its successor's are of one terminal (R3). */
bool runs_touch(const seq *s, uint32_t n);
/* R1 and R2. */
bool runs_check(const seq *s);

#endif
