/* SPDX-License-Identifier: MIT */
/* jumps.h - rules by the terminals they begin with.  Private, for fast.c.
 *
 * A rule belongs to the last level that is not longer than it.  The table has an
 * entry for the hash of that level's terminals which names the rule, and
 * markers for the levels below (levels.h).  What stands at a position is looked up for
 * one level after the other from above; the first entry that is no marker names the longest
 * rule that can derive it, with the doubt that entries may be lost to others.
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
#include "sequitur/levels.h"
#include "sequitur/vectors.h"

#ifdef WPP_HOSTILE
enum { JUMPS_MIN = 4, JUMPS_MAX = 32 };
#else
enum { JUMPS_MIN = 1 << 8, JUMPS_MAX = 1 << 21 };
#endif

/* Entries a rule: one and its markers, most of which it shares. */
enum { JUMPS_A_RULE = 4 };
enum { ALIKE = 2, MORE_UNKNOWN = 15 };

struct jump {
    uint64_t rule : 29;      /* 0: none */
    uint64_t more : 4;       /* its length less the level's terminals, or MORE_UNKNOWN */
    uint64_t marker : 1;     /* one that is longer than the next level */
    uint64_t hash : 30;      /* as in a place; 0: no entry */
};

struct jumps {
    struct jump *table;
    uint64_t size;           /* in entries: whole rows */
    uint64_t most;           /* so large it may become */
    struct levels levels;
};

/* What stands at a position, hashed before it is needed, so that memory can
 * fetch the entries, then the rule, then where that stood, meanwhile. */
struct outlook {
    uint64_t position;
    uint64_t n;              /* terminals until the end of the block */
    int levels;              /* those below this one have sums, if they are wide */
    int placed;              /* .. and those from this one on a place */
    int asked;               /* those from this one on have been asked; -1: none was yet */
    int level;               /* the one whose entry gave the guess */
    uint32_t hits;           /* entries of the levels that were asked last which were no guess
                              * yet, WAYS bits a level */
    uint32_t guess;          /* the rule to try first; 0: none */
    uint32_t length;         /* how far that goes; 0: unknown */
    struct place places[LEVELS];   /* as of when they were made: once the table has grown, what
                              * they find is elsewhere, and the position goes without a jump */
    two sums[LEVELS];
};
#define NO_POSITION UINT64_MAX

static inline uint32_t place_hash(struct place p)
{
    return p.top >> (32 - HASH_BITS);
}

/* Bit i says whether entry i of the place's row has its hash and, if so asked, names a rule.  On
 * machines with SSE2 an entry's upper half is the hash, the marker's bit and one of `more`. */
static inline unsigned jump_ways(const struct jump *table, struct place p, bool rules_only)
{
    const struct jump *row = table + p.row;
#ifdef __SSE2__
    _Static_assert(WAYS * sizeof p.top == sizeof(four) && HASH_BITS == 30, "all ways at once");
    four a, b;
    memcpy(&a, row, sizeof a);
    memcpy(&b, row + 2, sizeof b);
    uint32_t others = rules_only ? 1 : 3;
    return four_lanes((four)((four_odd(a, b) & ~others) == p.top));
#else
    unsigned ways = 0;
    for (int i = 0; i < WAYS; i++)
        ways |= (unsigned)(row[i].hash == place_hash(p) && !(rules_only && row[i].marker)) << i;
    return ways;
#endif
}

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
