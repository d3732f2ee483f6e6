/* SPDX-License-Identifier: MIT */
/* hotpaths.c - the library's front: prepares a grammar for analysis, chooses a
 * minimal cost when none is given, ranks what was found. */
#include "hotpaths/hotpaths.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/analysis.h"
#include "hotpaths/saturate.h"

struct hot_result {
    struct found found;
    uint64_t total_cost;
    uint64_t min_cost;
};

/* ---- Preparation ----------------------------------------------------------- */

/* How often each rule stands in the expansion of the threads analysed: start
 * rules once, all others as often as their users say, from the top down. */
static void count_rules(struct analysis *a, uint32_t thread)
{
    const struct wpp_grammar *g = a->g;

    for (uint32_t k = 0; k < g->n_threads; k++)
        a->frequency[g->n_rules + k] = thread == HOT_ALL_THREADS || thread == k;
    for (uint32_t rule = rule_count(g); rule-- > 0;) {
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t used = g->symbols[i] & ~WPP_RULE;

            if (!(g->symbols[i] & WPP_RULE))
                continue;
            assert(used < rule && used < g->n_rules);
            a->frequency[used] = saturating_add(a->frequency[used], a->frequency[rule]);
        }
    }
}

static void sum_costs(struct analysis *a)
{
    const struct wpp_grammar *g = a->g;

    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        uint64_t sum = 0;

        if (!a->frequency[rule])
            continue;
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            if (g->symbols[i] & WPP_RULE)
                continue;
            assert(g->symbols[i] < g->n_terminals);
            sum = saturating_add(sum, a->cost[g->symbols[i]]);
            if (a->cost[g->symbols[i]] > a->dearest)
                a->dearest = a->cost[g->symbols[i]];
        }
        a->total_cost = saturating_add(a->total_cost, saturating_mul(sum, a->frequency[rule]));
    }
}

static int prepare(struct analysis *a, const struct wpp_grammar *g, const uint64_t *cost,
                   const struct hot_config *config)
{
    uint64_t product;

    *a = (struct analysis){ .g = g, .cost = cost, .min_length = config->min_length,
                            .max_length = config->max_length };
    a->frequency = calloc((size_t)rule_count(g) + 1, sizeof *a->frequency);
    if (!a->frequency)
        return HOT_E_MEMORY;
    count_rules(a, config->thread);
    sum_costs(a);
    if (__builtin_mul_overflow(a->dearest, (uint64_t)a->max_length, &product))
        return HOT_E_COST;
    return HOT_OK;
}

static bool config_is_valid(const struct hot_config *c, const struct wpp_grammar *g)
{
    if (c->size != sizeof *c || (c->algorithm != HOT_LARUS && c->algorithm != HOT_EXACT))
        return false;
    if (c->min_length < 1 || c->max_length < c->min_length || c->max_length > HOT_LENGTH_MAX)
        return false;
    if (c->min_cost == 0 && c->wanted == 0)
        return false;
    return c->thread == HOT_ALL_THREADS || c->thread < g->n_threads;
}

/* ---- Choosing the minimal cost ----------------------------------------------- */

static int find_at(const struct analysis *a, enum hot_algorithm algorithm, uint64_t min_cost,
                   struct found *out)
{
    return algorithm == HOT_EXACT ? exact_find(a, min_cost, out) : larus_find(a, min_cost, out);
}

/* The largest number of the series 1, 2, 5, 10, 20, 50, ... that is not above
 * `limit` (at least 1). */
static uint64_t round_below(uint64_t limit)
{
    uint64_t power = 1;

    while (power <= limit / 10)
        power *= 10;
    if (power <= limit / 5)
        return 5 * power;
    return power <= limit / 2 ? 2 * power : power;
}

/* `n` with all but its two leading digits zero. */
static uint64_t two_digits(uint64_t n)
{
    uint64_t power = 1;

    while (n / power >= 100)
        power *= 10;
    return n - n % power;
}

/* Whether `a` answers come closer to `wanted` than `b`, as a factor; none are
 * infinitely far off. */
static bool is_closer(size_t a, size_t b, size_t wanted)
{
    double off_a = a < wanted ? (double)wanted / (double)a : (double)a / (double)wanted;
    double off_b = b < wanted ? (double)wanted / (double)b : (double)b / (double)wanted;

    return b == 0 ? a > 0 : a > 0 && off_a < off_b;
}

/* Finds at `min_cost`, counts, and keeps the find if it is the best so far. */
static int try_cost(const struct analysis *a, const struct hot_config *config, uint64_t min_cost,
                    struct hot_result *r, size_t *count)
{
    struct found attempt;
    int status;

    found_init(&attempt);
    status = find_at(a, config->algorithm, min_cost, &attempt);
    *count = attempt.n_entries;
    if (status != HOT_OK || (r->min_cost && !is_closer(*count, r->found.n_entries,
                                                       config->wanted))) {
        found_clear(&attempt);
        return status;
    }
    found_clear(&r->found);
    r->found = attempt;
    r->min_cost = min_cost;
    return HOT_OK;
}

/* Tries round minimal costs from the total downwards until there are enough
 * subpaths, then halves the last step.  High costs leave nearly all rules cold,
 * so the attempts before the last cost little. */
static int find_about(const struct analysis *a, const struct hot_config *config,
                      struct hot_result *r)
{
    int halvings = config->algorithm == HOT_EXACT ? 2 : 6;      /* the one takes far longer */
    uint64_t high = 0, low = round_below(a->total_cost ? a->total_cost : 1);
    size_t count;
    int status = try_cost(a, config, low, r, &count);

    while (status == HOT_OK && count < config->wanted && low > 1) {
        high = low;
        low = round_below(low - 1);
        status = try_cost(a, config, low, r, &count);
    }
    for (int i = 0; status == HOT_OK && count != config->wanted && i < halvings; i++) {
        uint64_t middle = high > low ? two_digits(low + (high - low) / 2) : low;

        if (middle <= low)
            break;
        status = try_cost(a, config, middle, r, &count);
        if (count < config->wanted)
            high = middle;
        else
            low = middle;
    }
    return status;
}

/* ---- The public functions ------------------------------------------------------ */

static int find_all(struct hot_result *r, const struct wpp_grammar *g, const uint64_t *cost,
                    const struct hot_config *config)
{
    struct analysis a;
    int status = prepare(&a, g, cost, config);

    r->total_cost = a.total_cost;
    r->min_cost = config->min_cost;
    if (status == HOT_OK)
        status = config->min_cost ? find_at(&a, config->algorithm, config->min_cost, &r->found)
                                  : find_about(&a, config, r);
    free(a.frequency);
    if (status != HOT_OK)
        return status;
    assert(found_check(&r->found));
    found_sort(&r->found);
    return HOT_OK;
}

int hot_find(hot_result **out, const struct wpp_grammar *g, const uint64_t *cost,
             const struct hot_config *config)
{
    struct hot_result *r;
    int status;

    *out = NULL;
    if (!config_is_valid(config, g))
        return HOT_E_ARGUMENT;
    r = calloc(1, sizeof *r);
    if (!r)
        return HOT_E_MEMORY;
    found_init(&r->found);
    status = find_all(r, g, cost, config);
    if (status != HOT_OK) {
        hot_free(r);
        return status;
    }
    *out = r;
    return HOT_OK;
}

void hot_free(hot_result *r)
{
    if (!r)
        return;
    found_clear(&r->found);
    free(r);
}

size_t hot_count(const hot_result *r)
{
    return r->found.n_entries;
}

struct hot_subpath hot_get(const hot_result *r, size_t index)
{
    const struct found_entry *e = &r->found.entries[index];

    assert(index < r->found.n_entries);
    return (struct hot_subpath){
        .terminals = r->found.terminals + e->first,
        .length = e->length,
        .unit_cost = e->unit_cost,
        .frequency = e->frequency,
        .cost = saturating_mul(e->frequency, e->unit_cost),
    };
}

uint64_t hot_total_cost(const hot_result *r)
{
    return r->total_cost;
}

uint64_t hot_min_cost(const hot_result *r)
{
    return r->min_cost;
}

const char *hot_status_text(int status)
{
    switch (status) {
    case HOT_OK:
        return "no error";
    case HOT_E_MEMORY:
        return "out of memory";
    case HOT_E_ARGUMENT:
        return "lengths, thread or algorithm out of range";
    case HOT_E_COST:
        return "costs are too large for this maximal length";
    }
    return "unknown error";
}
