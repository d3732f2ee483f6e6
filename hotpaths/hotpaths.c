/* SPDX-License-Identifier: MIT */
/* hotpaths.c - the library's public functions: prepares a grammar for analysis, chooses a minimal
 * cost if none is given, sorts the subpaths found. */
#include "hotpaths/hotpaths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/analysis.h"
#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"
#include "hotpaths/exact-search.h"
#include "hotpaths/strings/rotations.h"

struct hot_result {
    struct subpath_set found;
    size_t n_leaders;
    uint64_t total_cost;
    uint64_t min_cost;
};

/* ---- Preparation ----------------------------------------------------------- */

static inline void fetch_frequency(const struct analysis *a, uint64_t at)
{
    const struct wpp_grammar *g = a->g;

    if (at + FETCH_AHEAD < g->body[rule_count(g)] && (g->symbols[at + FETCH_AHEAD] & WPP_RULE))
        __builtin_prefetch(&a->frequency[g->symbols[at + FETCH_AHEAD] & ~WPP_RULE], 1);
}

/* Counts the occurrences of each rule in the expansion of the threads analysed, top-down: start
 * rules have one, all others those of their users. */
static void count_rules(struct analysis *a, uint32_t thread)
{
    const struct wpp_grammar *g = a->g;

    for (uint32_t k = 0; k < g->n_threads; k++)
        a->frequency[g->n_rules + k] = thread == HOT_ALL_THREADS || thread == k;
    for (uint32_t rule = rule_count(g); rule-- > 0;) {
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t used = g->symbols[i] & ~WPP_RULE;

            fetch_frequency(a, i);
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
    a->frequency = scattered_array((size_t)rule_count(g) + 1, sizeof *a->frequency);
    if (!a->frequency)
        return HOT_E_MEMORY;
    memset(a->frequency, 0, ((size_t)rule_count(g) + 1) * sizeof *a->frequency);
    count_rules(a, config->thread);
    sum_costs(a);
    for (uint32_t k = 0; k < g->n_threads; k++)
        if (a->frequency[g->n_rules + k])
            a->events = saturating_add(a->events, g->length[g->n_rules + k]);
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

/* Finds the period of each subpath, and the cost of one period. */
static int find_periods(struct subpath_set *f, const uint64_t *cost)
{
    uint32_t *scratch, longest = 0;
    bool good;

    for (size_t i = 0; i < f->n_entries; i++)
        longest = f->entries[i].length > longest ? f->entries[i].length : longest;
    scratch = malloc(((size_t)longest + 1) * sizeof *scratch);
    for (size_t i = 0; scratch && i < f->n_entries; i++) {
        struct subpath_entry *e = &f->entries[i];
        const uint32_t *string = f->terminals + e->first;

        e->period = rotations_period(string, e->length, scratch);
        assert(e->period > 0 && e->period <= e->length);
        e->own_unit = 0;
        for (uint32_t k = 0; k < e->period; k++)
            e->own_unit += cost[string[k]];
    }
    good = scratch != NULL;
    free(scratch);
    return good ? HOT_OK : HOT_E_MEMORY;
}

/* `exact` is NULL for Larus' walk. */
static int find_at(const struct analysis *a, struct exact *exact, uint64_t min_cost,
                   struct subpath_set *out)
{
    int status = exact ? exact_find(exact, min_cost, out) : larus_find(a, min_cost, out);

    return status == HOT_OK && exact ? find_periods(out, a->cost) : status;
}

/* `n` with all digits but the first two set to zero. */
static uint64_t two_digits(uint64_t n)
{
    uint64_t power = 1;

    while (n / power >= 100)
        power *= 10;
    return n - n % power;
}

/* Whether `a` answers are closer to `wanted` than `b`, as a factor; no answers are infinitely far
 * off. */
static bool is_closer(size_t a, size_t b, size_t wanted)
{
    double off_a = a < wanted ? (double)wanted / (double)a : (double)a / (double)wanted;
    double off_b = b < wanted ? (double)wanted / (double)b : (double)b / (double)wanted;

    return b == 0 ? a > 0 : a > 0 && off_a < off_b;
}

/* Searches at `min_cost`, counts, and keeps the result if it is the best so far. */
static int try_cost(const struct analysis *a, struct exact *exact,
                    const struct hot_config *config, uint64_t min_cost, struct hot_result *r,
                    size_t *count)
{
    struct subpath_set attempt;
    int status;

    subpath_set_init(&attempt);
    status = find_at(a, exact, min_cost, &attempt);
    *count = attempt.n_entries;
    if (status == HOT_OK && exact)
        status = rotations_find(&attempt, count);
    if (status != HOT_OK || (r->min_cost && (*count || r->n_leaders)
                             && !is_closer(*count, r->n_leaders, config->wanted))) {
        subpath_set_clear(&attempt);
        return status;
    }
    subpath_set_clear(&r->found);
    r->found = attempt;
    r->n_leaders = *count;
    r->min_cost = min_cost;
    return HOT_OK;
}

/* Costs tried so far with enough subpaths, and with too few; 0: none. */
struct bracket {
    uint64_t low, high;
    size_t n_low, n_high;
};

/* The cost at which a power law through both ends of the bracket finds `wanted`. */
static double interpolate(const struct bracket *b, size_t wanted)
{
    assert(b->low < b->high && b->n_low > b->n_high);
    double low = log2((double)b->low), high = log2((double)b->high);
    double n_low = log2((double)b->n_low), n_high = b->n_high ? log2((double)b->n_high) : -1;

    return exp2(low + (high - low) * (n_low - log2((double)wanted)) / (n_low - n_high));
}

/* At a minimal cost not above the mean cost of the longest subpaths, nearly everything that was
 * executed once is hot: there are as many answers as events.  So the least cost tried is twice
 * that, except in short runs, where a subpath that occurs once may be of interest. */
static uint64_t least_cost(const struct analysis *a)
{
    enum { SHORT_RUN = 10000 };
    assert(a->max_length > 0);
    uint64_t windows = a->events / a->max_length;

    if (a->events <= SHORT_RUN)
        return 1;
    return windows < 2 ? a->total_cost : saturating_add(a->total_cost / windows * 2, 1);
}

/* The next cost to try; 0: there is none. */
static uint64_t next_cost(const struct bracket *b, size_t wanted, uint64_t total, uint64_t least)
{
    enum { MOST_AT_ONCE = 8, FACTOR_DOWN = 4 };     /* low costs take long */
    double factor;
    uint64_t next;

    if (b->low && b->high) {
        next = two_digits((uint64_t)interpolate(b, wanted));
        if (next <= b->low || next >= b->high)
            next = two_digits(b->low + (b->high - b->low) / 2);
        return next > b->low && next < b->high ? next : 0;
    }
    if (b->low) {
        factor = 1.5 * (double)b->n_low / (double)wanted;
        next = saturating_mul(b->low, factor < MOST_AT_ONCE ? 2 * (uint64_t)factor : MOST_AT_ONCE);
        next = two_digits(next);
        if (next <= b->low)
            next = saturating_mul(b->low, 2);
        return b->low <= total && next > b->low ? next : 0;
    }
    next = b->n_high ? wanted / b->n_high : FACTOR_DOWN;
    next = two_digits(b->high / (next < 2 ? 2 : next < FACTOR_DOWN ? next : FACTOR_DOWN));
    next = next < least ? least : next;
    return next < b->high ? next : 0;
}

/* Whether `n` answers are about as many as wanted: between half and one and a half times. */
static bool is_about(size_t n, size_t wanted)
{
    size_t off = n > wanted ? n - wanted : wanted - n;

    return 2 * off <= wanted;
}

/* Tries minimal costs until about enough subpaths are found, or as close as possible.  Begins with
 * the highest cost at which `wanted` disjoint subpaths can exist: the search is faster at high
 * costs. */
static int find_about(const struct analysis *a, struct exact *exact,
                      const struct hot_config *config, struct hot_result *r)
{
    enum { ATTEMPTS = 8 };      /* while both too few and enough have been found */
    assert(config->wanted > 0);
    uint64_t first = two_digits(a->total_cost / config->wanted), least = least_cost(a);
    struct bracket b = { 0 };
    int status = HOT_OK, left = ATTEMPTS;

    for (uint64_t cost = first < least ? least : first; cost && left > 0;
         cost = next_cost(&b, config->wanted, a->total_cost, least)) {
        size_t count = 0;

        status = try_cost(a, exact, config, cost, r, &count);
        if (status != HOT_OK || is_about(count, config->wanted))
            return status;
        if (count >= config->wanted)
            b.low = cost, b.n_low = count;
        else
            b.high = cost, b.n_high = count;
        left -= b.low && b.high;
    }
    return status;
}

/* ---- Costs of overlapping occurrences -------------------------------------------- */

/* For the entries that can overlap themselves; own cost of the others is their cost. */
static int count_pieces(struct subpath_set *f, const struct analysis *a, uint32_t thread,
                        const size_t *entry, size_t n)
{
    struct hot_string *strings = malloc((n + 1) * sizeof *strings);
    uint64_t *frequency = malloc((n + 1) * sizeof *frequency);
    struct hot_pieces *pieces = malloc((n + 1) * sizeof *pieces);
    int status = HOT_E_MEMORY;

    if (strings && frequency && pieces) {
        for (size_t i = 0; i < n; i++) {
            const struct subpath_entry *e = &f->entries[entry[i]];

            strings[i] = (struct hot_string){ f->terminals + e->first, e->length };
            frequency[i] = e->frequency;
        }
        status = hot_count_pieces(a->g, a->cost, thread, strings, frequency, n, pieces);
        for (size_t i = 0; i < n; i++) {
            f->entries[entry[i]].own_cost = pieces[i].cost;
            f->entries[entry[i]].pieces = pieces[i].pieces;
        }
    }
    free(strings);
    free(frequency);
    free(pieces);
    return status;
}

static int find_own_costs(struct subpath_set *f, const struct analysis *a, uint32_t thread)
{
    size_t *overlapping = malloc((f->n_entries + 1) * sizeof *overlapping), n = 0;
    int status;

    if (!overlapping)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < f->n_entries; i++) {
        struct subpath_entry *e = &f->entries[i];

        e->own_cost = saturating_mul(e->frequency, e->unit_cost);
        e->pieces = e->frequency;
        if (e->period < e->length)
            overlapping[n++] = i;
    }
    status = n > 0 ? count_pieces(f, a, thread, overlapping, n) : HOT_OK;
    free(overlapping);
    return status;
}

/* ---- The public functions ------------------------------------------------------ */

static int find_exactly(struct hot_result *r, const struct analysis *a,
                        const struct hot_config *config)
{
    struct exact exact;
    int status;

    exact_init(&exact, a, !config->no_sample);
    status = config->min_cost ? find_at(a, &exact, config->min_cost, &r->found)
                              : find_about(a, &exact, config, r);
    exact_clear(&exact);
    return status;
}

static int find_all(struct hot_result *r, const struct wpp_grammar *g, const uint64_t *cost,
                    const struct hot_config *config)
{
    struct analysis a;
    int status = prepare(&a, g, cost, config);

    r->total_cost = a.total_cost;
    r->min_cost = config->min_cost;
    if (status == HOT_OK && config->algorithm == HOT_EXACT)
        status = find_exactly(r, &a, config);
    else if (status == HOT_OK)
        status = config->min_cost ? larus_find(&a, config->min_cost, &r->found)
                                  : find_about(&a, NULL, config, r);
    free(a.frequency);
    if (status == HOT_OK)
        status = find_own_costs(&r->found, &a, config->thread);
    if (status != HOT_OK)
        return status;
    assert(subpath_set_check(&r->found));
    subpath_set_sort(&r->found);
    if (config->algorithm == HOT_EXACT)
        return rotations_find(&r->found, &r->n_leaders);
    r->n_leaders = r->found.n_entries;
    for (size_t i = 0; i < r->n_leaders; i++)
        r->found.entries[i].leader = (uint32_t)i;
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
    subpath_set_init(&r->found);
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
    subpath_set_clear(&r->found);
    free(r);
}

/* One iteration of the entry's loop. */
static const uint32_t *loop_of(const struct subpath_set *f, const struct subpath_entry *e)
{
    if (!e->turn)
        return NULL;
    assert(e->turn <= e->length || f->turns);
    return e->turn <= e->length ? f->terminals + e->first : f->turns + e->cycle;
}

size_t hot_count(const hot_result *r)
{
    return r->found.n_entries;
}

size_t hot_count_leaders(const hot_result *r)
{
    return r->n_leaders;
}

struct hot_subpath hot_get(const hot_result *r, size_t index)
{
    const struct subpath_entry *e = &r->found.entries[index];

    assert(index < r->found.n_entries);
    return (struct hot_subpath){
        .terminals = r->found.terminals + e->first,
        .length = e->length,
        .unit_cost = e->unit_cost,
        .frequency = e->frequency,
        .cost = saturating_mul(e->frequency, e->unit_cost),
        .period = e->period,
        .own_unit_cost = e->own_unit,
        .own_cost = e->own_cost,
        .pieces = e->pieces,
        .leader = e->leader,
        .rotations = e->rotations,
        .turn = e->turn,
        .loop = loop_of(&r->found, e),
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
