/* SPDX-License-Identifier: MIT */
/* history.c - see history.h. */
#include "sequitur/history.h"

#include <string.h>

/* A rule that has left the window is compared by its children, so deep. */
enum { DEPTH = 6, DEPTH_OF_CHECK = 10000 };
/* Shorter comparisons are not worth a look beforehand. */
enum { PROBE = 64 };

static const uint32_t level_terminals[LEVELS] = LEVEL_TERMINALS;

static size_t table_size(unsigned bits)
{
    return sizeof(struct jump) << bits;
}

static struct jump *new_table(seq *s, unsigned bits)
{
    struct jump *table = seq_memory(s, NULL, 0, table_size(bits));

    if (table)
        memset(table, 0, table_size(bits));
    return table;
}

int history_new(seq *s)
{
    struct jumps *j = seq_memory(s, NULL, 0, sizeof *j);

    if (!j)
        return SEQ_E_NOMEM;
    *j = (struct jumps){.bits = JUMP_BITS_MIN, .table = new_table(s, JUMP_BITS_MIN)};
    if (!j->table) {
        seq_memory(s, j, sizeof *j, 0);
        return SEQ_E_NOMEM;
    }
    s->jumps = j;
    return SEQ_OK;
}

void history_free(seq *s)
{
    struct jumps *j = s->jumps;

    if (!j)
        return;
    seq_memory(s, j->history, j->size * sizeof *j->history, 0);
    seq_memory(s, j->table, table_size(j->bits), 0);
    seq_memory(s, j, sizeof *j, 0);
    s->jumps = NULL;
}

static inline struct jump *jump_slot(const struct jumps *j, uint32_t hash)
{
    return &j->table[hash >> (32 - j->bits)];
}

/* An entry's index is the top of its hash: the table doubles in one sweep. */
static int grow_table(seq *s)
{
    struct jumps *j = s->jumps;
    struct jumps bigger = {.bits = j->bits + 1, .table = new_table(s, j->bits + 1)};

    if (!bigger.table)
        return SEQ_E_NOMEM;
    for (size_t k = 0; k < (size_t)1 << j->bits; k++)
        *jump_slot(&bigger, j->table[k].hash) = j->table[k];
    seq_memory(s, j->table, table_size(j->bits), 0);
    j->table = bigger.table;
    j->bits = bigger.bits;
    return SEQ_OK;
}

static int grow_history(seq *s)
{
    struct jumps *j = s->jumps;
    uint64_t bigger = j->size ? 2 * j->size : BLOCK;
    uint32_t *p = seq_memory(s, j->history, j->size * sizeof *p, bigger * sizeof *p);

    /* The ring has never wrapped yet: every position stays in its place. */
    assert(j->end <= j->size);
    if (!p)
        return SEQ_E_NOMEM;
    j->history = p;
    j->size = bigger;
    return SEQ_OK;
}

int history_add(seq *s, struct start *t, const uint32_t *terminals, size_t n, uint64_t *from)
{
    struct jumps *j = s->jumps;

    assert(n <= BLOCK && j->end % BLOCK == 0);
    if (j->end == j->size && j->size < HISTORY_MAX && grow_history(s) != SEQ_OK)
        return SEQ_E_NOMEM;
    if (j->bits < JUMP_BITS_MAX && s->rules_live >> (j->bits - 1) && grow_table(s) != SEQ_OK)
        return SEQ_E_NOMEM;
    if (t->run_end != j->end || (j->end & (j->size - 1)) == 0)
        t->run_begin = j->end;
    *from = j->end;
    memcpy(j->history + (j->end & (j->size - 1)), terminals, n * sizeof *terminals);
    j->end += BLOCK;
    t->run_end = *from + n;
    return SEQ_OK;
}

/* False only if the n terminals at a and b differ: a look at a few places, so
 * that a long comparison is seldom begun that would fail near its end.  Without
 * it, long runs of one loop cost time quadratic in their length. */
static inline bool look_alike(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t x[2], y[2];

    if (n < 2 * PROBE)
        return true;
    for (uint64_t at = n - 4; at >= PROBE; at /= 2) {
        memcpy(x, a + at, sizeof x);
        memcpy(y, b + at, sizeof y);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]))
            return false;
    }
    return true;
}

static bool derives_deep(const seq *s, uint32_t value, const uint32_t *in, int depth)
{
    if (!is_rule(value))
        return *in == value;
    const struct rule *r = &s->rules[rule_of(value)];
    if (history_has(s->jumps, r)) {
        const uint32_t *known = history_at(s->jumps, r->at);
        return look_alike(known, in, r->length)
            && memcmp(known, in, r->length * sizeof *in) == 0;
    }
    if (depth == 0)
        return false;
    for (uint32_t n = s->nodes[r->guard].next; n != r->guard; n = s->nodes[n].next) {
        if (!derives_deep(s, s->nodes[n].value, in, depth - 1))
            return false;
        in += length_of(s, s->nodes[n].value);
    }
    return true;
}

bool derives_input(const seq *s, uint32_t value, const uint32_t *in)
{
    return derives_deep(s, value, in, DEPTH);
}

/* ---- Jumps ------------------------------------------------------------------------ */

static inline uint64_t fold(const uint32_t *in, uint64_t k)
{
    uint64_t a, b;

    memcpy(&a, in, sizeof a);
    memcpy(&b, in + 2, sizeof b);
    unsigned __int128 product = (unsigned __int128)(a ^ k) * (b + UINT64_C(0x9E3779B97F4A7C15));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Goes on with hashing: n more terminals, a multiple of 8 (hostile build: of 2). */
static inline uint64_t hash_more(uint64_t h, const uint32_t *in, uint32_t n)
{
#ifdef WPP_HOSTILE
    while (n--)
        h = (h + *in++) * UINT32_C(0x9E3779B1);
#else
    for (uint32_t i = 0; i < n; i += 8)
        h = (h + fold(in + i, UINT64_C(0xD6E8FEB86659FD93)))
            * UINT64_C(0xC2B2AE3D27D4EB4F) + fold(in + i + 4, UINT64_C(0x2545F4914F6CDD1D));
#endif
    return h;
}

/* The hashes of the first so many levels; level_terminals[levels - 1] terminals
 * can be read. */
static void hash_levels(const uint32_t *in, int levels, uint32_t hash[LEVELS])
{
    uint64_t h = 0;
    uint32_t done = 0;

    for (int i = 0; i < levels; i++) {
        h = hash_more(h, in + done, level_terminals[i] - done);
        done = level_terminals[i];
        hash[i] = (uint32_t)((h ^ h >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
#ifdef WPP_HOSTILE
        hash[i] &= UINT32_C(0xF0000000);
#endif
    }
}

static int levels_within(uint64_t n)
{
    int levels = 0;

    while (levels < LEVELS && level_terminals[levels] <= n)
        levels++;
    return levels;
}

/* The entry stays if its rule is longer and still good: where that does not
 * fit, one that it begins with may. */
static void remember(const seq *s, struct jump *e, uint32_t hash, uint32_t r)
{
    const struct rule *rule = &s->rules[r];
    const struct rule *other = &s->rules[e->rule];

    if (e->rule && e->length > rule->length && e->length == other->length && other->guard
        && history_has(s->jumps, other))
        return;
    *e = (struct jump){
        .rule = r, .hash = hash, .at = (uint32_t)rule->at,
        .length = rule->length < UINT32_MAX ? (uint32_t)rule->length : UINT32_MAX,
    };
}

void history_saw(seq *s, const struct start *t, uint32_t r, uint64_t end)
{
    struct jumps *j = s->jumps;
    struct rule *rule = &s->rules[r];
    uint32_t hash[LEVELS];
    int levels = levels_within(rule->length);

    if (rule->length > end - t->run_begin)
        return;
    rule->at = end - rule->length;
    hash_levels(history_at(j, rule->at), levels, hash);
    for (int i = 0; i < levels; i++)
        remember(s, jump_slot(j, hash[i]), hash[i], r);
}

/* How many of the first n terminals are equal. */
static uint64_t common(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t i = 0;

    for (; i + 8 <= n; i += 8) {
        uint64_t x[4], y[4];
        memcpy(x, a + i, sizeof x);
        memcpy(y, b + i, sizeof y);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]))
            break;
    }
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

    if (!rule->guard || !history_has(s->jumps, rule))
        return 0;
    const uint32_t *known = history_at(s->jumps, rule->at);
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

struct outlook history_look(const seq *s, uint64_t position, uint64_t n, uint64_t last)
{
    const struct jumps *j = s->jumps;
    struct outlook o = {.position = position, .n = n, .levels = levels_within(n)};
    int worth = levels_within(8 * last);

    if (worth < LEVELS_ALWAYS)
        worth = LEVELS_ALWAYS;
    if (o.levels > worth)
        o.levels = worth;
    hash_levels(history_at(j, position), o.levels, o.hash);
    for (int i = 0; i < o.levels; i++)
        __builtin_prefetch(jump_slot(j, o.hash[i]));
    return o;
}

uint32_t history_jump(const seq *s, const struct outlook *o)
{
    const struct jumps *j = s->jumps;
    const uint32_t *in = history_at(j, o->position);

    for (int i = o->levels; i-- > 0;) {
        const struct jump *e = jump_slot(j, o->hash[i]);
        if (!e->rule || e->hash != o->hash[i])
            continue;
        __builtin_prefetch(history_at(j, e->at));
        uint32_t r = fitting(s, e->rule, in, o->n);
        if (r)
            return r;
    }
    return 0;
}

bool history_check(const seq *s, uint32_t *culprit)
{
    for (uint32_t r = 1; s->jumps && r < s->rules_used; r++) {
        const struct rule *rule = &s->rules[r];
        if (!rule->guard || is_start_guard(s->nodes[rule->guard].value)
            || !history_has(s->jumps, rule))
            continue;
        uint64_t at = rule->at;
        for (uint32_t n = s->nodes[rule->guard].next; n != rule->guard; n = s->nodes[n].next) {
            *culprit = r;
            if (!derives_deep(s, s->nodes[n].value, history_at(s->jumps, at), DEPTH_OF_CHECK))
                return false;
            at += length_of(s, s->nodes[n].value);
        }
    }
    return true;
}
