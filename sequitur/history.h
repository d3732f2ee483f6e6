/* SPDX-License-Identifier: MIT */
/* history.h - the input read last.  Private, for fast.c and jumps.c.
 *
 *   history   [ block | block | block | block ]     a ring; position p is at p mod lap
 *                 ^rules[r].at = p                  0 <= p mod lap < most <= lap
 *
 * A lap is a power of two, so that no position takes a division; the ring has a few blocks
 * less, for which no block has a position.
 *
 * Invariants:
 *   H1  blocks are whole, so no position of one lies in two places of the ring;
 *       the window, oldest..end - 1, is a lap long at most, and a block shorter when the
 *       place of the next one may be in use (history_yield());
 *   H2  rules[r].at is AT_UNKNOWN or a position from which rules[r].length
 *       terminals, all of one stream, spell r, as long as it is in the window.
 *       A rule derives the same terminals as long as it lives, so this needs
 *       no care when bodies change.
 */
#ifndef SEQUITUR_HISTORY_H
#define SEQUITUR_HISTORY_H

#include "sequitur/grammar.h"

/* What the ring lacks to a lap, 2 MB, is for all that does not grow with the grammar: both
 * together take 64 MB. */
#ifdef WPP_HOSTILE
enum { BLOCK = 32, LAP_MAX = 4 * BLOCK, LAP_LACKS = 1, UNREAD_MAX = 8 };
#else
enum { BLOCK = 1 << 16, LAP_MAX = 1 << 24, LAP_LACKS = 8, UNREAD_MAX = 2048 };
#endif

struct history {
    uint32_t *ring;
    uint64_t size;           /* in terminals: whole blocks */
    uint64_t most;           /* ... up to this */
    uint64_t lap;
    uint64_t end;            /* the position of the next block */
    uint64_t oldest;         /* what stands before it has been overwritten */
    uint32_t lent;           /* 1 + the stream that stages its next block at `end`, 0: none does */
    uint32_t waiting;        /* 1 + the stream that has unread terminals, 0: none has */
};

int history_new(seq *s);
static inline uint64_t history_bytes(const seq *s)
{
    return s->history->size * sizeof *s->history->ring;
}
void history_free(seq *s);

/* Lets stream t, which has nothing staged, stage its next block where it will stand: that saves
 * a copy.  One stream can at a time, if its block stands behind another one of the same lap;
 * the others stage in memory of their own, as t->staged is then.  SEQ_OK, SEQ_E_NOMEM. */
int history_lend(seq *s, struct start *t);

static inline bool history_is_lent(const seq *s, const struct start *t)
{
    return s->history->lent == (uint32_t)(t - s->starts) + 1;
}

/* What stands where the next block may be staged is in the window no more.  Whether somebody has
 * borrowed that place already depends on the pieces that the input comes in, so nobody goes by it. */
void history_yield(seq *s);

/* Takes the block that stream t has staged, n <= BLOCK terminals; *from is the position of
 * its first.  Who has borrowed the place is given memory of its own.  SEQ_OK, SEQ_E_NOMEM. */
int history_add(seq *s, struct start *t, size_t n, uint64_t *from);

/* Whether the stream's next block would stand right behind its last one. */
bool history_goes_on(const seq *s, const struct start *t);

static inline const uint32_t *history_at(const seq *s, uint64_t position)
{
    return s->history->ring + (position & (s->history->lap - 1));
}

/* Whether what rule r derives can be read at rules[r].at. */
static inline bool history_has(const seq *s, const struct rule *r)
{
    static_assert(AT_UNKNOWN - UINT32_MAX > LAP_MAX, "what is not known is not in the window");
    return r->at - s->history->oldest < s->history->lap;
}

/* False only if the n terminals at a and b differ: a look at a few places, so
 * that a long comparison is seldom begun that would fail near its end.  Without
 * it, long runs of one loop cost time quadratic in their length. */
bool look_alike(const uint32_t *a, const uint32_t *b, uint64_t n);

/* Whether `value` derives exactly the terminals in[0 .. length_of(value)).
 * False also where that is not known without a long search. */
bool derives_input(const seq *s, uint32_t value, const uint32_t *in);

/* Rule r has just been seen to end at position `end` of stream t.  False if
 * what it derives does not stand there in one piece. */
bool history_saw(seq *s, const struct start *t, uint32_t r, uint64_t end);

/* H2 for every rule.  True if it holds. */
bool history_check(const seq *s, uint32_t *culprit);

#endif
