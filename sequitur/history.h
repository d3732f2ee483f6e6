/* SPDX-License-Identifier: MIT */
/* history.h - the input read last.  Private, for fast.c and jumps.c.
 *
 *   history   [ block | block | block | block ]     a ring; position p is at p mod lap
 *                 ^rules[r].at = p                  0 <= p mod lap < most <= lap
 *
 * A lap is a power of two, so that no position needs a division.  The ring is a few blocks shorter;
 * no block has a position in the missing part.
 *
 * Invariants:
 *   H1  blocks are whole, so a block is contiguous in the ring; the window, oldest..end - 1, is
 *       at most one lap long, and one block shorter when the slots of the next block may be in
 *       use (history_yield());
 *   H2  rules[r].at is AT_UNKNOWN or a position; as long as that is in the window, the
 *       rules[r].length terminals from it on are of one stream and spell r.  A rule derives the
 *       same terminals as long as it lives, so changes of bodies do not matter.
 */
#ifndef SEQUITUR_HISTORY_H
#define SEQUITUR_HISTORY_H

#include "sequitur/grammar.h"

/* The ring is 2 MB shorter than a lap.  That leaves memory for everything that does not grow with
 * the grammar: both together take 64 MB. */
#ifdef WPP_HOSTILE
enum { BLOCK = 32, LAP_MAX = 4 * BLOCK, LAP_LACKS = 1, UNREAD_MAX = 8 };
#else
enum { BLOCK = 1 << 16, LAP_MAX = 1 << 24, LAP_LACKS = 8, UNREAD_MAX = 2048 };
#endif

struct history {
    uint32_t *ring;
    uint64_t size;           /* in terminals: whole blocks */
    uint64_t most;           /* ... at most this */
    uint64_t lap;
    uint64_t end;            /* the position of the next block */
    uint64_t oldest;         /* terminals before this position have been overwritten */
    uint64_t split;          /* positions below it are in the base's ring; a multiple of a lap */
    const uint32_t *base;
    uint32_t lent;           /* 1 + the stream that stages its next block at `end`; or 0 */
    uint32_t waiting;        /* 1 + the stream that has unread terminals; or 0 */
};

int history_new(seq *s);
static inline uint64_t history_bytes(const seq *s)
{
    return s->history->size * sizeof *s->history->ring;
}
void history_free(seq *s);

/* Lets stream t, which has nothing staged, stage its next block directly in the ring, which saves a
 * copy.  Only one stream can do so at a time, and only if the block comes behind another one of the
 * same lap.  Otherwise t->staged is the stream's own memory.  SEQ_OK, SEQ_E_NOMEM. */
int history_lend(seq *s, struct start *t);

static inline bool history_is_lent(const seq *s, const struct start *t)
{
    return s->history->lent == (uint32_t)(t - s->starts) + 1;
}

/* Removes from the window the slots where the next block may be staged.  Whether a stream has
 * already borrowed them depends on the sizes of the pieces of input, so the grammar must not depend
 * on that. */
void history_yield(seq *s);

/* Takes the block that stream t has staged, n <= BLOCK terminals; *from is the position of its
 * first.  A stream that has borrowed the slots gets memory of its own.  SEQ_OK, SEQ_E_NOMEM. */
int history_add(seq *s, struct start *t, size_t n, uint64_t *from);

/* Whether the stream's next block would come right behind its last one. */
bool history_goes_on(const seq *s, const struct start *t);

static inline const uint32_t *history_at(const seq *s, uint64_t position)
{
    const struct history *h = s->history;
    const uint32_t *ring = position < h->split ? h->base : h->ring;

    return ring + (position & (h->lap - 1));
}

/* Whether the terminals that rule r derives can be read at rules[r].at. */
static inline bool history_has(const seq *s, const struct rule *r)
{
    static_assert(AT_UNKNOWN - UINT32_MAX > LAP_MAX, "what is not known is not in the window");
    return r->at - s->history->oldest < s->history->lap || r->at < s->history->split;
}

/* False only if the n terminals at a and b differ.  Compares a few positions, so that a long
 * comparison that would fail near its end is seldom begun.  Without this, long runs of one loop
 * take time quadratic in their length. */
bool look_alike(const uint32_t *a, const uint32_t *b, uint64_t n);

/* Whether `value` derives exactly the terminals in[0 .. length_of(value)).  Also false if a long
 * search would be needed to know. */
bool derives_input(const seq *s, uint32_t value, const uint32_t *in);

/* Notes that rule r has just ended at position `end` of stream t.  False if the terminals that it
 * derives are not contiguous there. */
bool history_saw(seq *s, const struct start *t, uint32_t r, uint64_t end);

/* Whether H2 holds for every rule; if not, *culprit is one that violates it. */
bool history_check(const seq *s, uint32_t *culprit);

#endif
