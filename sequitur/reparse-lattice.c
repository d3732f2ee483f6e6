/* SPDX-License-Identifier: MIT */
/* reparse-lattice.c - the cheapest sequence of symbols that derives the same as a body.
 *
 * The body, with its rules opened some levels deep, is a row of units.  Between units are the
 * places where a symbol may begin or end.  They form a lattice: each rule that derives the same as
 * some units is an edge from place to place.  The cheapest way from the first place to the last is
 * the new body.
 *
 *      body     |      R7           |    c    |        R9         |
 *      units    |  a  |     R2      |    c    |  R2  |  b  |  b   |
 *      place    0     1             2         3      4     5      6
 *      edges       a       R2            c       R2     b     b
 *               |------- R7 --------|------ R5 ------| |-- R3 ----|
 *                     |--------- R4 ----------|
 *
 * Rules are found by a hash of the terminals that they derive: the sum of each terminal times a
 * power of a base.  So the hash of units i to j is the difference of two prefixes, times a factor
 * that shifts it to the beginning.  The rules of the cheapest way are compared with their units
 * before the body is used.
 */
#include "sequitur/reparse.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { LEVELS = 2, OPEN_MOST = 3, OPENED_UNITS = 9, UNITS = 6, BLOCK = 16,
       STEPS = 4, STEPS_LEAST = 20, DEPTH = 4 };
#else
/* Rules are opened to this depth, if their bodies have at most OPEN_MOST symbols. */
enum { LEVELS = 3, OPEN_MOST = 32, OPENED_UNITS = OPEN_MOST * OPEN_MOST * OPEN_MOST };
/* The most units that a rule found by hash may derive. */
enum { UNITS = 48 };
/* A long body is cut into pieces of at least this many units. */
enum { BLOCK = 1 << 16 };
/* Comparing takes at most STEPS steps for each unit, or STEPS_LEAST in all, and has at most DEPTH
 * open bodies on either side. */
enum { STEPS = 1 << 8, STEPS_LEAST = 1 << 14, DEPTH = 1 << 10 };
#endif
enum { UNITS_MOST = BLOCK + OPENED_UNITS };

struct slot {
    uint64_t hash;
    uint32_t rule;           /* SEQ_RULE: none, because its hash was wrong once */
    uint32_t used;
};

/* A body that is being read. */
struct reading {
    uint64_t next, end;      /* in the symbols of f */
};

/* The symbols that units derive, from the left; rules are opened when that is needed. */
struct side {
    struct reading open[DEPTH];
    uint32_t depth;
    const uint32_t *next, *end;      /* used when no body is open */
    uint32_t symbol;                 /* the first one not compared yet */
};

/* An edge of one symbol, between two places. */
struct span {
    uint32_t begin, end;
    uint32_t symbol;
};

/* The last step of the cheapest way to a place. */
struct step {
    uint64_t cost;           /* of the whole way */
    uint32_t from;
    uint32_t by;             /* the symbol */
    bool natural;            /* the symbol was opened there: it needs no proof */
};

struct lattice {
    struct flat *f;
    const struct costs *c;
    struct slot *slots;      /* by hash, open addressing */
    uint64_t slots_size;     /* a power of two */
    uint64_t *filter;        /* a bit for each hash in the table; 8 bits for each slot */

    uint32_t n, room;        /* the number of units, and its maximum */
    uint32_t *unit;
    uint64_t *prefix;        /* by place: the hash of all units before it */
    uint64_t *unshift;       /* ... BASE to the power of minus their terminals */
    uint64_t *before;        /* ... their terminals */
    struct step *step;       /* ... the cheapest way to it */
    uint32_t n_opened;
    struct span *opened;     /* in order of their beginnings; each opens into two units at least */
    struct side left, right;

    bool given_up;           /* *enough was seen set */
    uint32_t *to;            /* the new bodies */
    uint64_t n_to, to_size;
};

/* ---- Rules by the terminals they derive ---------------------------------------------- */

static inline uint64_t filter_bit(const struct lattice *l, uint64_t hash)
{
    return hash >> 20 & (8 * l->slots_size - 1);
}

/* Tests the same bit with as few instructions as possible: most of a round's instructions are
 * here. */
static inline bool passes(const uint64_t *filter, uint64_t last_word, uint64_t hash)
{
    return filter[hash >> 26 & last_word] >> (hash >> 20 & 63) & 1;
}

static inline struct slot *home_of(const struct lattice *l, uint64_t hash)
{
    return &l->slots[hash >> 32 & (l->slots_size - 1)];
}

/* The slot with the hash, or the free one where it belongs. */
static struct slot *find_slot(const struct lattice *l, uint64_t hash)
{
    struct slot *slot = home_of(l, hash);

    while (slot->used && slot->hash != hash)
        slot = slot + 1 < l->slots + l->slots_size ? slot + 1 : l->slots;
    return slot;
}

static void add_rule(struct lattice *l, uint32_t rule)
{
    uint64_t hash = l->f->derived[rule].hash, bit = filter_bit(l, hash);
    struct slot *slot = find_slot(l, hash);

    if (slot->used)
        return;              /* of two rules that derive the same the first is kept */
    *slot = (struct slot){hash, rule, 1};
    l->filter[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool add_rules(struct lattice *l)
{
    seq *s = l->f->s;

    for (l->slots_size = 64; l->slots_size < 2 * (uint64_t)l->f->rules; l->slots_size *= 2)
        ;
    assert((l->slots_size & (l->slots_size - 1)) == 0 && l->slots_size > l->f->rules);
    l->slots = seq_memory(s, NULL, 0, l->slots_size * sizeof *l->slots);
    l->filter = seq_memory(s, NULL, 0, l->slots_size);
    if (!l->slots || !l->filter)
        return false;
    memset(l->slots, 0, l->slots_size * sizeof *l->slots);
    memset(l->filter, 0, l->slots_size);
    for (uint32_t r = 0; r < l->f->rules; r++)
        add_rule(l, r);
    return true;
}

/* ---- Units ------------------------------------------------------------------------------ */

static void add_unit(struct lattice *l, uint32_t symbol)
{
    struct derived d = flat_derived(l->f, symbol);
    uint32_t n = l->n++;

    assert(n < l->room);
    l->unit[n] = symbol;
    l->before[n + 1] = l->before[n] + d.length;
    l->unshift[n + 1] = l->unshift[n] * d.unshift;
}

/* Computes BASE^(terminals before a place) on the way, and its inverse. */
static void find_prefixes(struct lattice *l)
{
    uint64_t shift = 1;

    l->prefix[0] = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        struct derived d = flat_derived(l->f, l->unit[i]);

        l->prefix[i + 1] = l->prefix[i] + shift * d.hash;
        shift *= d.shift;
    }
}

static void open_symbol(struct lattice *l, uint32_t symbol, unsigned levels)
{
    const struct flat *f = l->f;
    uint32_t rule = symbol & ~SEQ_RULE;

    if (!(symbol & SEQ_RULE) || !levels || f->body[rule + 1] - f->body[rule] > OPEN_MOST) {
        add_unit(l, symbol);
        return;
    }
    assert(l->n_opened < l->room);
    struct span *span = &l->opened[l->n_opened++];
    *span = (struct span){.begin = l->n, .symbol = symbol};
    for (uint64_t i = f->body[rule]; i < f->body[rule + 1]; i++)
        open_symbol(l, f->symbols[i], levels - 1);
    span->end = l->n;
}

/* Adds units from symbol `at` of f on, up to `end`; returns where it stopped. */
static uint64_t fill(struct lattice *l, uint64_t at, uint64_t end)
{
    l->n = l->n_opened = 0;
    l->before[0] = 0;
    l->unshift[0] = 1;
    while (at < end && l->n < BLOCK)
        open_symbol(l, l->f->symbols[at++], LEVELS);
    assert(l->n > l->n_opened);
    find_prefixes(l);
    return at;
}

/* ---- The cheapest way ------------------------------------------------------------------- */

static inline void lead(struct lattice *l, struct span way, uint64_t cost, bool natural)
{
    assert(way.begin < way.end && way.end <= l->n);
    cost += l->c->symbol[flat_index(l->f, way.symbol)];
    if (cost < l->step[way.end].cost)
        l->step[way.end] = (struct step){cost, way.begin, way.symbol, natural};
}

/* Rules that may derive the same as units from place i on; their memory is prefetched. */
struct hits {
    uint32_t n;
    uint32_t end[UNITS];     /* places */
    uint64_t hash[UNITS];
};

static void look_from(const struct lattice *l, uint32_t i, struct hits *hits)
{
    uint32_t end = l->n - i < UNITS ? l->n : i + UNITS, n = 0;
    const uint64_t prefix = l->prefix[i], unshift = l->unshift[i], *filter = l->filter;
    const uint64_t last_word = l->slots_size / 8 - 1;

    for (uint32_t j = i + 2; j <= end; j++) {
        uint64_t hash = (l->prefix[j] - prefix) * unshift;

        hits->end[n] = j;
        n += passes(filter, last_word, hash);
    }
    hits->n = n;
    for (uint32_t k = 0; k < n; k++) {
        hits->hash[k] = (l->prefix[hits->end[k]] - prefix) * unshift;
        __builtin_prefetch(home_of(l, hits->hash[k]));
    }
}

/* Extends the cheapest ways by those of the rules that derive fewer than `own` terminals. */
static void lead_by_rules(struct lattice *l, uint32_t i, uint64_t own, uint64_t cost,
                          const struct hits *hits)
{
    for (uint32_t k = 0; k < hits->n; k++) {
        uint32_t j = hits->end[k];
        const struct slot *slot = find_slot(l, hits->hash[k]);

        if (slot->used && slot->rule != SEQ_RULE && l->before[j] - l->before[i] < own)
            lead(l, (struct span){i, j, SEQ_RULE | slot->rule}, cost, false);
    }
}

static void find_way(struct lattice *l, uint64_t own)
{
    const struct flat *f = l->f;
    struct hits hits[2];
    uint32_t k = 0;

    memset(l->step, 0xff, (l->n + (size_t)1) * sizeof *l->step);
    l->step[0].cost = 0;
    look_from(l, 0, &hits[0]);
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t cost = l->step[i].cost;

        look_from(l, i + 1, &hits[(i + 1) % 2]);
        if (i > 0)
            cost += costs_pair(l->c, flat_derived(f, l->unit[i - 1]).last,
                               flat_derived(f, l->unit[i]).first);
        lead(l, (struct span){i, i + 1, l->unit[i]}, cost, true);
        for (; k < l->n_opened && l->opened[k].begin == i; k++)
            lead(l, l->opened[k], cost, true);
        lead_by_rules(l, i, own, cost, &hits[i % 2]);
    }
}

/* ---- Comparing ---------------------------------------------------------------------------- */

/* Goes to the next symbol.  False: there is none. */
static bool next_symbol(const struct flat *f, struct side *side)
{
    while (side->depth && side->open[side->depth - 1].next == side->open[side->depth - 1].end)
        side->depth--;
    if (side->depth)
        side->symbol = f->symbols[side->open[side->depth - 1].next++];
    else if (side->next < side->end)
        side->symbol = *side->next++;
    else
        return false;
    return true;
}

/* Replaces the current symbol, a rule, by its body.  False: too deep. */
static bool open_side(const struct flat *f, struct side *side)
{
    uint32_t rule = side->symbol & ~SEQ_RULE;

    while (side->depth && side->open[side->depth - 1].next == side->open[side->depth - 1].end)
        side->depth--;
    if (side->depth == DEPTH)
        return false;
    side->open[side->depth++] = (struct reading){f->body[rule], f->body[rule + 1]};
    return next_symbol(f, side);
}

enum proof { PROVEN, REFUTED, UNPROVEN };

/* Whether the symbol derives the same as units i to j, within *steps. */
static enum proof prove(struct lattice *l, uint32_t symbol, uint32_t i, uint32_t j,
                        uint64_t *steps)
{
    const struct flat *f = l->f;
    struct side *left = &l->left, *right = &l->right;

    left->depth = right->depth = 0;
    left->next = l->unit + i;
    left->end = l->unit + j;
    right->next = &symbol;
    right->end = &symbol + 1;
    bool more = next_symbol(f, left), both = next_symbol(f, right);
    while (more && both) {
        if (!*steps)
            return UNPROVEN;
        --*steps;
        if (left->symbol == right->symbol) {
            more = next_symbol(f, left);
            both = next_symbol(f, right);
            continue;
        }
        bool larger = flat_derived(f, left->symbol).length > flat_derived(f, right->symbol).length;
        struct side *side = larger ? left : right;
        if (!(side->symbol & SEQ_RULE))
            return REFUTED;
        if (!open_side(f, side))
            return UNPROVEN;
    }
    return more == both ? PROVEN : REFUTED;
}

/* Whether each rule on the cheapest way derives the same as its units.  One that does not only has
 * the same hash; it is removed from the table. */
static enum proof prove_way(struct lattice *l)
{
    uint64_t steps = (uint64_t)l->n * STEPS + STEPS_LEAST;

    for (uint32_t j = l->n; j > 0; j = l->step[j].from) {
        const struct step *step = &l->step[j];
        assert(step->from < j);
        enum proof proof = step->natural ? PROVEN : prove(l, step->by, step->from, j, &steps);

        if (proof == REFUTED)
            find_slot(l, l->f->derived[step->by & ~SEQ_RULE].hash)->rule = SEQ_RULE;
        if (proof != PROVEN)
            return proof;
    }
    return PROVEN;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

static bool room_for(struct lattice *l, uint64_t n)
{
    uint64_t size = l->to_size;

    while (size < n)
        size += size / 8 + 64;
    if (l->to && size == l->to_size)
        return true;
    assert(size >= n && size >= l->to_size);
    uint32_t *to = seq_memory(l->f->s, l->to, l->to ? (l->to_size + 1) * sizeof *to : 0,
                              (size + 1) * sizeof *to);
    if (!to)
        return false;
    l->to = to;
    l->to_size = size;
    return true;
}

static bool put_way(struct lattice *l)
{
    uint64_t n = 0, at;

    for (uint32_t j = l->n; j > 0; j = l->step[j].from)
        n++;
    if (!room_for(l, l->n_to + n))
        return false;
    l->n_to += n;
    at = l->n_to;
    for (uint32_t j = l->n; j > 0; j = l->step[j].from)
        l->to[--at] = l->step[j].by;
    assert(at == l->n_to - n);
    return true;
}

/* Symbols that were opened there need no proof, so there is always a way without rules found by
 * hash. */
static void find_proven_way(struct lattice *l, uint64_t own)
{
    enum { TRIES = 8 };
    enum proof proof = REFUTED;

    for (unsigned i = 0; i < TRIES && proof == REFUTED; i++) {
        find_way(l, own);
        proof = prove_way(l);
    }
    if (proof != PROVEN)
        find_way(l, 0);
}

static bool parse_body(struct lattice *l, uint32_t rule)
{
    const struct flat *f = l->f;
    uint64_t own = rule < f->rules ? f->derived[rule].length : UINT64_MAX;

    for (uint64_t at = f->body[rule], end = f->body[rule + 1]; at < end;) {
        l->given_up = is_enough(f->enough);
        if (l->given_up)
            return false;
        at = fill(l, at, end);
        find_proven_way(l, own);
        if (!put_way(l))
            return false;
    }
    return true;
}

static bool parse_bodies(struct lattice *l, uint64_t *body)
{
    const struct flat *f = l->f;

    for (uint32_t r = 0; r < f->rules + f->starts; r++) {
        body[r] = l->n_to;
        if (!parse_body(l, r))
            return false;
    }
    body[f->rules + f->starts] = l->n_to;
    return true;
}

/* ---- Memory --------------------------------------------------------------------------- */

/* A body has no more units than terminals. */
static uint32_t most_units(const struct flat *f)
{
    uint64_t longest = f->rules > 0 ? f->derived[f->rules - 1].length : 0;

    for (uint32_t k = 0; k < f->starts; k++)
        longest = f->length[k] > longest ? f->length[k] : longest;
    return longest < UNITS_MOST ? (uint32_t)longest : UNITS_MOST;
}

/* The lattice and its arrays are one piece of memory. */
static size_t bytes_of(uint32_t room)
{
    size_t places = (size_t)room + 1;

    return sizeof(struct lattice)
         + places * (3 * sizeof(uint64_t) + sizeof(struct step) + sizeof(struct span)
                     + sizeof(uint32_t));
}

static struct lattice *lattice_new(struct flat *f, const struct costs *c)
{
    uint32_t room = most_units(f);
    size_t places = (size_t)room + 1;
    struct lattice *l = seq_memory(f->s, NULL, 0, bytes_of(room));

    if (!l)
        return NULL;
    *l = (struct lattice){.f = f, .c = c, .room = room};
    l->prefix = (uint64_t *)(l + 1);
    l->unshift = l->prefix + places;
    l->before = l->unshift + places;
    l->step = (struct step *)(l->before + places);
    l->opened = (struct span *)(l->step + places);
    l->unit = (uint32_t *)(l->opened + places);
    return l;
}

static void lattice_free(struct lattice *l)
{
    seq *s = l->f->s;

    if (l->to)
        seq_memory(s, l->to, (l->to_size + 1) * sizeof *l->to, 0);
    if (l->slots)
        seq_memory(s, l->slots, l->slots_size * sizeof *l->slots, 0);
    if (l->filter)
        seq_memory(s, l->filter, l->slots_size, 0);
    seq_memory(s, l, bytes_of(l->room), 0);
}

int flat_parse(struct flat *f, const struct costs *c)
{
    size_t bodies = ((size_t)f->first_rules + f->starts + 1) * sizeof *f->body;
    uint64_t *body = seq_memory(f->s, NULL, 0, bodies);
    struct lattice *l = lattice_new(f, c);
    bool done = body && l && room_for(l, 0) && add_rules(l) && parse_bodies(l, body);
    bool given_up = l && l->given_up;

    if (done)
        flat_exchange(f, &body, &l->to, &l->to_size);
    if (l)
        lattice_free(l);
    if (body)
        seq_memory(f->s, body, bodies, 0);
    assert(!done || flat_check(f));
    return done || given_up ? SEQ_OK : SEQ_E_NOMEM;
}
