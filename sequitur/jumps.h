/* SPDX-License-Identifier: MIT */
/* jumps.h - rules by the terminals they begin with.  Private, for fast.c.
 *
 *   level          0  1  2  3  4  5  6   7   8   9  10  11 ..
 *   its terminals  2  3  4  5  6  7  8  10  12  14  16  20 ..      four levels to a doubling
 *
 * A rule belongs to the last level that is not longer than it.  The table has an
 * entry for the hash of that level's terminals which names the rule, and
 * markers for the levels below.  What stands at a position is hashed for all
 * levels; the first entry from above that is no marker names the longest rule
 * that can derive it, with the doubt that entries may be lost to others.
 *
 * The table has rows of WAYS entries, half a line of memory.  A hash says in which row
 * its entry is, which may be anywhere there.  A rule loses its entry to another one only
 * where a row is full of rules; markers and rules that died give way before.  Where rules
 * share a level and its terminals, the two longest have entries, the longer one to the left.
 *
 * An entry is a guess: the rule may have died, its number may name another by
 * now.  What makes comparing sound is H2 (history.h), which is about the rule
 * that has the number when it is asked.
 */
#ifndef SEQUITUR_JUMPS_H
#define SEQUITUR_JUMPS_H

#include "sequitur/grammar.h"

#ifdef WPP_HOSTILE
enum { JUMPS_MIN = 4, JUMPS_MAX = 32, LEVELS = 15 };
#else
enum { JUMPS_MIN = 1 << 8, JUMPS_MAX = 1 << 21, LEVELS = 31 };
#endif

/* Entries a rule: one and its markers, most of which it shares. */
enum { JUMPS_A_RULE = 4 };
enum { WAYS = 4, ALIKE = 2, HASH_BITS = 30, MORE_UNKNOWN = 15 };

struct jump {
    uint64_t rule : 29;      /* 0: none */
    uint64_t marker : 1;     /* one that is longer than the next level */
    uint64_t more : 4;       /* its length less the level's terminals, or MORE_UNKNOWN */
    uint64_t hash : 30;      /* its row is hash * rows / 2^30; 0: no entry */
};

/* The terminals of the last level; of the last that is hashed one by one. */
enum { TERMINALS_MOST = 512, TERMINALS_SINGLE = 16 };

struct jumps {
    struct jump *table;
    uint64_t size;           /* in entries: whole rows */
    uint64_t most;           /* so large it may become */
    uint64_t single_keys[TERMINALS_SINGLE];
    uint32_t keys[TERMINALS_MOST];
};

/* What stands at a position, hashed before it is needed, so that memory can
 * fetch the entries, then the rule, then where that stood, meanwhile. */
struct outlook {
    uint64_t position;
    uint64_t n;              /* terminals until the end of the block */
    uint64_t sum;            /* of what they are hashed from */
    int levels;              /* so many are hashed */
    int asked;               /* the level whose entry gave the guess; -1: none was asked */
    unsigned ways;           /* entries of that level that were not, a bit each */
    uint32_t guess;          /* the rule to try first; 0: none */
    uint32_t length;         /* how far that goes; 0: unknown */
    uint32_t hash[LEVELS];
};
#define NO_POSITION UINT64_MAX

int jumps_new(seq *s);
static inline uint64_t jumps_bytes(const seq *s)
{
    return s->jumps->size * sizeof *s->jumps->table;
}
void jumps_free(seq *s);
/* Grows with the number of rules, before any of them has lost its entry to another for want of
 * room.  SEQ_OK, SEQ_E_NOMEM. */
int jumps_grow(seq *s);
static inline int jumps_room(seq *s)
{
    const struct jumps *j = s->jumps;
    bool enough = (uint64_t)s->rules_live * JUMPS_A_RULE < j->size || j->size == j->most;

    return enough ? SEQ_OK : jumps_grow(s);
}

/* Rule r is to be found where what stands at rules[r].at stands again. */
void jumps_learn(seq *s, uint32_t r);

/* Looks at the n terminals at `position`, behind something of length `last`. */
void outlook_look(const seq *s, struct outlook *o, uint64_t position, uint64_t n, uint64_t last);
/* Makes the first guess. */
void outlook_guess(const seq *s, struct outlook *o);
/* Has memory fetch what the guess will be compared with. */
void outlook_fetch(const seq *s, const struct outlook *o);
/* Whether some rule derives all n terminals there, and more. */
bool outlook_is_cut(const seq *s, struct outlook *o);
/* A rule that derives the first of the terminals there, about the longest; 0 if
 * none is found. */
uint32_t outlook_jump(const seq *s, struct outlook *o);

#endif
