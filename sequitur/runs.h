/* SPDX-License-Identifier: MIT */
/* runs.h - runs of one terminal as one symbol.  Private, for fast.c.
 *
 *   stream    a a a b b c a a a b b d
 *   joined    a^3  b^2  c a^3  b^2  d         the shortcuts see only this
 *
 * While input may come, t^k is a rule without a body (rule.run marks it).  Its count is one too
 * high, so that it never dissolves.  Its length is 1, since all lengths and positions then count
 * symbols of the joined stream.  At the end runs_spell() gives it a body that follows its binary
 * number,
 *
 *   t^13 -> t^12 t       t^12 -> t^8 t^4       t^8 -> t^4 t^4      t^4 -> t^2 t^2
 *
 * so that no two of these bodies share a digram.  Rules that are used once dissolve by the general
 * rewrites.
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
    struct run *slots;       /* the same by terminal and times: open addressing; rule 0: free */
    uint32_t bits;
    uint64_t missing;        /* runs that bodies will need and that did not exist when counted */
};

int runs_new(seq *s);
void runs_free(seq *s);

/* Joins terminals of stream t into t->staged, until that holds `most` symbols.  A run is staged
 * when its end has been seen.  Returns how many terminals were read.  Fewer than n: the next one is
 * too large, t->staged is full, or s->status is an error. */
size_t runs_join(seq *s, struct start *t, const uint32_t *terminals, size_t n, uint32_t most);
/* Stages the last run of the stream. */
int runs_end(seq *s, struct start *t);

/* At the end of the input: gives every run a body. */
int runs_spell(seq *s);

/* The most bytes that runs_spell() will allocate, with the export after it. */
uint64_t runs_spelling(const seq *s);
/* The most bytes by which the table grows while n symbols are joined. */
uint64_t runs_growth(const seq *s, uint32_t n);

/* Whether node n's symbol and its successor's are of one terminal (R3). */
bool runs_touch(const seq *s, uint32_t n);
/* R1 and R2. */
bool runs_check(const seq *s);

#endif
