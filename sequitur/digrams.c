/* SPDX-License-Identifier: MIT */
/* digrams.c - see digrams.h for the layout and its invariants. */
#include "sequitur/digrams.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { FIRST_HOMES = 2, SPILL = STEP_DIGRAMS + 2, BLOCK_SLOTS = 24, BLOCK_EVERY = 2 };
#else
enum { FIRST_HOMES = 4096, SPILL = 128, BLOCK_SLOTS = 256, BLOCK_EVERY = 16 };
#endif
#define HOMES_MAX (UINT64_C(1) << 32)
#define ALL_TAGS (UINT64_C(1) << 32)

/* While the table grows, a block of slots moves after every BLOCK_EVERY new digrams.  It moves half
 * as often while its new place is memory that was never touched, because the system then has to
 * provide that memory.  So all blocks have moved before the number of digrams has grown by a
 * seventh. */
static_assert(BLOCK_SLOTS >= 2 * BLOCK_EVERY + STEP_DIGRAMS + AT_A_TIME,
              "the gaps that a block leaves are enough until the next one moves");

static uint64_t slots_of(const struct digrams *t)
{
    return t->homes + t->spill + AT_A_TIME;
}

/* Makes room for `homes` homes and keeps the slots as they are. */
static int resize(seq *s, uint64_t homes, uint64_t spill)
{
    struct digrams *t = &s->digrams;
    uint64_t old = t->slots ? slots_of(t) : 0;
    uint64_t slots = homes + spill + AT_A_TIME;

    assert(spill > STEP_DIGRAMS && slots >= old);
    if (homes > HOMES_MAX)
        return SEQ_E_RANGE;
    uint64_t *p = seq_memory(s, t->slots, old * sizeof *p, slots * sizeof *p);
    if (!p)
        return SEQ_E_NOMEM;
    t->slots = p;
    t->homes = homes;
    t->spill = spill;
    t->watch = p + homes + spill - STEP_DIGRAMS - 1;
    return SEQ_OK;
}

static void clear(struct digrams *t, uint64_t from, uint64_t to)
{
    assert(from <= to && to <= slots_of(t));
    memset(t->slots + from, 0xff, (to - from) * sizeof *t->slots);
}

/* How many rules there are for 16 symbols, in sixteenths. */
static uint64_t rule_share(const seq *s)
{
    return UINT64_C(256) * s->rules_live / (s->nodes_live ? s->nodes_live : 1);
}

/* How many digrams the table takes before it grows: four fifths of its homes, or three fifths if
 * there are few rules.  In a fuller table a new digram moves others over a longer distance; at four
 * fifths often to lines of memory that are not in the cache.  But after the growth a symbol, with
 * its part of the table and of the rules, shall take at most 35 bytes.  From one rule in 16 symbols
 * on, that requires four fifths. */
static uint64_t most_digrams(const seq *s)
{
    uint64_t rules = rule_share(s);

    return s->digrams.homes * (3 * 16 + (rules < 16 ? rules : 16)) / (5 * 16);
}

/* The table grows by a third, or by a quarter where rules take memory as well.  Each digram moves
 * four times, or five. */
uint64_t digrams_step(const seq *s)
{
    return s->digrams.homes / (rule_share(s) < 16 ? 3 : 4) + 1;
}

static void set_limit(seq *s)
{
    struct digrams *t = &s->digrams;
    uint64_t every = t->raw[0] < t->raw[1] ? 2 * BLOCK_EVERY : BLOCK_EVERY;

    t->limit = (t->frontier ? t->used + every : most_digrams(s)) + STEP_DIGRAMS;
}

int digrams_new(seq *s)
{
    struct digrams *t = &s->digrams;
    int status = resize(s, FIRST_HOMES, SPILL);

    if (status == SEQ_OK) {
        clear(t, 0, slots_of(t));
        set_limit(s);
    }
    return status;
}

void digrams_free(seq *s)
{
    struct digrams *t = &s->digrams;

    seq_memory(s, t->slots, t->slots ? slots_of(t) * sizeof *t->slots : 0, 0);
    t->slots = NULL;
}

/* ---- Growing ---------------------------------------------------------------------- */

/* Puts a slot at its home, or at `next` if smaller slots reach beyond the home.  The slots there
 * move right.  Returns the slot behind it. */
static uint64_t put(struct digrams *t, uint64_t slot, uint64_t next)
{
    uint64_t home = digram_home(t, slot >> 32);
    uint64_t i = next = next > home ? next : home;

    while (slot != SLOT_EMPTY) {
        uint64_t displaced = t->slots[i];
        t->slots[i++] = slot;
        slot = displaced;
    }
    assert(i <= slots_of(t));
    return next + 1;
}

/* Puts n slots, with gaps among them, at their homes or right of these, from `next` on.  The slots
 * from `moved` on have moved before, and all are larger.  No branch on whether a slot is a gap:
 * that would be unpredictable. */
static void put_block(struct digrams *t, const uint64_t *from, uint64_t n, uint64_t next,
                      uint64_t moved)
{
    uint64_t homes = t->homes;
    uint64_t *slots = t->slots;
    uint64_t i = 0;

    assert(next <= moved);
    for (; i < n; i++) {
        uint64_t slot = from[i];
        uint64_t is_digram = slot != SLOT_EMPTY;
        uint64_t home = ((slot >> 32) * homes >> 32) & -is_digram;
        uint64_t at = next > home ? next : home;
        if (at >= moved)
            break;
        slots[at] = slot;
        next = at + is_digram;
    }
    for (; i < n; i++)
        if (from[i] != SLOT_EMPTY)
            next = put(t, from[i], next);
}

/* The smallest tag whose old home is slot b or behind it. */
static uint64_t frontier_at(const struct digrams *t, uint64_t b)
{
    assert(t->old_homes > 0);
    unsigned __int128 tags = (unsigned __int128)b << 32;
    uint64_t tag = (uint64_t)((tags + t->old_homes - 1) / t->old_homes);

    return tag < ALL_TAGS ? tag : ALL_TAGS;
}

/* A block begins behind a gap, so that the slots left of it stay where they are. */
static uint64_t block_begin(const struct digrams *t, uint64_t end)
{
    uint64_t b = end > BLOCK_SLOTS ? end - BLOCK_SLOTS : 0;

    while (b && t->slots[b - 1] != SLOT_EMPTY)
        b--;
    return b;
}

/* Clears the raw slots from `first` on, which will be written. */
static void make_ready(struct digrams *t, uint64_t first)
{
    if (first < t->raw[0])
        first = t->raw[0];
    if (first < t->raw[1]) {
        clear(t, first, t->raw[1]);
        t->raw[1] = first;
    }
}

/* Moves all slots that are left, those below `end`: old and new places overlap. */
static int move_rest(seq *s, uint64_t end, uint64_t moved)
{
    struct digrams *t = &s->digrams;
    uint64_t *copy = seq_memory(s, NULL, 0, end * sizeof *copy);

    if (!copy)
        return SEQ_E_NOMEM;
    memcpy(copy, t->slots, end * sizeof *copy);
    make_ready(t, 0);
    clear(t, 0, end);
    t->frontier = 0;
    put_block(t, copy, end, 0, moved);
    seq_memory(s, copy, end * sizeof *copy, 0);
    return SEQ_OK;
}

/* Prefetches the next block, below slot b, and its new place, below `first`. */
static void fetch_block(const struct digrams *t, uint64_t b, uint64_t first)
{
    enum { SLOTS_A_LINE = 8 };

    for (uint64_t i = 0; i < BLOCK_SLOTS && i < b; i += SLOTS_A_LINE) {
        __builtin_prefetch(t->slots + b - i);
        __builtin_prefetch(t->slots + first - i, 1);
    }
}

/* Moves the rightmost block that has not moved yet. */
static int move_block(seq *s)
{
    struct digrams *t = &s->digrams;
    uint64_t moved = t->frontier * t->homes >> 32;
    uint64_t end = t->old_end;

    while (end < t->raw[0] && t->slots[end] != SLOT_EMPTY)
        end++;
    uint64_t b = block_begin(t, end);
    uint64_t frontier = frontier_at(t, b);
    uint64_t first = frontier * t->homes >> 32;
    assert(b <= t->old_end && frontier <= t->frontier);
    if (b == 0 || first < end)
        return move_rest(s, end, moved);
    make_ready(t, first);
    t->frontier = frontier;
    t->old_end = b;
    put_block(t, t->slots + b, end - b, first, moved);
    clear(t, b, end);
    fetch_block(t, b, first);
    return SEQ_OK;
}

static int begin_growing(seq *s)
{
    struct digrams *t = &s->digrams;
    assert(!t->frontier);
    uint64_t old_homes = t->homes;
    uint64_t old_slots = slots_of(t);
    int status = resize(s, t->homes + digrams_step(s), t->spill + STEP_DIGRAMS + 2);

    if (status != SEQ_OK)
        return status;
    t->frontier = ALL_TAGS;
    t->old_homes = old_homes;
    t->old_end = t->raw[0] = old_slots;
    t->raw[1] = slots_of(t);
    return move_block(s);
}

static int more_spill(seq *s)
{
    struct digrams *t = &s->digrams;
    uint64_t old = slots_of(t);
    int status = resize(s, t->homes, 2 * t->spill);

    if (status == SEQ_OK)
        clear(t, old, slots_of(t));
    return status;
}

int digrams_room(seq *s)
{
    struct digrams *t = &s->digrams;
    int status = SEQ_OK;

    if (*t->watch != SLOT_EMPTY) {
        while (status == SEQ_OK && t->frontier)
            status = move_block(s);
        if (status == SEQ_OK)
            status = more_spill(s);
    } else if (t->frontier) {
        status = move_block(s);
    } else if (t->used >= most_digrams(s)) {      /* the number of rules may have grown */
        status = begin_growing(s);
    }
    assert(status != SEQ_OK || *t->watch == SLOT_EMPTY);
    set_limit(s);
    return status;
}

/* ---- Inserting and removing ------------------------------------------------------------ */

void digrams_insert(seq *s, uint32_t n)
{
    uint64_t carried = digram_slot(s, n);
    uint64_t home = digram_home(&s->digrams, carried >> 32);
    uint64_t *slot = (uint64_t *)digrams_seek(s->digrams.slots + home, carried);

    assert(s->nodes[n].mark == 0 && !ends_body(s, n) && !ends_body(s, s->nodes[n].next));
    assert(*slot != carried);
    digrams_put(s, slot, carried);
}

bool digrams_remove(seq *s, uint32_t n)
{
    struct digrams *t = &s->digrams;
    uint64_t wanted = digram_slot(s, n);
    const uint64_t *home = t->slots + digram_home(t, wanted >> 32);
    uint64_t i = (uint64_t)(digrams_seek(home, wanted) - t->slots);

    if (t->slots[i] != wanted)
        return false;
    assert(t->used > 0);
    for (i++; t->slots[i] != SLOT_EMPTY && digram_home(t, t->slots[i] >> 32) < i; i++)
        t->slots[i - 1] = t->slots[i];
    t->slots[i - 1] = SLOT_EMPTY;
    t->used--;
    return true;
}

bool digrams_check(const seq *s)
{
    const struct digrams *t = &s->digrams;
    uint64_t used = 0;
    uint64_t last = 0;

    for (uint64_t i = 0; i < slots_of(t); i++) {
        bool raw = t->frontier && i >= t->raw[0] && i < t->raw[1];
        uint64_t slot = raw ? SLOT_EMPTY : t->slots[i];
        if (slot == SLOT_EMPTY)
            continue;
        uint64_t home = digram_home(t, slot >> 32);
        if (home > i || slot <= last || (home < i && t->slots[i - 1] == SLOT_EMPTY))
            return false;
        last = slot;
        used++;
    }
    return used == t->used && t->slots[t->homes + t->spill - 1] == SLOT_EMPTY;
}
