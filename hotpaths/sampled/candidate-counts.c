/* SPDX-License-Identifier: MIT */
/* candidate-counts.c - counts beginnings of strings; see candidate-counts.h. */
#include "hotpaths/sampled/candidate-counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/automata/suffix-automaton.h"
#include "hotpaths/base/array.h"
#include "hotpaths/base/hash-table.h"

#ifdef WPP_HOSTILE
enum { BLOCK = 2, MEETINGS_SHIFT = 63, SIZE_BITS = 2 };
#else
enum { BLOCK = 128, MEETINGS_SHIFT = 54, SIZE_BITS = 4 };
#endif

/* A reading waits only for 8 bytes of each symbol. */
enum { SYMBOLS_AHEAD = 3 * FETCH_AHEAD };

/* behind(B) and head(B), 0 where that is empty:
 *
 *      behind      node | size
 *      head        number | HEAD_ALL: it is all of B | size        size: SIZE_BITS
 *
 * A size is the length, but less than `needed`.  A head that is all of B has the largest size,
 * because it may be continued.  If the sizes of a state and a head do not add up to `needed`, one
 * of them is empty or no string that counts crosses from the state into the head.
 */
struct of_symbol {
    uint32_t behind, head;
};

enum { SIZES = 1 << SIZE_BITS, HEAD_ALL = SIZES };

#define SIZE(x)         ((x) & (SIZES - 1))
#define NODE(behind)    ((behind) >> SIZE_BITS)
#define NUMBER(head)    ((head) >> (SIZE_BITS + 1))

/* A factor (suffix-automaton.h) at the beginning of symbols. */
struct head {
    uint32_t state, length;
};

/* How often a head was met in a state other than the root. */
struct meeting {
    uint64_t key;               /* the state and the head, as in of_symbol */
    uint64_t times;
};

/* Most nodes have one child, the next node; this terminal leads to it. */
struct way_on {
    uint32_t terminal;
    uint32_t fail : 31;
    bool others : 1;            /* there are other children */
};

struct candidate_counts {
    const struct wpp_grammar *g;
    const struct patterns *p;
    uint32_t needed;            /* 2 to SIZES; all strings that count have this length, except
                                   single terminals */
    struct way_on *way_on;      /* of each node */
    struct factors factors;
    struct of_symbol *of;       /* of each rule, then of each terminal */
    struct head *head;          /* number 0 is empty */
    size_t n_heads, heads_size;
    uint64_t *head_table;       /* hash-table.h */
    size_t head_table_size;
    uint32_t *text;             /* the current head */
    struct meeting *meeting;    /* open addressing by key; 0 is empty */
    uint32_t *behind;           /* of each meeting with all of a symbol: the state behind the
                                   symbol */
    unsigned meetings_shift;    /* from a hash to its home */
    size_t n_meetings, meetings_size;   /* at most half of them are in use */
};

static inline size_t symbol_index(const struct wpp_grammar *g, uint32_t symbol)
{
    assert(symbol & WPP_RULE ? (symbol & ~WPP_RULE) < g->n_rules : symbol < g->n_terminals);
    return symbol & WPP_RULE ? symbol & ~WPP_RULE : (size_t)g->n_rules + symbol;
}

static uint32_t size_of(const struct candidate_counts *t, uint32_t length)
{
    return length < t->needed ? length : t->needed - 1;
}

/* ---- The machine ------------------------------------------------------------------------- */

static void find_ways_on(struct candidate_counts *t)
{
    const struct patterns *p = t->p;

    for (uint32_t i = 0; i < p->n; i++)
        t->way_on[i] = (struct way_on){ .terminal = HOT_NO_TERMINAL, .fail = p->node[i].fail };
    for (uint32_t i = 1; i < p->n; i++) {
        if (p->node[i].parent == i - 1)
            t->way_on[i - 1].terminal = p->node[i].terminal;
        else
            t->way_on[p->node[i].parent].others = true;
    }
}

static uint32_t step(const struct candidate_counts *t, uint32_t node, uint32_t terminal)
{
    while (node) {
        const struct way_on *way = &t->way_on[node];

        if (way->terminal == terminal)
            return node + 1;
        if (way->others)
            return patterns_next(t->p, node, terminal);
        node = way->fail;
    }
    return NODE(t->of[t->g->n_rules + terminal].behind);
}

/* In the form of of_symbol. */
static uint32_t describe_state(const struct candidate_counts *t, uint32_t node)
{
    assert(node <= NODE(UINT32_MAX));
    return node << SIZE_BITS | size_of(t, t->p->node[node].depth);
}

/* ---- Heads ------------------------------------------------------------------------------- */

static int number_head(struct candidate_counts *t, struct head h, uint32_t *number)
{
    uint64_t hash = hash_table_hash(h.state, h.length);
    size_t slot;

    if (hash_table_grow(&t->head_table, &t->head_table_size, t->n_heads + 1) != HOT_OK ||
        GROW(t->head, t->heads_size, t->n_heads + 1) != HOT_OK || NUMBER(UINT32_MAX) < t->n_heads)
        return HOT_E_MEMORY;
    slot = SLOT_HOME(hash) & (t->head_table_size - 1);
    for (; t->head_table[slot]; slot = (slot + 1) & (t->head_table_size - 1)) {
        *number = SLOT_NUMBER(t->head_table[slot]);
        if (t->head[*number].state == h.state && t->head[*number].length == h.length)
            return HOT_OK;
    }
    *number = (uint32_t)t->n_heads;
    t->head[t->n_heads++] = h;
    t->head_table[slot] = SLOT_TAG(hash) | t->n_heads;
    return HOT_OK;
}

/* In the form of of_symbol. */
static int describe_head(struct candidate_counts *t, struct head h, uint32_t all, uint32_t *head)
{
    uint32_t number;

    if (number_head(t, h, &number) != HOT_OK)
        return HOT_E_MEMORY;
    *head = number << (SIZE_BITS + 1) | all | size_of(t, all ? t->needed : h.length);
    return HOT_OK;
}

static uint32_t read_head(const struct candidate_counts *t, uint32_t number)
{
    const struct head *h = &t->head[number];

    assert(number < t->n_heads && h->length <= t->p->deepest);
    factors_text(&t->factors, h->state, h->length, t->text);
    return h->length;
}

/* *head is everything so far; extends it by the next symbol, whose head is `next`. */
static int join_heads(struct candidate_counts *t, uint32_t *head, uint32_t next)
{
    struct head h = t->head[NUMBER(*head)];
    uint32_t length = read_head(t, NUMBER(next)), i;

    for (i = 0; i < length; i++) {
        uint32_t state = factors_next(&t->factors, h.state, t->text[i]);

        if (!state)
            break;
        h = (struct head){ state, h.length + 1 };
    }
    return describe_head(t, h, i == length ? next & HEAD_ALL : 0, head);
}

/* ---- Meetings ---------------------------------------------------------------------------- */

static inline uint64_t meeting_key(uint32_t state, uint32_t head)
{
    return (uint64_t)state << 32 | head;
}

static inline size_t meeting_home(const struct candidate_counts *t, uint32_t state, uint32_t head)
{
    return hash_table_hash(state, head) >> t->meetings_shift;
}

/* The slot of a meeting, or the empty one where it belongs. */
static inline size_t meeting_slot(const struct candidate_counts *t, uint32_t state, uint32_t head)
{
    uint64_t key = meeting_key(state, head);
    size_t slot = meeting_home(t, state, head);

    assert(t->n_meetings <= t->meetings_size / 2);
    while (t->meeting[slot].key && t->meeting[slot].key != key)
        slot = (slot + 1) & (t->meetings_size - 1);
    return slot;
}

static int size_meetings(struct candidate_counts *t, unsigned shift)
{
    struct candidate_counts old = *t;

    t->meetings_shift = shift;
    t->meetings_size = (size_t)1 << (64 - shift);
    t->meeting = scattered_array(t->meetings_size, sizeof *t->meeting);
    t->behind = malloc(t->meetings_size * sizeof *t->behind);
    if (!t->meeting || !t->behind || t->meetings_size > UINT32_MAX) {
        free(t->meeting);
        free(t->behind);
        *t = old;
        return HOT_E_MEMORY;
    }
    memset(t->meeting, 0, t->meetings_size * sizeof *t->meeting);
    for (size_t i = 0; i < old.meetings_size; i++) {
        uint64_t key = old.meeting[i].key;
        size_t slot = key ? meeting_slot(t, (uint32_t)(key >> 32), (uint32_t)key) : 0;

        if (!key)
            continue;
        t->meeting[slot] = old.meeting[i];
        if (key & HEAD_ALL)
            t->behind[slot] = old.behind[i];
    }
    free(old.meeting);
    free(old.behind);
    return HOT_OK;
}

static int first_meeting(struct candidate_counts *t, uint32_t state, uint32_t head, size_t *slot)
{
    uint32_t length, node;

    assert(NODE(state) != 0 && NUMBER(head) != 0);
    if (2 * (t->n_meetings + 1) > t->meetings_size &&
        size_meetings(t, t->meetings_shift - 1) != HOT_OK)
        return HOT_E_MEMORY;
    t->n_meetings++;
    *slot = meeting_slot(t, state, head);
    t->meeting[*slot].key = meeting_key(state, head);
    if (!(head & HEAD_ALL))
        return HOT_OK;
    length = read_head(t, NUMBER(head));
    node = NODE(state);
    for (uint32_t i = 0; i < length; i++)
        node = step(t, node, t->text[i]);
    t->behind[*slot] = describe_state(t, node);
    return HOT_OK;
}

/* Counts a meeting; o->behind is the state behind the symbol if nothing comes before it. */
static inline int meet(struct candidate_counts *t, uint32_t state, struct of_symbol *o,
                       uint64_t times)
{
    size_t slot = meeting_slot(t, state, o->head);

    if (!t->meeting[slot].key && first_meeting(t, state, o->head, &slot) != HOT_OK)
        return HOT_E_MEMORY;
    t->meeting[slot].times += times;
    if (o->head & HEAD_ALL)
        o->behind = t->behind[slot];
    return HOT_OK;
}

/* ---- Rules ------------------------------------------------------------------------------- */

/* Some symbols of the current right-hand side: of[i + 1] is the i-th; of[0].behind is the state
 * before. */
struct block {
    struct of_symbol of[BLOCK + 1];
    uint32_t n;
    uint32_t listed[BLOCK];     /* symbols where a state meets a head, if all symbols have the
                                   expected state behind them */
    uint32_t n_listed;
};

static void list_block(const struct candidate_counts *t, struct block *b, uint64_t at)
{
    const uint32_t *symbols = t->g->symbols;
    uint64_t all = t->g->body[rule_count(t->g)];
    uint32_t before = b->of[0].behind;

    b->n_listed = 0;
    for (uint32_t i = 1; i <= b->n; i++, at++) {
        struct of_symbol of = t->of[symbol_index(t->g, symbols[at])];

        if (at + SYMBOLS_AHEAD < all)
            __builtin_prefetch(&t->of[symbol_index(t->g, symbols[at + SYMBOLS_AHEAD])]);
        b->listed[b->n_listed] = i;
        b->n_listed += SIZE(before) + SIZE(of.head) >= t->needed;
        b->of[i] = of;
        before = of.behind;
    }
    for (uint32_t k = 0; k < b->n_listed; k++) {
        const struct of_symbol *of = &b->of[b->listed[k]];

        __builtin_prefetch(&t->meeting[meeting_home(t, of[-1].behind, of->head)], 1);
    }
}

/* Counts the meetings of a block.  If a symbol has another state behind it than expected, the next
 * symbol is met as well. */
static int meet_block(struct candidate_counts *t, struct block *b, uint64_t times)
{
    uint32_t next = 0;          /* those before are done */

    for (uint32_t k = 0; k < b->n_listed; k++) {
        uint32_t i = b->listed[k];
        bool on = i >= next;

        for (; on && i <= b->n && b->of[i - 1].behind && b->of[i].head; i++) {
            uint32_t expected = b->of[i].behind;

            if (meet(t, b->of[i - 1].behind, &b->of[i], times) != HOT_OK)
                return HOT_E_MEMORY;
            on = b->of[i].behind != expected;
            next = i + 1;
        }
    }
    return HOT_OK;
}

static int find_head(struct candidate_counts *t, uint32_t rule)
{
    const struct wpp_grammar *g = t->g;
    uint64_t at = g->body[rule], end = g->body[rule + 1];
    uint32_t head = t->of[symbol_index(g, g->symbols[at])].head;

    while (++at < end && (head & HEAD_ALL))
        if (join_heads(t, &head, t->of[symbol_index(g, g->symbols[at])].head) != HOT_OK)
            return HOT_E_MEMORY;
    t->of[rule].head = head;
    return HOT_OK;
}

static int read_rule(struct candidate_counts *t, struct block *b, uint32_t rule, uint64_t frequency)
{
    uint64_t end = t->g->body[rule + 1];

    b->of[0].behind = 0;
    for (uint64_t at = t->g->body[rule]; at < end; at += b->n) {
        b->n = end - at < BLOCK ? (uint32_t)(end - at) : BLOCK;
        list_block(t, b, at);
        if (meet_block(t, b, frequency) != HOT_OK)
            return HOT_E_MEMORY;
        b->of[0].behind = b->of[b->n].behind;
    }
    if (rule >= t->g->n_rules)
        return HOT_OK;
    t->of[rule].behind = b->of[0].behind;
    return find_head(t, rule);
}

/* ---- Reading heads ----------------------------------------------------------------------- */

/* A state in which a head is read, with a count. */
struct arrival {
    uint32_t state;
    uint64_t times;
};

struct arrivals {
    uint32_t *meeting;          /* slots of all meetings, by head */
    uint32_t *end;              /* the end of each head's part of it */
    struct arrival *arrival;    /* at the current head; each state is there once behind its first
                                   terminal */
    uint32_t n;
    uint32_t *place;            /* of each node: its index in `arrival`, if it is there */
};

/* Counting sort. */
static int sort_meetings(const struct candidate_counts *t, struct arrivals *a)
{
    uint32_t n = 0, most = 0;

    a->meeting = malloc((t->n_meetings + 1) * sizeof *a->meeting);
    a->end = calloc(t->n_heads, sizeof *a->end);
    a->place = calloc(t->p->n, sizeof *a->place);
    if (!a->meeting || !a->end || !a->place)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < t->meetings_size; i++)
        a->end[NUMBER((uint32_t)t->meeting[i].key)] += t->meeting[i].key != 0;
    for (size_t i = 0; i < t->n_heads; i++) {
        uint32_t of_head = a->end[i];

        most = of_head > most ? of_head : most;
        a->end[i] = n;
        n += of_head;
    }
    assert(n == t->n_meetings);
    for (size_t i = 0; i < t->meetings_size; i++)
        if (t->meeting[i].key)
            a->meeting[a->end[NUMBER((uint32_t)t->meeting[i].key)]++] = (uint32_t)i;
    a->arrival = malloc(((size_t)most + 1) * sizeof *a->arrival);
    return a->arrival ? HOT_OK : HOT_E_MEMORY;
}

/* All states go on over the terminal; q is the state behind it from the root.  States of fewer than
 * `needed` terminals can lead to no string that is long enough. */
static void go_on(const struct candidate_counts *t, struct arrivals *a, uint32_t terminal,
                  uint32_t q, uint32_t needed, uint64_t *times)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        struct arrival to = { step(t, a->arrival[i].state, terminal), a->arrival[i].times };
        uint32_t place = a->place[to.state];

        if (to.state == q || t->p->node[to.state].depth < needed)
            continue;
        times[to.state] += to.times;
        times[q] -= to.times;
        if (place < left && a->arrival[place].state == to.state) {
            a->arrival[place].times += to.times;
            continue;
        }
        a->place[to.state] = left;
        a->arrival[left++] = to;
    }
    a->n = left;
}

static void count_head(const struct candidate_counts *t, struct arrivals *a, uint32_t number,
                       uint32_t least, uint64_t *times)
{
    uint32_t length = read_head(t, number), q = 0;

    assert(number > 0);          /* the empty head is never met */
    a->n = 0;
    for (uint32_t i = a->end[number - 1]; i < a->end[number]; i++) {
        const struct meeting *m = &t->meeting[a->meeting[i]];

        if (i + FETCH_AHEAD < t->n_meetings)
            __builtin_prefetch(&t->meeting[a->meeting[i + FETCH_AHEAD]]);
        a->arrival[a->n++] = (struct arrival){ NODE(m->key >> 32), m->times };
    }
    for (uint32_t i = 0; i < length && a->n > 0; i++) {
        uint32_t left = length - 1 - i;

        q = step(t, q, t->text[i]);
        go_on(t, a, t->text[i], q, least > left ? least - left : 0, times);
    }
}

static int count_meetings(const struct candidate_counts *t, uint32_t least, uint64_t *times)
{
    struct arrivals a = { 0 };
    int status = sort_meetings(t, &a);

    for (uint32_t i = 1; status == HOT_OK && i < t->n_heads; i++)
        count_head(t, &a, i, least, times);
    free(a.meeting);
    free(a.end);
    free(a.arrival);
    free(a.place);
    return status;
}

static void count_terminals(const struct candidate_counts *t, const uint64_t *frequency,
                            uint64_t *times)
{
    const struct wpp_grammar *g = t->g;

    for (uint32_t rule = 0; rule < rule_count(g); rule++)
        for (uint64_t at = g->body[rule]; frequency[rule] && at < g->body[rule + 1]; at++)
            if (!(g->symbols[at] & WPP_RULE))
                times[NODE(t->of[symbol_index(g, g->symbols[at])].behind)] += frequency[rule];
}

/* ---- All of it --------------------------------------------------------------------------- */

static int describe_terminals(struct candidate_counts *t)
{
    for (uint32_t i = 0; i < t->g->n_terminals; i++) {
        struct of_symbol *of = &t->of[symbol_index(t->g, i)];
        struct head h = { factors_next(&t->factors, 0, i), 1 };

        *of = (struct of_symbol){ 0 };
        if (h.state == 0)
            continue;
        of->behind = describe_state(t, patterns_next(t->p, 0, i));
        if (describe_head(t, h, HEAD_ALL, &of->head) != HOT_OK)
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

static int counts_init(struct candidate_counts *t)
{
    uint32_t empty;

    if (t->p->n > NODE(UINT32_MAX) || factors_init(&t->factors, t->p) != HOT_OK)
        return HOT_E_MEMORY;
    t->of = scattered_array((size_t)t->g->n_rules + t->g->n_terminals + 1, sizeof *t->of);
    t->way_on = malloc((size_t)t->p->n * sizeof *t->way_on);
    t->text = malloc(((size_t)t->p->deepest + 1) * sizeof *t->text);
    if (!t->of || !t->way_on || !t->text || size_meetings(t, MEETINGS_SHIFT) != HOT_OK ||
        number_head(t, (struct head){ 0 }, &empty) != HOT_OK)
        return HOT_E_MEMORY;
    find_ways_on(t);
    return describe_terminals(t);
}

static void counts_clear(struct candidate_counts *t)
{
    factors_clear(&t->factors);
    free(t->of);
    free(t->way_on);
    free(t->head);
    free(t->head_table);
    free(t->text);
    free(t->meeting);
    free(t->behind);
}

int candidate_counts_find(const struct analysis *a, uint32_t least, const struct patterns *p,
                          uint64_t *times)
{
    struct candidate_counts t = { .g = a->g, .p = p,
                       .needed = least < 2 ? 2 : least < SIZES ? least : SIZES };
    int status = counts_init(&t);
    struct block b;

    memset(times, 0, p->n * sizeof *times);
    for (uint32_t rule = 0; status == HOT_OK && rule < rule_count(t.g); rule++)
        if (a->frequency[rule])
            status = read_rule(&t, &b, rule, a->frequency[rule]);
    if (status == HOT_OK)
        status = count_meetings(&t, least, times);
    if (status == HOT_OK && least <= 1)
        count_terminals(&t, a->frequency, times);
    if (status == HOT_OK)
        patterns_add_up(p, times);
    counts_clear(&t);
    return status;
}
