/* SPDX-License-Identifier: MIT */
/* overlaps.c - what the occurrences of each string cost together.
 *
 * Overlapping occurrences of a string are one piece of the thread.  In a piece each one follows the
 * one before by a *step*, which is a period of the string:
 *
 *      a b a a b a                     periods 3, 5
 *            a b a a b a               step 3: overlaps by a b a
 *                      a b a a b a     step 5: overlaps by a
 *
 * At a step the thread contains the string that both occurrences make up, and each occurrence of
 * that string stands for one step.  So the frequencies of these strings tell how many occurrences
 * follow another one, and by which step.
 *
 * A period d is no step if another occurrence begins between the two, e behind the first.  Then e
 * and d - e are periods, and so is d - p, p being the shortest.  If e = p that is clear.  Else let
 * e be the lesser of the two: p + e is no more than the length, so e is a multiple of p (Fine and
 * Wilf), and d - p = (d - e) + (e - p) is a sum of periods no longer than the string.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/automata/grammar-automaton.h"
#include "hotpaths/automata/string-automaton.h"
#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"
#include "hotpaths/strings/rotations.h"

/* The most terminals of all strings whose steps are counted together. */
#ifdef WPP_HOSTILE
enum { MOST_TERMINALS = 20 };
#else
enum { MOST_TERMINALS = 1 << 20 };
#endif

struct step {
    size_t string;
    uint32_t period;
};

struct overlaps {
    const struct wpp_grammar *g;
    const uint64_t *cost;
    uint32_t thread;
    const struct hot_string *strings;
    struct step *step;
    size_t n, size;
    struct hot_pieces *out;     /* of each string */
};

/* ---- Steps -------------------------------------------------------------------------------- */

static int add_step(struct overlaps *o, size_t string, uint32_t period)
{
    if (GROW(o->step, o->size, o->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    o->step[o->n++] = (struct step){ string, period };
    return HOT_OK;
}

/* border[i] is the length of the longest border of the string's first i + 1 terminals. */
static int find_steps_of(struct overlaps *o, size_t string, const uint32_t *border, bool *is_period)
{
    uint32_t length = o->strings[string].length, shortest = length - border[length - 1];
    int status = HOT_OK;

    assert(border[length - 1] < length);
    memset(is_period, false, length);
    for (uint32_t b = border[length - 1]; b > 0 && status == HOT_OK; b = border[b - 1]) {
        uint32_t period = length - b;

        is_period[period] = true;
        if (period == shortest || !is_period[period - shortest])
            status = add_step(o, string, period);
    }
    return status;
}

static int find_steps(struct overlaps *o, size_t n)
{
    uint32_t longest = 0;
    uint32_t *border;
    bool *is_period;
    int status;

    for (size_t i = 0; i < n; i++)
        longest = o->strings[i].length > longest ? o->strings[i].length : longest;
    border = malloc(((size_t)longest + 1) * sizeof *border);
    is_period = malloc((size_t)longest + 1);
    status = border && is_period ? HOT_OK : HOT_E_MEMORY;
    for (size_t i = 0; i < n && status == HOT_OK; i++) {
        rotations_period(o->strings[i].terminals, o->strings[i].length, border);
        status = find_steps_of(o, i, border, is_period);
    }
    free(border);
    free(is_period);
    return status;
}

/* ---- How often steps are taken -------------------------------------------------------------- */

struct counting {
    struct patterns patterns;   /* first: the machine's context */
    uint64_t *times;            /* of each node */
};

static int count_in_pair(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind,
                         uint64_t times)
{
    const struct counting *c = ctx;

    (void)state, (void)terminal;
    c->times[behind] += times;
    return HOT_OK;
}

static int read_pairs(const struct overlaps *o, struct counting *c,
                      const struct hot_string *pairs, size_t n)
{
    struct machine m = { .ctx = c, .next = patterns_machine_next,
                         .reduce = patterns_machine_reduce,
                         .settles = patterns_machine_settles, .step = count_in_pair };
    int status = patterns_init(&c->patterns, pairs, n, false);

    if (status != HOT_OK)
        return status;
    c->times = calloc(c->patterns.n, sizeof *c->times);
    if (!c->times)
        return HOT_E_MEMORY;
    m.memory = c->patterns.deepest;
    status = machine_run(&m, o->g, o->thread);
    patterns_add_up(&c->patterns, c->times);
    return status;
}

/* Notes that `times` occurrences of the string are followed by one that adds its last `period`
 * terminals. */
static void take_step(struct overlaps *o, const struct step *step, uint64_t times)
{
    struct hot_string s = o->strings[step->string];
    struct hot_pieces *out = &o->out[step->string];
    uint64_t fresh = 0;

    assert(times <= out->pieces);
    for (uint32_t i = s.length - step->period; i < s.length; i++)
        fresh = saturating_add(fresh, o->cost[s.terminals[i]]);
    out->pieces -= times;
    out->cost = saturating_add(out->cost, saturating_mul(times, fresh));
}

/* The frequency of the string that two occurrences make up. */
static uint64_t frequency_of(const struct counting *c, struct hot_string pair)
{
    uint32_t node = 0;

    for (uint32_t i = 0; i < pair.length; i++)
        node = patterns_next(&c->patterns, node, pair.terminals[i]);
    return c->times[node];
}

static uint32_t pair_length(const struct overlaps *o, const struct step *step)
{
    return o->strings[step->string].length + step->period;
}

static void write_pair(const struct overlaps *o, const struct step *step, uint32_t *to)
{
    struct hot_string s = o->strings[step->string];

    assert(step->period > 0 && step->period < s.length);
    memcpy(to, s.terminals, s.length * sizeof *to);
    memcpy(to + s.length, s.terminals + s.length - step->period, step->period * sizeof *to);
}

/* Steps [from, end). */
static int count_steps(struct overlaps *o, size_t from, size_t end, size_t total)
{
    struct counting c = { 0 };
    struct hot_string *pair = malloc((end - from) * sizeof *pair);
    uint32_t *terminals = malloc(total * sizeof *terminals), *to = terminals;
    int status = pair && terminals ? HOT_OK : HOT_E_MEMORY;

    for (size_t i = from; i < end && status == HOT_OK; i++) {
        pair[i - from] = (struct hot_string){ to, pair_length(o, &o->step[i]) };
        write_pair(o, &o->step[i], to);
        to += pair[i - from].length;
    }
    assert(status != HOT_OK || to == terminals + total);
    if (status == HOT_OK)
        status = read_pairs(o, &c, pair, end - from);
    for (size_t i = from; i < end && status == HOT_OK; i++)
        take_step(o, &o->step[i], frequency_of(&c, pair[i - from]));
    patterns_clear(&c.patterns);
    free(c.times);
    free(pair);
    free(terminals);
    return status;
}

/* As many steps as are counted together: returns the first that is left; *total is their length. */
static size_t steps_end(const struct overlaps *o, size_t from, size_t *total)
{
    size_t i = from;

    *total = 0;
    for (; i < o->n && (i == from || *total + pair_length(o, &o->step[i]) <= MOST_TERMINALS); i++)
        *total += pair_length(o, &o->step[i]);
    return i;
}

static uint64_t execution_cost(const struct overlaps *o, struct hot_string s)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s.length; i++)
        sum = saturating_add(sum, o->cost[s.terminals[i]]);
    return sum;
}

int hot_count_pieces(const struct wpp_grammar *g, const uint64_t *cost, uint32_t thread,
                     const struct hot_string *strings, const uint64_t *frequency, size_t n,
                     struct hot_pieces *out)
{
    struct overlaps o = { .g = g, .cost = cost, .thread = thread, .strings = strings, .out = out };
    int status = find_steps(&o, n);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct hot_pieces){ .pieces = frequency[i] };
    for (size_t from = 0, end, total; status == HOT_OK && from < o.n; from = end) {
        end = steps_end(&o, from, &total);
        status = count_steps(&o, from, end, total);
    }
    for (size_t i = 0; i < n; i++)
        out[i].cost = saturating_add(out[i].cost, saturating_mul(out[i].pieces,
                                                                 execution_cost(&o, strings[i])));
    free(o.step);
    return status;
}
