/* SPDX-License-Identifier: MIT */
/* jumps.c - see jumps.h. */
#include "sequitur/jumps.h"
#include "sequitur/four.h"
#include "sequitur/history.h"

#include <string.h>

/* Levels looked at above that of the symbol before, and after a single terminal. */
enum { LEVELS_ABOVE = 4, LEVELS_ALONE = 4 };
/* An entry in one of so many levels at the top calls for a look at some more. */
enum { LEVELS_TOP = 2, LEVELS_MORE = 4 };
/* Entries so far below the top level are seldom asked for. */
enum { LEVELS_FETCHED = 14 };

/* So much of a rule's place is fetched; the processor sees the rest coming. */
enum { TERMINALS_FETCHED = 64, TERMINALS_A_LINE = 16 };

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* The keys are the numbers of a known generator (splitmix64). */
static uint64_t next_key(uint64_t *state)
{
    uint64_t x = *state += GOLDEN;

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void make_keys(struct jumps *j)
{
    uint64_t state = 0;

    for (int i = 0; i < TERMINALS_SINGLE; i++)
        j->single_keys[i] = next_key(&state) | 1;
    for (int i = 0; i < TERMINALS_MOST; i++)
        j->keys[i] = (uint32_t)next_key(&state);
}

int jumps_new(seq *s)
{
    struct jumps *j = seq_memory(s, NULL, 0, sizeof *j);

    if (!j)
        return SEQ_E_NOMEM;
    *j = (struct jumps){.size = JUMPS_MIN, .most = JUMPS_MAX};
    while (s->memory_max && j->most > JUMPS_MIN
           && j->most * sizeof *j->table > s->memory_max / 32)
        j->most /= 2;
    make_keys(j);
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

static inline struct jump *jump_row(const struct jumps *j, uint32_t hash)
{
    return &j->table[(hash * (j->size / WAYS) >> HASH_BITS) * WAYS];
}

/* Bit i says whether entry i of the row has this hash.  On the machines with SSE2 the upper
 * half of an entry is its hash and two bits of `more`. */
static inline unsigned ways_with(const struct jump *row, uint32_t hash)
{
#ifdef __SSE2__
    _Static_assert(WAYS * sizeof hash == sizeof(four) && HASH_BITS == 30, "all ways at once");
    four a, b;
    memcpy(&a, row, sizeof a);
    memcpy(&b, row + 2, sizeof b);
    return four_lanes((four)((four_odd(a, b) & ~UINT32_C(3)) == hash << 2));
#else
    unsigned ways = 0;
    for (int i = 0; i < WAYS; i++)
        ways |= (unsigned)(row[i].hash == hash) << i;
    return ways;
#endif
}

/* ---- Room ------------------------------------------------------------------------------ */

/* Whether an entry names a rule that can be jumped to. */
static bool is_good(const seq *s, const struct jump *e)
{
    const struct rule *rule = &s->rules[e->rule];

    return !e->marker && rule->guard && history_has(s, rule);
}

/* Where in a row another entry may be put: where there is none, else a marker, else one
 * whose rule cannot be jumped to.  NULL if there is no such place. */
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

/* Rows are in the order of the hashes: the last one moves first, none to the left. */
static void spread(const seq *s, uint64_t old_size)
{
    struct jump *table = s->jumps->table;
    struct jump row[WAYS];

    memset(table + old_size, 0, (s->jumps->size - old_size) * sizeof *table);
    for (uint64_t k = old_size; k > 0;) {
        k -= WAYS;
        memcpy(row, table + k, sizeof row);
        memset(table + k, 0, sizeof row);
        for (int i = 0; i < WAYS; i++) {
            struct jump *to = row[i].hash ? room_in(s, jump_row(s->jumps, row[i].hash)) : NULL;
            if (to)
                *to = row[i];
        }
    }
}

/* By a quarter, in place. */
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

/* ---- Levels and their hashes ------------------------------------------------------ */

static inline uint32_t level_terminals(int level)
{
    uint32_t k = (uint32_t)level - 2;

    return level < 2 ? k + 4 : (4 + (k & 3)) << (k >> 2);
}

/* How many levels are not longer than n. */
static inline int levels_within(uint64_t n)
{
    if (n >= level_terminals(LEVELS - 1))
        return LEVELS;
    if (n < 4)
        return n < 2 ? 0 : (int)n - 1;
    int octave = 63 - __builtin_clzll(n);
    return 4 * octave - 5 + (int)(n >> (octave - 2) & 3);
}

/* Levels 0 to 6 have a terminal more each, 7 to 10 two, the next four levels four, then
 * eight, and so on. */
enum { LEVEL_OF_8 = 6, LEVEL_OF_16 = 10 };

/* Never 0. */
static inline uint32_t finish_hash(uint64_t sum)
{
    uint32_t hash = (uint32_t)((sum ^ sum >> 29) * GOLDEN >> (64 - HASH_BITS));

#ifdef WPP_HOSTILE
    hash &= UINT32_C(15) << (HASH_BITS - 4);
#endif
    return hash | 1;
}

/* Hashes the terminals at `in` for the levels from..to - 1; `sum` is what the levels below
 * left.  No product waits for another: the first terminals are multiplied by a key each,
 * the others in pairs, (terminal + key) * (terminal + key), two pairs at once. */
static uint64_t hash_levels(const struct jumps *j, const uint32_t *in, int from, int to,
                            uint64_t sum, uint32_t *hash)
{
    int i = from;

    if (i == 0 && to > 0)
        sum = in[0] * j->single_keys[0];
    for (; i < to && i <= LEVEL_OF_8; i++) {
        sum += in[i + 1] * j->single_keys[i + 1];
        hash[i] = finish_hash(sum);
    }
    for (; i < to && i <= LEVEL_OF_16; i++) {
        int done = 8 + 2 * (i - LEVEL_OF_8 - 1);
        sum += in[done] * j->single_keys[done] + in[done + 1] * j->single_keys[done + 1];
        hash[i] = finish_hash(sum);
    }
    uint32_t done = level_terminals(i - 1);
    uint32_t more = i < to ? level_terminals(i) - done : 0;
    for (; i < to; i++) {
        two pairs = {0, 0};
        uint32_t end = done + more;
        for (; done < end; done += FOUR)
            pairs += four_products(four_load(in + done) + four_load(j->keys + done));
        sum += pairs[0] + pairs[1];
        hash[i] = finish_hash(sum);
        /* A level that begins an octave is a power of two. */
        if ((end & (end - 1)) == 0)
            more *= 2;
    }
    return sum;
}

/* ---- Learning ----------------------------------------------------------------------- */

/* The entries of this hash that name rules of another length than r; others of it are
 * taken away.  Returns how many there are. */
static int alike(const seq *s, struct jump *row, uint32_t hash, uint32_t r, struct jump **kept)
{
    int n = 0;

    for (unsigned ways = ways_with(row, hash); ways; ways &= ways - 1) {
        struct jump *e = row + __builtin_ctz(ways);
        if (is_good(s, e) && s->rules[e->rule].length != s->rules[r].length)
            kept[n++] = e;
        else
            *e = (struct jump){0};
    }
    assert(n <= ALIKE);
    return n;
}

/* r belongs to the level.  Of more than ALIKE that begin alike the longest are kept: they
 * may begin with the others.  In a row that is full otherwise chance decides who goes. */
static void put_entry(const seq *s, uint32_t hash, uint32_t r, int level)
{
    uint64_t length = s->rules[r].length;
    uint64_t more = length - level_terminals(level);
    struct jump *row = jump_row(s->jumps, hash);
    struct jump *kept[WAYS];
    int n = alike(s, row, hash, r, kept);

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
        .rule = r, .more = more < MORE_UNKNOWN ? more : MORE_UNKNOWN, .hash = hash,
    };
    if (n && (e < kept[0]) != (length > s->rules[kept[0]->rule].length)) {
        struct jump other = *kept[0];
        *kept[0] = *e;
        *e = other;
    }
}

static void put_marker(const seq *s, uint32_t hash, uint32_t r)
{
    struct jump *row = jump_row(s->jumps, hash);
    struct jump *e = ways_with(row, hash) ? NULL : room_in(s, row);

    if (e)
        *e = (struct jump){.rule = r, .marker = 1, .hash = hash};
}

void jumps_learn(seq *s, uint32_t r)
{
    const struct rule *rule = &s->rules[r];
    uint32_t hash[LEVELS];
    int level = levels_within(rule->length) - 1;

    hash_levels(s->jumps, history_at(s, rule->at), 0, level + 1, 0, hash);
    for (int i = 0; i < level; i++)
        put_marker(s, hash[i], r);
    put_entry(s, hash[level], r, level);
}

/* ---- Looking ------------------------------------------------------------------------ */

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

/* Hashes up to so many levels. */
static void look_up_to(const seq *s, struct outlook *o, int levels)
{
    int i = o->levels;

    o->sum = hash_levels(s->jumps, history_at(s, o->position), i, levels, o->sum, o->hash);
    o->levels = levels;
    if (i < levels - LEVELS_FETCHED)
        i = levels - LEVELS_FETCHED;
    for (; i < levels; i++)
        __builtin_prefetch(jump_row(s->jumps, o->hash[i]));
}

void outlook_look(const seq *s, struct outlook *o, uint64_t position, uint64_t n, uint64_t last)
{
    int worth = last > 1 ? levels_within(last) + LEVELS_ABOVE : LEVELS_ALONE;

    o->position = position;
    o->n = n;
    o->sum = 0;
    o->levels = 0;
    o->asked = -1;
    o->guess = 0;
    look_up_to(s, o, at_most(worth, levels_within(n)));
}

/* Whether there is an entry in one of the top levels. */
static bool hits_top(const seq *s, const struct outlook *o)
{
    for (int i = o->levels; i > 0 && i > o->levels - LEVELS_TOP; i--)
        if (ways_with(jump_row(s->jumps, o->hash[i - 1]), o->hash[i - 1]))
            return true;
    return false;
}

/* The next guess, from the same level or one below.  An entry may have changed since its
 * row was asked: what it names now is as good a guess. */
static void guess_next(const seq *s, struct outlook *o)
{
    const struct jumps *j = s->jumps;
    unsigned ways = o->ways;
    int level = o->asked;

    o->guess = 0;
    o->length = 1;
    do {
        while (!ways && level > 0) {
            level--;
            ways = ways_with(jump_row(j, o->hash[level]), o->hash[level]);
        }
        if (!ways)
            break;
        const struct jump *e = jump_row(j, o->hash[level]) + __builtin_ctz(ways);
        ways &= ways - 1;
        if (!e->marker) {
            o->guess = e->rule;
            o->length = e->more == MORE_UNKNOWN ? 0 : level_terminals(level) + e->more;
        }
    } while (!o->guess);
    o->asked = level;
    o->ways = ways;
}

void outlook_guess(const seq *s, struct outlook *o)
{
    int most = levels_within(o->n);

    if (o->asked >= 0)
        return;
    while (o->levels < most && hits_top(s, o))
        look_up_to(s, o, at_most(o->levels + LEVELS_MORE, most));
    o->asked = o->levels;
    o->ways = 0;
    guess_next(s, o);
    __builtin_prefetch(&s->rules[o->guess]);
}

void outlook_fetch(const seq *s, const struct outlook *o)
{
    if (!o->guess)
        return;
    const uint32_t *known = history_at(s, s->rules[o->guess].at);
    uint32_t terminals = level_terminals(o->asked);
    for (uint32_t i = 0; i < terminals && i < TERMINALS_FETCHED; i += TERMINALS_A_LINE)
        __builtin_prefetch(known + i);
}

/* ---- Jumping ------------------------------------------------------------------------ */

/* How many of the first n terminals are equal. */
static uint64_t common(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t i = 0;

    for (; i + 4 * FOUR <= n; i += 4 * FOUR)
        if (!four_all((four_load(a + i) == four_load(b + i))
                      & (four_load(a + i + FOUR) == four_load(b + i + FOUR))
                      & (four_load(a + i + 2 * FOUR) == four_load(b + i + 2 * FOUR))
                      & (four_load(a + i + 3 * FOUR) == four_load(b + i + 3 * FOUR))))
            break;
    while (i + FOUR <= n && four_all(four_load(a + i) == four_load(b + i)))
        i += FOUR;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* The rule that r begins with, 0 if that is a terminal. */
static uint32_t first_rule(const seq *s, uint32_t r)
{
    uint32_t first = s->rules[r].first;

    return is_rule(first) ? rule_of(first) : 0;
}

/* Rule r, or the rule it begins with, or the rule that begins with, ..:
 * the first that derives a beginning of in[0..n).  All of them can be read
 * where r can. */
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
        uint64_t same = common(known, in, length);
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
    const struct jump *row = jump_row(s->jumps, o->hash[most - 1]);
    for (unsigned ways = ways_with(row, o->hash[most - 1]); ways; ways &= ways - 1) {
        const struct rule *rule = &s->rules[row[__builtin_ctz(ways)].rule];
        if (rule->guard && history_has(s, rule) && rule->length > o->n
            && common(history_at(s, rule->at), in, o->n) == o->n)
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
