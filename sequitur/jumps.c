/* SPDX-License-Identifier: MIT */
/* jumps.c - see jumps.h. */
#include "sequitur/jumps.h"
#include "sequitur/history.h"

#include <string.h>

/* How many levels are searched above that of the last symbol, and after a single terminal. */
enum { LEVELS_ABOVE = 4, LEVELS_ALONE = 4 };
/* An entry in one of the LEVELS_TOP highest levels causes a search of LEVELS_MORE more levels. */
enum { LEVELS_TOP = 2, LEVELS_MORE = 4 };
/* How many more of them are hashed and prefetched at once. */
enum { LEVELS_PLACED = 8 };

/* How much of a rule's terminals is prefetched; the processor prefetches the rest itself. */
enum { TERMINALS_FETCHED = 64, TERMINALS_A_LINE = 16 };

int jumps_new(seq *s)
{
    struct jumps *j = seq_memory(s, NULL, 0, sizeof *j);

    if (!j)
        return SEQ_E_NOMEM;
    *j = (struct jumps){.size = JUMPS_MIN, .most = JUMPS_MAX};
    while (s->memory_max && j->most > JUMPS_MIN
           && j->most * sizeof *j->table > s->memory_max / 32)
        j->most /= 2;
    assert(j->size % WAYS == 0 && j->most % WAYS == 0 && j->size <= j->most);
    levels_init(&j->levels);
    j->table = seq_memory(s, NULL, 0, j->size * sizeof *j->table);
    if (!j->table) {
        seq_memory(s, j, sizeof *j, 0);
        return SEQ_E_NOMEM;
    }
    memset(j->table, 0, j->size * sizeof *j->table);
    s->jumps = j;
    return SEQ_OK;
}

void jumps_free(seq *s)
{
    struct jumps *j = s->jumps;

    if (!j)
        return;
    seq_memory(s, j->table, j->size * sizeof *j->table, 0);
    seq_memory(s, j, sizeof *j, 0);
    s->jumps = NULL;
}

static inline uint64_t jumps_rows(const struct jumps *j)
{
    return j->size / WAYS;
}

/* ---- Room ------------------------------------------------------------------------------ */

/* Whether an entry names a rule that can be jumped to. */
static bool is_good(const seq *s, const struct jump *e)
{
    const struct rule *rule = &s->rules[e->rule];

    return !e->marker && rule->guard && history_has(s, rule);
}

/* Chooses where in a row a new entry may be put: an empty one, else a marker, else one whose rule
 * cannot be jumped to.  NULL if there is none. */
static struct jump *room_in(const seq *s, struct jump *row)
{
    for (int i = 0; i < WAYS; i++)
        if (!row[i].hash)
            return &row[i];
    for (int i = 0; i < WAYS; i++)
        if (row[i].marker)
            return &row[i];
    for (int i = 0; i < WAYS; i++)
        if (!is_good(s, &row[i]))
            return &row[i];
    return NULL;
}

/* Moves each row to its new place, the last row first: rows are in the order of the hashes, and
 * none moves to the left. */
static void spread(const seq *s, uint64_t old_size)
{
    struct jump *table = s->jumps->table;
    struct jump row[WAYS];

    assert(old_size % WAYS == 0 && old_size <= s->jumps->size);
    memset(table + old_size, 0, (s->jumps->size - old_size) * sizeof *table);
    for (uint64_t k = old_size; k > 0;) {
        k -= WAYS;
        memcpy(row, table + k, sizeof row);
        memset(table + k, 0, sizeof row);
        for (int i = 0; i < WAYS; i++) {
            uint64_t at = row[i].hash * jumps_rows(s->jumps) >> HASH_BITS;
            struct jump *to = row[i].hash ? room_in(s, table + at * WAYS) : NULL;
            if (to)
                *to = row[i];
        }
    }
}

/* Grows the table by a quarter, in place. */
int jumps_grow(seq *s)
{
    struct jumps *j = s->jumps;
    uint64_t need = (uint64_t)s->rules_live * JUMPS_A_RULE;
    uint64_t old = j->size;
    uint64_t size = (need + need / 4) / WAYS * WAYS + JUMPS_MIN;
    if (size > j->most)
        size = j->most;
    struct jump *table = seq_memory(s, j->table, old * sizeof *table, size * sizeof *table);
    if (!table)
        return s->status = SEQ_E_NOMEM;
    j->table = table;
    j->size = size;
    spread(s, old);
    return SEQ_OK;
}

/* ---- Places ------------------------------------------------------------------------- */

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

/* Computes the places of the levels from..to - 1 for the terminals at `in`, whose wide levels have
 * sums.  If a level is narrow, computes those of all levels below as well.  Returns the lowest
 * level with a place. */
static inline int place_levels(const seq *s, const uint32_t *in, const two *sums, int from, int to,
                               struct place *places)
{
    uint64_t rows = jumps_rows(s->jumps);
    int wide = from > NARROW ? from : NARROW;

    assert(0 <= from && from <= to && to <= LEVELS);
    if (to > wide)
        s->vectors->place(sums + wide, to - wide, rows, places + wide);
    if (from >= NARROW)
        return from;
    levels_place_narrow(&s->jumps->levels, in, at_most(to, NARROW), rows, places);
    return 0;
}

/* ---- Learning ----------------------------------------------------------------------- */

/* Keeps the entries of this hash that name rules of another length than r, and clears its other
 * entries.  Returns how many it keeps. */
static int alike(const seq *s, struct place p, uint32_t r, struct jump **kept)
{
    struct jump *table = s->jumps->table;
    int n = 0;

    for (unsigned ways = jump_ways(table, p, false); ways; ways &= ways - 1) {
        struct jump *e = table + p.row + __builtin_ctz(ways);
        if (is_good(s, e) && s->rules[e->rule].length != s->rules[r].length)
            kept[n++] = e;
        else
            *e = (struct jump){0};
    }
    assert(n <= ALIKE);
    return n;
}

/* Adds r to the level.  Of more than ALIKE rules with the same beginning the longest stay: they may
 * begin with the others.  In a row that is full of others, r's number decides which entry is
 * replaced. */
static void put_entry(const seq *s, struct place p, uint32_t r, int level)
{
    uint64_t length = s->rules[r].length;
    uint64_t more = length - level_terminals(level);
    struct jump *row = s->jumps->table + p.row;
    struct jump *kept[WAYS];
    int n = alike(s, p, r, kept);

    assert(length >= level_terminals(level));
    if (n == ALIKE) {
        if (s->rules[kept[n - 1]->rule].length > length)
            return;
        *kept[--n] = (struct jump){0};
    }
    struct jump *e = room_in(s, row);
    if (!e && n)
        return;
    if (!e)
        e = &row[r % WAYS];
    *e = (struct jump){
        .rule = r, .more = more < MORE_UNKNOWN ? more : MORE_UNKNOWN, .hash = place_hash(p),
    };
    if (n && (e < kept[0]) != (length > s->rules[kept[0]->rule].length)) {
        struct jump other = *kept[0];
        *kept[0] = *e;
        *e = other;
    }
}

static void put_marker(const seq *s, struct place p, uint32_t r)
{
    struct jump *table = s->jumps->table;
    struct jump *e = jump_ways(table, p, false) ? NULL : room_in(s, table + p.row);

    if (e)
        *e = (struct jump){.rule = r, .marker = 1, .hash = place_hash(p)};
}

void jumps_learn(seq *s, uint32_t r)
{
    const struct rule *rule = &s->rules[r];
    const uint32_t *in = history_at(s, rule->at);
    int level = levels_within(rule->length) - 1;
    struct place places[LEVELS];
    two sums[LEVELS];

    assert(rule->length >= 2 && history_has(s, rule));
    if (level >= NARROW)
        s->vectors->sum(s->jumps->levels.keys, in, NARROW, level + 1, sums);
    place_levels(s, in, sums, 0, level + 1, places);
    for (int i = 0; i < level; i++)
        put_marker(s, places[i], r);
    put_entry(s, places[level], r, level);
}

/* ---- Looking ------------------------------------------------------------------------ */

/* Computes the places of the levels from..to - 1 and prefetches their rows. */
static void place_ahead(const seq *s, struct outlook *o, int from, int to)
{
    from = place_levels(s, history_at(s, o->position), o->sums, from, to, o->places);
    for (int i = from; i < to; i++)
        __builtin_prefetch(s->jumps->table + o->places[i].row);
    o->placed = at_most(o->placed, from);
}

/* Extends the search to `levels` levels, which are more than before; none has been asked. */
static void look_up_to(const seq *s, struct outlook *o, int levels)
{
    int from = o->levels;

    assert(levels >= from && levels <= LEVELS);
    if (levels > NARROW)
        s->vectors->sum(s->jumps->levels.keys, history_at(s, o->position),
                        from > NARROW ? from : NARROW, levels, o->sums);
    if (from == 0 && levels > LEVELS_PLACED)
        from = levels - LEVELS_PLACED;
    place_ahead(s, o, from, levels);
    o->levels = levels;
}

void outlook_look(const seq *s, struct outlook *o, uint64_t position, uint64_t n, uint64_t last)
{
    int worth = last > 1 ? levels_within(last) + LEVELS_ABOVE : LEVELS_ALONE;

    o->position = position;
    o->n = n;
    o->levels = 0;
    o->placed = LEVELS;
    o->asked = -1;
    o->guess = 0;
    look_up_to(s, o, at_most(worth, levels_within(n)));
}

/* Whether there is an entry in one of the top levels. */
static bool hits_top(const seq *s, const struct outlook *o)
{
    for (int i = o->levels; i > 0 && i > o->levels - LEVELS_TOP; i--)
        if (jump_ways(s->jumps->table, o->places[i - 1], false))
            return true;
    return false;
}

/* Asks the next levels below for entries. */
static void ask_below(const seq *s, struct outlook *o)
{
    int begin = o->asked > LEVELS_ASKED ? o->asked - LEVELS_ASKED : 0;

    if (begin < o->placed)
        place_ahead(s, o, o->placed > LEVELS_PLACED ? o->placed - LEVELS_PLACED : 0, o->placed);
    assert(o->placed <= begin && begin < o->asked);
    o->hits = s->vectors->ask(s->jumps->table, o->places + begin, o->asked - begin);
    o->asked = begin;
}

/* Takes the next guess, from the same level or one below.  An entry may have changed since its row
 * was asked; the rule that it names now is as good a guess. */
static void guess_next(const seq *s, struct outlook *o)
{
    o->guess = 0;
    o->length = 1;
    while (!o->guess) {
        while (!o->hits) {
            if (o->asked == 0)
                return;
            ask_below(s, o);
        }
        int above = (31 - __builtin_clz(o->hits)) / WAYS;
        int way = __builtin_ctz(o->hits >> WAYS * above);
        o->hits &= ~(UINT32_C(1) << (WAYS * above + way));
        o->level = o->asked + above;
        assert(o->level < o->levels);
        const struct jump *e = s->jumps->table + o->places[o->level].row + way;
        if (!e->marker) {
            o->guess = e->rule;
            o->length = e->more == MORE_UNKNOWN ? 0 : level_terminals(o->level) + e->more;
        }
    }
}

void outlook_guess(const seq *s, struct outlook *o)
{
    int most = levels_within(o->n);

    if (o->asked >= 0)
        return;
    while (o->levels < most && hits_top(s, o))
        look_up_to(s, o, at_most(o->levels + LEVELS_MORE, most));
    o->asked = o->levels;
    o->hits = 0;
    guess_next(s, o);
    __builtin_prefetch(&s->rules[o->guess]);
}

void outlook_fetch(const seq *s, const struct outlook *o)
{
    if (!o->guess)
        return;
    const uint32_t *known = history_at(s, s->rules[o->guess].at);
    uint32_t terminals = level_terminals(o->level);
    for (uint32_t i = 0; i < terminals && i < TERMINALS_FETCHED; i += TERMINALS_A_LINE)
        __builtin_prefetch(known + i);
}

/* ---- Jumping ------------------------------------------------------------------------ */

/* The first symbol of r if that is a rule, else 0. */
static uint32_t first_rule(const seq *s, uint32_t r)
{
    uint32_t first = s->rules[r].first;

    return is_rule(first) ? rule_of(first) : 0;
}

/* Follows rule r, the rule it begins with, and so on.  Returns the first that derives a beginning
 * of in[0..n).  All of them can be read where r can. */
static uint32_t fitting(const seq *s, uint32_t r, const uint32_t *in, uint64_t n)
{
    const struct rule *rule = &s->rules[r];

    if (!rule->guard || !history_has(s, rule))
        return 0;
    const uint32_t *known = history_at(s, rule->at);
    for (; r; r = first_rule(s, r)) {
        uint64_t length = s->rules[r].length;
        if (length > n || !look_alike(known, in, length))
            continue;
        uint64_t same = s->vectors->common(known, in, length);
        if (same == length)
            return r;
        n = same;
    }
    return 0;
}

bool outlook_is_cut(const seq *s, struct outlook *o)
{
    int most = levels_within(o->n);
    const uint32_t *in = history_at(s, o->position);

    if (most == 0)
        return true;
    if (o->levels < most)
        look_up_to(s, o, most);
    const struct jump *table = s->jumps->table;
    struct place p = o->places[most - 1];
    for (unsigned ways = jump_ways(table, p, false); ways; ways &= ways - 1) {
        const struct rule *rule = &s->rules[table[p.row + (uint32_t)__builtin_ctz(ways)].rule];
        if (rule->guard && history_has(s, rule) && rule->length > o->n
            && s->vectors->common(history_at(s, rule->at), in, o->n) == o->n)
            return true;
    }
    return false;
}

uint32_t outlook_jump(const seq *s, struct outlook *o)
{
    const uint32_t *in = history_at(s, o->position);

    outlook_guess(s, o);
    for (; o->guess; guess_next(s, o)) {
        uint32_t r = fitting(s, o->guess, in, o->n);
        if (r)
            return r;
    }
    return 0;
}
