/* SPDX-License-Identifier: MIT */
/* figures.c - what can be said of given strings: places, cover, neighbours. */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"
#include "hotpaths/machine.h"
#include "hotpaths/patterns.h"
#include "hotpaths/saturate.h"

struct figures {
    struct patterns patterns;
    const struct wpp_grammar *g;
    const uint64_t *cost;
    uint64_t *out;
};

static uint64_t next_node(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct figures *f = ctx;

    return patterns_next(&f->patterns, (uint32_t)state, terminal);
}

/* Adds `times` in a column of `out`, a row of `columns` a string, for each string that
 * ends at the node. */
static void add_to_ends(const struct figures *f, uint64_t node, uint32_t columns, uint32_t column,
                        uint64_t times)
{
    uint32_t end = patterns_first(&f->patterns, (uint32_t)node);

    for (; end; end = f->patterns.node[end].more) {
        uint64_t *sum = &f->out[(size_t)f->patterns.node[end].ends * columns + column];

        *sum = saturating_add(*sum, times);
    }
}

/* ---- Places --------------------------------------------------------------------------- */

static int count_places(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                        uint64_t times)
{
    const struct figures *f = ctx;

    add_to_ends(f, next_node(ctx, state, terminal), f->g->n_threads, thread, times);
    return HOT_OK;
}

int hot_places(const struct wpp_grammar *g, const struct hot_string *strings, size_t n,
               uint64_t *by_thread)
{
    struct figures f = { .g = g, .out = by_thread };
    struct machine m = { .ctx = &f, .next = next_node, .step = count_places };
    int status = patterns_init(&f.patterns, strings, n, false);

    memset(by_thread, 0, n * g->n_threads * sizeof *by_thread);
    if (status == HOT_OK)
        status = machine_run(&m, g, HOT_ALL_THREADS);
    patterns_clear(&f.patterns);
    return status;
}

/* ---- Places that do not overlap ----------------------------------------------------------
 * Taking each that begins behind the one taken last gives the most there are. */

static uint64_t next_apart(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct figures *f = ctx;
    uint32_t node = patterns_next(&f->patterns, (uint32_t)state, terminal);

    return f->patterns.node[node].ends == PATTERN_NONE ? node : 0;
}

static int count_apart(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                       uint64_t times)
{
    const struct figures *f = ctx;
    uint32_t node = patterns_next(&f->patterns, (uint32_t)state, terminal);

    if (f->patterns.node[node].ends != PATTERN_NONE)
        f->out[thread] = saturating_add(f->out[thread], times);
    return HOT_OK;
}

int hot_places_apart(const struct wpp_grammar *g, struct hot_string string, uint64_t *by_thread)
{
    struct figures f = { .g = g, .out = by_thread };
    struct machine m = { .ctx = &f, .next = next_apart, .step = count_apart };
    int status = patterns_init(&f.patterns, &string, 1, false);

    memset(by_thread, 0, g->n_threads * sizeof *by_thread);
    if (status == HOT_OK)
        status = machine_run(&m, g, HOT_ALL_THREADS);
    patterns_clear(&f.patterns);
    return status;
}

/* ---- Cover --------------------------------------------------------------------------------
 * What is covered of the node's string: what places in it cover, which the node alone
 * tells, and its beginning, so far as places reach into it that began earlier.
 * State: the node, and above it the length of that beginning. */

static uint64_t start_in(const struct patterns *p, uint32_t node)
{
    return p->node[node].depth - p->node[patterns_first(p, node)].depth;
}

/* How far what begins before `cut` reaches in the node's string, `reach` being known. */
static uint64_t reach_of(const struct patterns *p, uint32_t node, uint64_t cut, uint64_t reach)
{
    for (; p->node[node].depth > reach; node = p->node[node].parent)
        if (patterns_first(p, node) && start_in(p, node) < cut)
            return p->node[node].depth;
    return reach;
}

static uint64_t next_cover(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct patterns *p = &((const struct figures *)ctx)->patterns;
    uint32_t from = (uint32_t)state, to = patterns_next(p, from, terminal);
    uint64_t cut = p->node[from].depth + UINT64_C(1) - p->node[to].depth, reach = state >> 32;

    if (cut > 0)
        reach = reach_of(p, from, cut, reach);
    return to | (reach > cut ? reach - cut : 0) << 32;
}

/* What the string that ends here covers and none before it did. */
static int add_cover(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                     uint64_t times)
{
    const struct figures *f = ctx;
    const struct patterns *p = &f->patterns;
    uint64_t after = next_cover(ctx, state, terminal), covered_from = UINT64_MAX, sum = 0;
    uint32_t last = (uint32_t)after, node = last;
    uint32_t left = p->node[patterns_first(p, last)].depth;

    (void)thread;
    for (; left > 0; left--, node = p->node[node].parent) {
        uint64_t at = p->node[node].depth - 1;

        if (node != last && patterns_first(p, node) && start_in(p, node) < covered_from)
            covered_from = start_in(p, node);
        if (at >= after >> 32 && at < covered_from)
            sum = saturating_add(sum, f->cost[p->node[node].terminal]);
    }
    *f->out = saturating_add(*f->out, saturating_mul(sum, times));
    return HOT_OK;
}

int hot_cover(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
              const struct hot_string *strings, size_t n, uint64_t *covered)
{
    struct figures f = { .g = g, .cost = cost, .out = covered };
    struct machine m = { .ctx = &f, .next = next_cover, .step = add_cover };
    int status = patterns_init(&f.patterns, strings, n, false);

    *covered = 0;
    if (status == HOT_OK)
        status = machine_run(&m, g, thread);
    patterns_clear(&f.patterns);
    return status;
}

/* ---- Neighbours --------------------------------------------------------------------------- */

/* Times a terminal stands next to a string: [string][terminal]. */
static int count_neighbours(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                            uint64_t times)
{
    const struct figures *f = ctx;

    (void)thread;
    add_to_ends(f, state, f->g->n_terminals, terminal, times);
    return HOT_OK;
}

int hot_neighbours(const struct wpp_grammar *g, uint32_t thread,
                   const struct hot_string *strings, size_t n, bool before, uint64_t *times)
{
    struct figures f = { .g = g, .out = times };
    struct machine m = { .ctx = &f, .backwards = before, .next = next_node,
                         .step = count_neighbours };
    int status = patterns_init(&f.patterns, strings, n, before);

    memset(times, 0, n * g->n_terminals * sizeof *times);
    if (status == HOT_OK)
        status = machine_run(&m, g, thread);
    patterns_clear(&f.patterns);
    return status;
}

/* The terminal that stands next to all places; HOT_NO_TERMINAL if there is none. */
static uint32_t only_neighbour(const uint64_t *times, uint32_t n_terminals, uint64_t places)
{
    for (uint32_t t = 0; t < n_terminals; t++)
        if (times[t])
            return times[t] == places ? t : HOT_NO_TERMINAL;
    return HOT_NO_TERMINAL;
}

/* Strings that grow. */
struct growing {
    uint32_t **terminals, *length;      /* of each */
    size_t n;
    uint32_t most;
};

/* Puts a terminal before or behind string i. */
static int grow_string(const struct growing *s, size_t i, bool before, uint32_t terminal)
{
    uint32_t n = s->length[i];
    uint32_t *longer = realloc(s->terminals[i], (n + (size_t)1) * sizeof *longer);

    if (!longer)
        return HOT_E_MEMORY;
    if (before)
        memmove(longer + 1, longer, n * sizeof *longer);
    longer[before ? 0 : n] = terminal;
    s->terminals[i] = longer;
    s->length[i]++;
    return HOT_OK;
}

/* Grows each string by the one terminal that stands next to all its places;
 * *grown: whether there was any. */
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

/* ---- What comes before what ------------------------------------------------------------------ */

struct ordering {
    const bool *is_a, *is_b;
    struct hot_order *out;
};

/* Whether an A has come since the last B. */
static uint64_t next_order(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct ordering *o = ctx;

    return o->is_a[terminal] || (state && !o->is_b[terminal]);
}

static int count_order(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                       uint64_t times)
{
    const struct ordering *o = ctx;

    (void)thread;
    if (o->is_a[terminal])
        o->out->a = saturating_add(o->out->a, times);
    if (!o->is_b[terminal])
        return HOT_OK;
    o->out->b = saturating_add(o->out->b, times);
    if (state)
        o->out->b_after_a = saturating_add(o->out->b_after_a, times);
    return HOT_OK;
}

int hot_before(const struct wpp_grammar *g, uint32_t thread, const bool *is_a,
               const bool *is_b, struct hot_order *out)
{
    struct ordering o = { is_a, is_b, out };
    struct machine m = { .ctx = &o, .next = next_order, .step = count_order };

    *out = (struct hot_order){ 0 };
    return machine_run(&m, g, thread);
}

/* ---- What stands beside events of a set -------------------------------------------------------- */

struct beside {
    const bool *is_b;
    uint64_t *times;
};

/* Whether the event beside it is one. */
static uint64_t next_beside(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct beside *s = ctx;

    (void)state;
    return s->is_b[terminal];
}

static int count_beside(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread,
                        uint64_t times)
{
    const struct beside *s = ctx;

    (void)thread;
    if (state && !s->is_b[terminal])
        s->times[terminal] = saturating_add(s->times[terminal], times);
    return HOT_OK;
}

int hot_beside(const struct wpp_grammar *g, uint32_t thread, const bool *is_b, bool before,
               uint64_t *times)
{
    struct beside s = { is_b, times };
    struct machine m = { .ctx = &s, .backwards = before, .next = next_beside,
                         .step = count_beside };

    memset(times, 0, g->n_terminals * sizeof *times);
    return machine_run(&m, g, thread);
}
