/* SPDX-License-Identifier: MIT */
/* digrams.c - see digrams.h for the layout and its invariants. */
#include "sequitur/digrams.h"

#ifdef WPP_HOSTILE
enum { FIRST_HOMES = 2, SPILL = STEP_DIGRAMS + 2 };
#else
enum { FIRST_HOMES = 4096, SPILL = 128 };
#endif
/* One growth of the table takes it from load 3/4 to 1/2. */
#define HOMES_MAX (UINT64_C(1) << 32)

static uint64_t slots_of(const struct digrams *t)
{
    return t->homes + t->spill;
}

void digrams_insert(seq *s, uint32_t n)
{
    struct digrams *t = &s->digrams;
    uint64_t carried = digram_slot(s, n);
    uint64_t *slot = t->slots + digram_home(t, carried >> 32);

    assert(s->nodes[n].mark == 0 && !ends_body(s, n) && !ends_body(s, s->nodes[n].next));
    while (*slot < carried)
        slot++;
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
    uint64_t i = digram_home(t, wanted >> 32);

    while (t->slots[i] < wanted)
        i++;
    if (t->slots[i] != wanted)
        return false;
    for (i++; t->slots[i] != SLOT_EMPTY && digram_home(t, t->slots[i] >> 32) < i; i++)
        t->slots[i - 1] = t->slots[i];
    t->slots[i - 1] = SLOT_EMPTY;
    t->used--;
    return true;
}

static int allocate(seq *s, struct digrams *t, uint64_t homes, uint64_t spill)
{
    uint64_t slots = homes + spill;

    if (homes > HOMES_MAX)
        return SEQ_E_RANGE;
    t->slots = seq_memory(s, NULL, 0, slots * sizeof *t->slots);
    if (!t->slots)
        return SEQ_E_NOMEM;
    for (uint64_t i = 0; i < slots; i++)
        t->slots[i] = SLOT_EMPTY;
    t->homes = homes;
    t->spill = spill;
    t->used = 0;
    t->limit = homes / 4 * 3 + STEP_DIGRAMS;
    t->watch = t->slots + slots - STEP_DIGRAMS - 1;
    return SEQ_OK;
}

int digrams_new(seq *s)
{
    return allocate(s, &s->digrams, FIRST_HOMES, SPILL);
}

void digrams_free(seq *s)
{
    struct digrams *t = &s->digrams;

    seq_memory(s, t->slots, slots_of(t) * sizeof *t->slots, 0);
    t->slots = NULL;
}

/* True when every slot of the old table fits into the new one. */
static bool sweep(struct digrams *to, const struct digrams *from)
{
    uint64_t end = slots_of(to) - STEP_DIGRAMS - 1;      /* *to->watch */
    uint64_t next = 0;

    for (uint64_t i = 0; i < slots_of(from); i++) {
        uint64_t slot = from->slots[i];
        if (slot == SLOT_EMPTY)
            continue;
        uint64_t home = digram_home(to, slot >> 32);
        if (next < home)
            next = home;
        if (next >= end)
            return false;
        to->slots[next++] = slot;
        to->used++;
    }
    return true;
}

int digrams_grow(seq *s)
{
    struct digrams old = s->digrams;
    struct digrams bigger;
    uint64_t homes = old.homes;
    uint64_t spill = old.spill;
    bool fits;

    do {
        /* Growing before the load calls for it means that a cluster ran out
         * of spill: give it more of that. */
        if (old.used + STEP_DIGRAMS > old.limit)
            homes += homes / 2;
        else
            spill *= 2;
        int status = allocate(s, &bigger, homes, spill);
        if (status != SEQ_OK)
            return status;
        fits = sweep(&bigger, &old);
        if (!fits) {
            seq_memory(s, bigger.slots, slots_of(&bigger) * sizeof *bigger.slots, 0);
            spill *= 2;
        }
    } while (!fits);
    seq_memory(s, old.slots, slots_of(&old) * sizeof *old.slots, 0);
    s->digrams = bigger;
    return SEQ_OK;
}
