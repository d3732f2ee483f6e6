/* SPDX-License-Identifier: MIT */
/* digrams.h - the digram table: which node holds a present digram.  Private.
 *
 * A digram's tag is a 32-bit hash of its two values.  Its home is the slot tag * homes >> 32.  A
 * slot is tag<<32 | node; an empty one is all ones.
 *
 *   slots  [ 03.. | 07.. | ---- | 0c.. | 0c.. | 0e.. | ---- | ... | spill ]
 *
 * Invariants: slots are in ascending order, apart from gaps; no slot is left of its home; between
 * a slot's home and the slot there is no gap.
 *
 * So a search walks right from the home and ends at the first slot that is not smaller; an empty
 * slot never is.  A search that fails touches no node.  Growing is one sequential sweep that
 * computes no hash.
 *
 * The sweep is done in steps, between insertions and removals, so that no stream has to wait for
 * it.  It begins at the right end, behind which the array has become larger:
 *
 *           old homes, tags below the frontier        new homes, the others
 *   slots  [ 03.. | 07.. | ---- | 0c.. | 0c.. |--- gaps ---| 8e.. | ---- | ... | spill ]
 *                                    old_end ^             ^ home of the frontier
 *
 * The gaps between both parts are enough for the digrams that are added at the end of the left
 * part until the next step.
 */
#ifndef SEQUITUR_DIGRAMS_H
#define SEQUITUR_DIGRAMS_H

#include "sequitur/grammar.h"

#define SLOT_EMPTY UINT64_MAX

static inline uint32_t digram_tag(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)b << 32 | a) * UINT64_C(0x9E3779B97F4A7C15);

    x ^= x >> 32;
#ifdef WPP_HOSTILE
    /* Few tags: collisions and long clusters everywhere. */
    return (uint32_t)(x & 7) << 29;
#endif
    return (uint32_t)(x * UINT64_C(0xD6E8FEB86659FD93) >> 32);
}

/* No branch: the side of the frontier is unpredictable. */
static inline uint64_t digram_home(const struct digrams *t, uint64_t tag)
{
    uint64_t is_old = tag < t->frontier;

    return tag * (t->homes ^ ((t->homes ^ t->old_homes) & -is_old)) >> 32;
}

/* Where a search for the digram begins. */
static inline const uint64_t *digrams_slot(const seq *s, uint32_t a, uint32_t b)
{
    return s->digrams.slots + digram_home(&s->digrams, digram_tag(a, b));
}

/* The first slot from `slot` on that is not below `wanted`.  Compares four slots at a time: the
 * distance is unpredictable, and a mispredicted branch costs more than a comparison. */
enum { AT_A_TIME = 4 };
static inline const uint64_t *digrams_seek(const uint64_t *slot, uint64_t wanted)
{
    unsigned below;

    do {
        below = (slot[0] < wanted) + (slot[1] < wanted) + (slot[2] < wanted) + (slot[3] < wanted);
        slot += below;
    } while (below == AT_A_TIME);
    return slot;
}

/* The node that holds the digram (a, b), or 0. */
static inline uint32_t digrams_find(const seq *s, uint32_t a, uint32_t b)
{
    uint64_t tag = digram_tag(a, b);
    const uint64_t *slot =
        digrams_seek(s->digrams.slots + digram_home(&s->digrams, tag), tag << 32);

    for (; *slot >> 32 == tag && *slot != SLOT_EMPTY; slot++) {
        uint32_t n = (uint32_t)*slot;
        if (s->nodes[n].value == a && s->nodes[s->nodes[n].next].value == b)
            return n;
    }
    return 0;
}

/* The slot for a digram of this tag; NULL if the table holds digrams of this tag. */
static inline uint64_t *digrams_vacancy(const seq *s, uint64_t tag)
{
    const struct digrams *t = &s->digrams;
    const uint64_t *slot = digrams_seek(t->slots + digram_home(t, tag), tag << 32);

    return *slot >> 32 == tag ? NULL : (uint64_t *)slot;
}

/* Puts `carried` into the slot; the slots there move right. */
static inline void digrams_put(seq *s, uint64_t *slot, uint64_t carried)
{
    assert((uint32_t)carried < s->nodes_used);
    while (carried != SLOT_EMPTY) {
        uint64_t displaced = *slot;
        *slot++ = carried;
        carried = displaced;
    }
    s->digrams.used++;
}

static inline uint64_t digram_slot(const seq *s, uint32_t n)
{
    uint64_t tag = digram_tag(s->nodes[n].value, s->nodes[s->nodes[n].next].value);

    return tag << 32 | n;
}

/* Makes the digram at n present.  It must not be in the table yet, and seq_room() must have been
 * called. */
void digrams_insert(seq *s, uint32_t n);
/* Removes the digram if the table holds it at n.  Returns whether it did. */
bool digrams_remove(seq *s, uint32_t n);

int digrams_new(seq *s);
void digrams_free(seq *s);
/* Makes room for a step, or goes on growing.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int digrams_room(seq *s);
/* By how many homes the table grows next. */
uint64_t digrams_step(const seq *s);
/* Whether the invariants above hold. */
bool digrams_check(const seq *s);

#endif
