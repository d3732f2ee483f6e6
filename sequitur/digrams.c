/* SPDX-License-Identifier: MIT */
/* digrams.c - see digrams.h for the layout and its invariants. */
#include "sequitur/digrams.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { FIRST_HOMES = 2, SPILL = STEP_DIGRAMS + 2 };
#else
enum { FIRST_HOMES = 4096, SPILL = 128 };
#endif
#define HOMES_MAX (UINT64_C(1) << 32)

static uint64_t slots_of(const struct digrams *t)
{
    return t->homes + t->spill + AT_A_TIME;
}

/* Room for so many homes, with the slots as they were. */
static int resize(seq *s, uint64_t homes, uint64_t spill)
{
    struct digrams *t = &s->digrams;
    uint64_t old = t->slots ? slots_of(t) : 0;
    uint64_t slots = homes + spill + AT_A_TIME;

    if (homes > HOMES_MAX)
        return SEQ_E_RANGE;
    uint64_t *p = seq_memory(s, t->slots, old * sizeof *p, slots * sizeof *p);
    if (!p)
        return SEQ_E_NOMEM;
    t->slots = p;
    t->homes = homes;
    t->spill = spill;
    t->limit = homes / 5 * 4 + STEP_DIGRAMS;
    t->watch = p + homes + spill - STEP_DIGRAMS - 1;
    return SEQ_OK;
}

int digrams_new(seq *s)
{
    int status = resize(s, FIRST_HOMES, SPILL);

    if (status == SEQ_OK)
        for (uint64_t i = 0; i < slots_of(&s->digrams); i++)
            s->digrams.slots[i] = SLOT_EMPTY;
    return status;
}

void digrams_free(seq *s)
{
    struct digrams *t = &s->digrams;

    seq_memory(s, t->slots, t->slots ? slots_of(t) * sizeof *t->slots : 0, 0);
    t->slots = NULL;
}

/* In place: the old slots move to the end of the new array and from there, in one
 * sweep, to where they belong.  The sweep never writes past what it has read:
 * what is x homes from the left lies at most x * (bigger/homes) + 1 from it
 * afterwards, and the old array now begins bigger - homes + (at least) 1 later. */
int digrams_grow(seq *s)
{
    struct digrams *t = &s->digrams;
    uint64_t old = slots_of(t);
    bool full = t->used + STEP_DIGRAMS > t->limit;
    /* Growing before the load calls for it means that a cluster ran out of spill. */
    int status = full ? resize(s, t->homes + t->homes / 4 + 1, t->spill + STEP_DIGRAMS + 2)
                      : resize(s, t->homes, 2 * t->spill);

    if (status != SEQ_OK)
        return status;
    uint64_t slots = slots_of(t);
    uint64_t next = 0;
    memmove(t->slots + slots - old, t->slots, old * sizeof *t->slots);
    for (uint64_t i = slots - old; i < slots; i++) {
        uint64_t slot = t->slots[i];
        if (slot == SLOT_EMPTY)
            continue;
        for (uint64_t home = digram_home(t, slot >> 32); next < home; next++)
            t->slots[next] = SLOT_EMPTY;
        assert(next <= i);
        t->slots[next++] = slot;
    }
    for (; next < slots; next++)
        t->slots[next] = SLOT_EMPTY;
    assert(*t->watch == SLOT_EMPTY);
    return SEQ_OK;
}

void digrams_insert(seq *s, uint32_t n)
{
    struct digrams *t = &s->digrams;
    uint64_t carried = digram_slot(s, n);
    uint64_t *slot = (uint64_t *)digrams_seek(t->slots + digram_home(t, carried >> 32), carried);

    assert(s->nodes[n].mark == 0 && !ends_body(s, n) && !ends_body(s, s->nodes[n].next));
    assert(*slot != carried);
    while (carried != SLOT_EMPTY) {
        uint64_t displaced = *slot;
        *slot++ = carried;
        carried = displaced;
    }
    t->used++;
    assert(slot < t->slots + slots_of(t));
}

bool digrams_remove(seq *s, uint32_t n)
{
    struct digrams *t = &s->digrams;
    uint64_t wanted = digram_slot(s, n);
    const uint64_t *home = t->slots + digram_home(t, wanted >> 32);
    uint64_t i = (uint64_t)(digrams_seek(home, wanted) - t->slots);

    if (t->slots[i] != wanted)
        return false;
    for (i++; t->slots[i] != SLOT_EMPTY && digram_home(t, t->slots[i] >> 32) < i; i++)
        t->slots[i - 1] = t->slots[i];
    t->slots[i - 1] = SLOT_EMPTY;
    t->used--;
    return true;
}
