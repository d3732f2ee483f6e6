/* SPDX-License-Identifier: MIT */
/* history.h - the input read last, and rules by the symbols they begin with.
 * Private, for fast.c.
 *
 *   history   [ block | block | block | block ]     a ring; position p is at p mod size
 *                 ^rules[r].at = p
 *
 * Invariants:
 *   H1  blocks are whole, so no position of one lies in two places of the ring;
 *   H2  rules[r].at is AT_UNKNOWN or a position from which rules[r].length
 *       terminals, all of one stream, spell r, as long as it is in the window.
 *       A rule derives the same terminals as long as it lives, so this needs
 *       no care when bodies change.
 * A jump entry names a rule that stood where a hash of the next terminals was
 * met.  It is a guess: the rule may have died, its number may name another by
 * now.  H2 is what makes comparing with the history sound nevertheless.
 */
#ifndef SEQUITUR_HISTORY_H
#define SEQUITUR_HISTORY_H

#include "sequitur/grammar.h"

#ifdef WPP_HOSTILE
enum { BLOCK = 32, HISTORY_MAX = 2 * BLOCK, JUMP_BITS_MIN = 1, JUMP_BITS_MAX = 3 };
#define LEVEL_TERMINALS {2, 4, 8, 16}
#else
enum { BLOCK = 1 << 16, HISTORY_MAX = 1 << 24, JUMP_BITS_MIN = 8, JUMP_BITS_MAX = 19 };
#define LEVEL_TERMINALS {8, 32, 128, 512}
#endif
/* As many terminals are hashed to find a rule; the upper levels only where
 * rules have been long. */
enum { LEVELS = 4, LEVELS_ALWAYS = 2 };

struct jump {
    uint32_t rule;           /* 0: none */
    uint32_t hash;           /* its top bits are the index */
    uint32_t length;         /* the rule's, or UINT32_MAX */
    uint32_t at;             /* low bits of the rule's place in the history, to prefetch it */
};

/* What stands at a position, hashed ahead of the moment when it is needed. */
struct outlook {
    uint64_t position;
    uint64_t n;              /* terminals until the end of the block */
    int levels;              /* as many are hashed */
    uint32_t hash[LEVELS];
};

struct jumps {
    uint32_t *history;
    uint64_t size;           /* in terminals: BLOCK times a power of two */
    uint64_t end;            /* the position of the next block */
    struct jump *table;
    unsigned bits;
};

int history_new(seq *s);
void history_free(seq *s);

/* Takes a block of n <= BLOCK terminals of stream t; *from is the position of
 * its first.  SEQ_OK, SEQ_E_NOMEM. */
int history_add(seq *s, struct start *t, const uint32_t *terminals, size_t n, uint64_t *from);

static inline const uint32_t *history_at(const struct jumps *j, uint64_t position)
{
    return j->history + (position & (j->size - 1));
}

/* Whether what rule r derives can be read at rules[r].at. */
static inline bool history_has(const struct jumps *j, const struct rule *r)
{
    return r->at != AT_UNKNOWN && r->at + j->size >= j->end;
}

/* Whether `value` derives exactly the terminals in[0 .. length_of(value)).
 * False also where that is not known without a long search. */
bool derives_input(const seq *s, uint32_t value, const uint32_t *in);

/* Rule r has just been seen to end at position `end` of stream t. */
void history_saw(seq *s, const struct start *t, uint32_t r, uint64_t end);

/* Hashes beginnings of the n terminals at `position`, which comes after
 * something of length `last`, and has memory fetch the entries. */
struct outlook history_look(const seq *s, uint64_t position, uint64_t n, uint64_t last);
/* A rule that derives the first of the terminals there, as many as can be
 * found quickly; 0 if none. */
uint32_t history_jump(const seq *s, const struct outlook *o);

/* H2 for every rule.  True if it holds. */
bool history_check(const seq *s, uint32_t *culprit);

#endif
