/* SPDX-License-Identifier: MIT */
/* string-queries.c - facts about given strings: occurrences, cover, neighbours. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/automata/grammar-automaton.h"
#include "hotpaths/automata/string-automaton.h"
#include "hotpaths/base/array.h"
#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/saturate.h"

struct string_query {
    struct patterns patterns;   /* first: the machine's context */
    const struct wpp_grammar *g;
    uint32_t thread;            /* the one that is counted */
    uint64_t *out;
};

/* For each string that ends at the node, adds `times` in a column of `out`, which has a row of
 * `columns` for each string. */
static void add_to_ends(const struct string_query *f, uint32_t node, uint32_t columns,
                        uint32_t column, uint64_t times)
{
    uint32_t end = patterns_first(&f->patterns, node);

    assert(column < columns);
    for (; end; end = f->patterns.node[end].more) {
        uint64_t *sum = &f->out[(size_t)f->patterns.node[end].ends * columns + column];

        *sum = saturating_add(*sum, times);
    }
}

/* ---- Occurrences ---------------------------------------------------------------------- */

static int count_places(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                        uint64_t times)
{
    const struct string_query *f = ctx;

    (void)state, (void)terminal;
    add_to_ends(f, behind, f->g->n_threads, f->thread, times);
    return HOT_OK;
}

/* Runs the machine of the strings on `thread`; all n_out numbers of `out` are 0 before. */
static int run_query(struct string_query *f, struct machine *m, uint32_t thread,
                     const struct hot_string *strings, size_t n, size_t n_out)
{
    int status = patterns_init(&f->patterns, strings, n, m->backwards);

    m->memory = f->patterns.deepest;
    memset(f->out, 0, n_out * sizeof *f->out);
    if (status == HOT_OK)
        status = machine_run(m, f->g, thread);
    patterns_clear(&f->patterns);
    return status;
}

int hot_places(const struct wpp_grammar *g, const struct hot_string *strings, size_t n,
               uint64_t *by_thread)
{
    struct string_query f = { .g = g, .out = by_thread };
    struct machine m = { .ctx = &f, .thread = &f.thread, .next = patterns_machine_next,
                         .reduce = patterns_machine_reduce, .settles = patterns_machine_settles,
                         .step = count_places };

    return run_query(&f, &m, HOT_ALL_THREADS, strings, n, n * g->n_threads);
}

/* ---- Occurrences that do not overlap -----------------------------------------------------
 * Taking each occurrence that begins behind the last one taken gives the largest number.  Behind an
 * occurrence that is taken, the machine is in the state in which nothing has been read. */

static bool is_taken(const struct string_query *f, uint32_t node)
{
    return f->patterns.node[node].ends != PATTERN_NONE;
}

static uint32_t next_apart(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct string_query *f = ctx;
    uint32_t node = patterns_next(&f->patterns, state, terminal);

    return is_taken(f, node) ? 0 : node;
}

static int count_apart(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                       uint64_t times)
{
    const struct string_query *f = ctx;

    (void)behind;
    if (is_taken(f, patterns_next(&f->patterns, state, terminal)))
        f->out[f->thread] = saturating_add(f->out[f->thread], times);
    return HOT_OK;
}

int hot_places_apart(const struct wpp_grammar *g, struct hot_string string, uint64_t *by_thread)
{
    struct string_query f = { .g = g, .out = by_thread };
    struct machine m = { .ctx = &f, .thread = &f.thread, .next = next_apart,
                         .reduce = patterns_machine_reduce, .settles = patterns_machine_settles,
                         .step = count_apart };
    int status = patterns_init(&f.patterns, &string, 1, false);

    memset(by_thread, 0, g->n_threads * sizeof *by_thread);
    if (status == HOT_OK)
        status = machine_run(&m, g, HOT_ALL_THREADS);
    patterns_clear(&f.patterns);
    return status;
}

/* ---- Cover -------------------------------------------------------------------------------- The
 * part of the node's string that is covered: the occurrences in it, which are known from the node
 * alone, and its beginning, as far as earlier occurrences reach into it.  The node and this reach
 * are a state.  States that occur are numbered; the first is the empty string. */

struct cover_state {
    uint32_t node, reach;
    uint64_t fresh;             /* cost of the events that the string ending here covers and no
                                   earlier one did */
};

struct cover {
    struct patterns patterns;
    const uint64_t *cost;
    struct cover_state *state;
    size_t n, size;
    uint64_t *table;            /* hash-table.h */
    size_t table_size;
    int status;
    uint64_t sum;
};

static uint32_t start_in(const struct patterns *p, uint32_t node)
{
    assert(p->node[patterns_first(p, node)].depth <= p->node[node].depth);
    return p->node[node].depth - p->node[patterns_first(p, node)].depth;
}

/* How far occurrences that begin before `cut` reach in the node's string, if earlier ones reach up
 * to `reach`. */
static uint32_t reach_of(const struct patterns *p, uint32_t node, uint32_t cut, uint32_t reach)
{
    for (; p->node[node].depth > reach; node = p->node[node].parent)
        if (patterns_first(p, node) && start_in(p, node) < cut)
            return p->node[node].depth;
    return reach;
}

/* The cost of the events that the string ending in the state covers and no earlier one did. */
static uint64_t fresh_cost(const struct cover *c, const struct cover_state *state)
{
    const struct patterns *p = &c->patterns;
    uint32_t last = state->node, node = last, covered_from = UINT32_MAX;
    uint32_t left = p->node[patterns_first(p, last)].depth;
    uint64_t sum = 0;

    for (; left > 0; left--, node = p->node[node].parent) {
        uint32_t at = p->node[node].depth - 1;

        if (node != last && patterns_first(p, node) && start_in(p, node) < covered_from)
            covered_from = start_in(p, node);
        if (at >= state->reach && at < covered_from)
            sum = saturating_add(sum, c->cost[p->node[node].terminal]);
    }
    return sum;
}

static int add_state(struct cover *c, size_t slot, uint64_t hash, uint32_t node, uint32_t reach)
{
    struct cover_state *state;

    if (c->n >= UINT32_MAX - 1 || GROW(c->state, c->size, c->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    state = &c->state[c->n++];
    *state = (struct cover_state){ .node = node, .reach = reach };
    state->fresh = fresh_cost(c, state);
    c->table[slot] = SLOT_TAG(hash) | c->n;
    return HOT_OK;
}

/* The number of the state; without memory 0, and `status` is set. */
static uint32_t state_of(struct cover *c, uint32_t node, uint32_t reach)
{
    uint64_t hash = hash_table_hash(node, reach);
    size_t slot;

    if (hash_table_grow(&c->table, &c->table_size, c->n + 1) != HOT_OK) {
        c->status = HOT_E_MEMORY;
        return 0;
    }
    for (slot = SLOT_HOME(hash) & (c->table_size - 1); c->table[slot];
         slot = (slot + 1) & (c->table_size - 1)) {
        uint32_t number = SLOT_NUMBER(c->table[slot]);

        assert(number < c->n);
        if (SLOT_TAG(c->table[slot]) == SLOT_TAG(hash) && c->state[number].node == node &&
            c->state[number].reach == reach)
            return number;
    }
    if (add_state(c, slot, hash, node, reach) != HOT_OK) {
        c->status = HOT_E_MEMORY;
        return 0;
    }
    return SLOT_NUMBER(c->table[slot]);
}

/* The state after the node's string has lost `cut` terminals in front, and perhaps gained one
 * behind; its node is then `to`. */
static uint32_t cut_state(struct cover *c, uint32_t state, uint32_t cut, uint32_t to)
{
    uint32_t from = c->state[state].node, reach = c->state[state].reach;

    assert(state < c->n && reach <= c->patterns.node[from].depth);
    if (cut > 0)
        reach = reach_of(&c->patterns, from, cut, reach);
    return state_of(c, to, reach > cut ? reach - cut : 0);
}

static uint32_t next_cover(void *ctx, uint32_t state, uint32_t terminal)
{
    struct cover *c = ctx;
    const struct patterns *p = &c->patterns;
    uint32_t from = c->state[state].node, to = patterns_next(p, from, terminal);

    assert(p->node[to].depth <= p->node[from].depth + 1);
    return to ? cut_state(c, state, p->node[from].depth + 1 - p->node[to].depth, to) : 0;
}

static uint32_t reduce_cover(void *ctx, uint32_t state, uint32_t terminal)
{
    struct cover *c = ctx;
    const struct patterns *p = &c->patterns;
    uint32_t from = c->state[state].node, to = patterns_reduce(p, from, terminal);

    if (to == from)
        return state;
    return to ? cut_state(c, state, p->node[from].depth - p->node[to].depth, to) : 0;
}

/* Where no string can continue, no earlier one covers anything. */
static bool settles_cover(void *ctx, uint32_t before, uint32_t terminal)
{
    const struct cover *c = ctx;

    return !patterns_continue(&c->patterns, before, terminal);
}

static int add_cover(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                     uint64_t times)
{
    struct cover *c = ctx;

    (void)state, (void)terminal;
    c->sum = saturating_add(c->sum, saturating_mul(c->state[behind].fresh, times));
    return c->status;
}

int hot_cover(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
              const struct hot_string *strings, size_t n, uint64_t *covered)
{
    struct cover c = { .cost = cost };
    struct machine m = { .ctx = &c, .next = next_cover, .reduce = reduce_cover,
                         .settles = settles_cover, .step = add_cover };
    int status = patterns_init(&c.patterns, strings, n, false);

    /* First the part that an earlier string covers, then the part of that covered by another
     * one. */
    m.memory = 2 * (uint64_t)c.patterns.deepest;
    if (status == HOT_OK) {
        state_of(&c, 0, 0);
        status = c.status;
    }
    if (status == HOT_OK)
        status = machine_run(&m, g, thread);
    if (status == HOT_OK)
        status = c.status;
    *covered = c.sum;
    patterns_clear(&c.patterns);
    free(c.state);
    free(c.table);
    return status;
}

/* ---- Neighbours --------------------------------------------------------------------------- */

/* The next terminal is needed where a string ends, so also where the machine has no further
 * transition. */
static uint32_t reduce_end(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct string_query *f = ctx;
    uint32_t end = patterns_first(&f->patterns, state);
    uint32_t node = patterns_reduce(&f->patterns, state, terminal);

    return f->patterns.node[node].depth > f->patterns.node[end].depth ? node : end;
}

/* Counts a terminal as neighbour of a string: [string][terminal]. */
static int count_neighbours(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                            uint64_t times)
{
    const struct string_query *f = ctx;

    (void)behind;
    add_to_ends(f, state, f->g->n_terminals, terminal, times);
    return HOT_OK;
}

int hot_neighbours(const struct wpp_grammar *g, uint32_t thread,
                   const struct hot_string *strings, size_t n, bool before, uint64_t *times)
{
    struct string_query f = { .g = g, .out = times };
    struct machine m = { .ctx = &f, .backwards = before, .next = patterns_machine_next,
                         .reduce = reduce_end, .settles = patterns_machine_settles,
                         .step = count_neighbours };

    return run_query(&f, &m, thread, strings, n, n * g->n_terminals);
}

/* The terminal that is the neighbour of all occurrences; HOT_NO_TERMINAL if there is none. */
static uint32_t only_neighbour(const uint64_t *times, uint32_t n_terminals, uint64_t places)
{
    for (uint32_t t = 0; t < n_terminals; t++)
        if (times[t])
            return times[t] == places ? t : HOT_NO_TERMINAL;
    return HOT_NO_TERMINAL;
}

/* Strings that are being extended. */
struct growing {
    uint32_t **terminals, *length;      /* of each */
    size_t n;
    uint32_t most;
};

/* Adds a terminal before or behind string i. */
static int grow_string(const struct growing *s, size_t i, bool before, uint32_t terminal)
{
    uint32_t n = s->length[i];
    uint32_t *longer = realloc(s->terminals[i], (n + (size_t)1) * sizeof *longer);

    if (!longer)
        return HOT_E_MEMORY;
    if (before)
        memmove(longer + 1, longer, n * sizeof *longer);
    assert(n < s->most);
    longer[before ? 0 : n] = terminal;
    s->terminals[i] = longer;
    s->length[i]++;
    return HOT_OK;
}

/* Extends each string by the one terminal that is the neighbour of all its occurrences; *grown:
 * whether there was any. */
static int grow_all(const struct growing *s, bool before, const uint64_t *times,
                    uint32_t n_terminals, const uint64_t *frequency, bool *grown)
{
    int status = HOT_OK;

    *grown = false;
    for (size_t i = 0; status == HOT_OK && i < s->n; i++) {
        uint32_t next = only_neighbour(times + i * n_terminals, n_terminals, frequency[i]);

        if (next == HOT_NO_TERMINAL || s->length[i] >= s->most)
            continue;
        status = grow_string(s, i, before, next);
        *grown = true;
    }
    return status;
}

int hot_extend(const struct wpp_grammar *g, uint32_t thread, uint32_t **terminals,
               uint32_t *length, const uint64_t *frequency, size_t n, uint32_t most)
{
    struct growing growing = { terminals, length, n, most };
    uint64_t *times = malloc((n * g->n_terminals + 1) * sizeof *times);
    struct hot_string *strings = malloc((n + 1) * sizeof *strings);
    int status = times && strings ? HOT_OK : HOT_E_MEMORY;

    for (int before = 0; before < 2; before++)
        for (bool grown = true; status == HOT_OK && grown;) {
            for (size_t i = 0; i < n; i++)
                strings[i] = (struct hot_string){ terminals[i], length[i] };
            status = hot_neighbours(g, thread, strings, n, before, times);
            if (status == HOT_OK)
                status = grow_all(&growing, before, times, g->n_terminals, frequency, &grown);
        }
    free(times);
    free(strings);
    return status;
}

/* ---- What comes before what ------------------------------------------------------------------
 * Events that are neither A nor B change nothing.  So each symbol needs only its first event of A
 * or B and its last. */

enum { EVENT = 1, B_FIRST = 2, A_LAST = 4 };

struct ordering {
    const struct wpp_grammar *g;
    const bool *is_a, *is_b;
    uint8_t *ends;              /* of each rule; 0: no such event */
    uint64_t *times;            /* of each rule */
    struct hot_order *out;
};

static uint8_t order_ends(const struct ordering *o, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        return o->ends[symbol & ~WPP_RULE];
    return (o->is_a[symbol] || o->is_b[symbol] ? EVENT : 0) | (o->is_b[symbol] ? B_FIRST : 0) |
           (o->is_a[symbol] ? A_LAST : 0);
}

static void find_order_ends(struct ordering *o, uint32_t rule)
{
    for (uint64_t i = o->g->body[rule]; i < o->g->body[rule + 1]; i++) {
        uint8_t ends = order_ends(o, o->g->symbols[i]), *all = &o->ends[rule];

        if (ends)
            *all = *all ? (*all & B_FIRST) | (ends & ~B_FIRST) : ends;
    }
}

/* The rules that use a rule know what comes before it. */
static void count_order(struct ordering *o, uint32_t rule, uint64_t times)
{
    struct hot_order *out = o->out;
    bool after_a = false;

    for (uint64_t i = o->g->body[rule]; i < o->g->body[rule + 1]; i++) {
        uint32_t symbol = o->g->symbols[i];
        uint8_t ends = order_ends(o, symbol);

        if (symbol & WPP_RULE) {
            uint64_t *sum = &o->times[symbol & ~WPP_RULE];

            assert((symbol & ~WPP_RULE) < rule);
            *sum = saturating_add(*sum, times);
        } else {
            out->a = saturating_add(out->a, o->is_a[symbol] ? times : 0);
            out->b = saturating_add(out->b, o->is_b[symbol] ? times : 0);
        }
        if (after_a && (ends & B_FIRST))
            out->b_after_a = saturating_add(out->b_after_a, times);
        if (ends)
            after_a = ends & A_LAST;
    }
}

int hot_before(const struct wpp_grammar *g, uint32_t thread, const bool *is_a,
               const bool *is_b, struct hot_order *out)
{
    uint32_t n = g->n_rules + g->n_threads;
    struct ordering o = { .g = g, .is_a = is_a, .is_b = is_b, .out = out };
    int status = HOT_E_MEMORY;

    *out = (struct hot_order){ 0 };
    o.ends = calloc((size_t)n + 1, sizeof *o.ends);
    o.times = calloc((size_t)n + 1, sizeof *o.times);
    if (o.ends && o.times) {
        for (uint32_t k = 0; k < g->n_threads; k++)
            o.times[g->n_rules + k] = thread == HOT_ALL_THREADS || thread == k;
        for (uint32_t rule = 0; rule < g->n_rules; rule++)
            find_order_ends(&o, rule);
        for (uint32_t rule = n; rule-- > 0;)
            if (o.times[rule])
                count_order(&o, rule, o.times[rule]);
        status = HOT_OK;
    }
    free(o.ends);
    free(o.times);
    return status;
}

/* ---- What stands beside events of a set
 * -------------------------------------------------------- */

struct beside {
    const bool *is_b;
    uint64_t *times;
};

/* The next state: whether the neighbouring event is one of the set. */
static uint32_t next_beside(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct beside *s = ctx;

    (void)state;
    return s->is_b[terminal];
}

static int count_beside(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                        uint64_t times)
{
    const struct beside *s = ctx;

    (void)behind;
    if (state && !s->is_b[terminal])
        s->times[terminal] = saturating_add(s->times[terminal], times);
    return HOT_OK;
}

static uint32_t reduce_beside(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct beside *s = ctx;

    return state && !s->is_b[terminal];
}

static bool settles_beside(void *ctx, uint32_t before, uint32_t terminal)
{
    (void)ctx, (void)before, (void)terminal;
    return true;
}

int hot_beside(const struct wpp_grammar *g, uint32_t thread, const bool *is_b, bool before,
               uint64_t *times)
{
    struct beside s = { is_b, times };
    struct machine m = { .ctx = &s, .backwards = before, .next = next_beside,
                         .reduce = reduce_beside, .settles = settles_beside,
                         .step = count_beside };

    memset(times, 0, g->n_terminals * sizeof *times);
    return machine_run(&m, g, thread);
}
