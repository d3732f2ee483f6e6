/* SPDX-License-Identifier: MIT */
/* jumps.h - rules by the terminals they begin with.  Private, for fast.c.
 *
 * A rule belongs to the last level that is not longer than the rule.  The table has an entry for
 * the hash of that level's terminals, which names the rule, and markers for the levels below
 * (levels.h).  A search for the terminals at a position looks at one level after the other, from
 * above.  The first entry that is no marker names the longest rule that can derive them, except
 * that entries may have been lost to others.
 *
 * The table has rows of WAYS entries, half a line of memory.  A hash determines the row; the entry
 * may be anywhere in it.  A rule loses its entry to another one only if a row is full of rules;
 * markers and dead rules are replaced first.  If rules share a level and its terminals, the two
 * longest have entries, the longer one to the left.
 *
 * An entry is a guess: the rule may have died, and its number may name another one now.  Comparing
 * is sound because of H2 (history.h), which is about the rule that has the number at that time.
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

/* Entries for each rule: its own and its markers, most of which are shared. */
enum { JUMPS_A_RULE = 4 };
enum { ALIKE = 2, MORE_UNKNOWN = 15 };

struct jump {
    uint64_t rule : 29;      /* 0: none */
    uint64_t more : 4;       /* its length minus the level's terminals, or MORE_UNKNOWN */
    uint64_t marker : 1;     /* marks a rule that is longer than the next level */
    uint64_t hash : 30;      /* as in a place; 0: no entry */
};

struct jumps {
    struct jump *table;
    uint64_t size;           /* in entries: whole rows */
    uint64_t most;           /* the largest size */
    struct levels levels;
};

/* A search for the terminals at a position, begun before it is needed.  Meanwhile the entries, then
 * the rule, then its terminals are prefetched. */
struct outlook {
    uint64_t position;
    uint64_t n;              /* terminals until the end of the block */
    int levels;              /* levels below this one have sums, if they are wide */
    int placed;              /* .. and those from this one on have places */
    int asked;               /* those from this one on have been asked; -1: none yet */
    int level;               /* the level whose entry gave the guess */
    uint32_t hits;           /* entries of the levels asked last that have not been tried, WAYS
                                bits for each level */
    uint32_t guess;          /* the rule to try first; 0: none */
    uint32_t length;         /* how many terminals it derives there; 0: unknown */
    struct place places[LEVELS];   /* as computed for the table's former size: if the table has
                                      grown since, no entry is found and the position gets no
                                      jump */
    two sums[LEVELS];
};
#define NO_POSITION UINT64_MAX

static inline uint32_t place_hash(struct place p)
{
    return p.top >> (32 - HASH_BITS);
}

/* Bit i: entry i of the place's row has its hash and, with rules_only, names a rule.  On machines
 * with SSE2 an entry's upper half is the hash, the marker's bit and one bit of `more`. */
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
/* Grows with the number of rules, before any rule loses its entry for lack of room.  SEQ_OK,
 * SEQ_E_NOMEM. */
int jumps_grow(seq *s);
static inline int jumps_room(seq *s)
{
    const struct jumps *j = s->jumps;
    bool enough = (uint64_t)s->rules_live * JUMPS_A_RULE < j->size || j->size == j->most;

    return enough ? SEQ_OK : jumps_grow(s);
}

/* Enters rule r under the terminals at rules[r].at. */
void jumps_learn(seq *s, uint32_t r);

/* Begins a search for the n terminals at `position`, behind a symbol of length `last`. */
void outlook_look(const seq *s, struct outlook *o, uint64_t position, uint64_t n, uint64_t last);
/* Makes the first guess. */
void outlook_guess(const seq *s, struct outlook *o);
/* Prefetches the terminals that the guess will be compared with. */
void outlook_fetch(const seq *s, const struct outlook *o);
/* Whether some rule derives all n terminals there and more. */
bool outlook_is_cut(const seq *s, struct outlook *o);
/* The rule, about the longest, that derives the first of the terminals there; 0 if none is
 * found. */
uint32_t outlook_jump(const seq *s, struct outlook *o);

#endif
