/* SPDX-License-Identifier: MIT */
/* exact.c - all minimal hot subpaths with their true frequencies.
 *
 *      few borders     all of them are searched (rounds.h): what is found is the answer
 *      many            sample -> candidates -> their true frequencies (tally.h) -> the answer
 *
 * Candidates are strings that cost a third of what is asked for, or more, by the sample, up to
 * the first that costs so much that it is hot in truth.  What is hot is among them but for a
 * chance that sample.h bounds; what is reported was counted everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/rounds.h"
#include "hotpaths/saturate.h"
#include "hotpaths/tally.h"

/* The candidates that no other begins with. */
struct candidates {
    struct found found;
    uint32_t *order;            /* of the found, by their strings */
    struct hot_string *string;
    uint64_t *cost;             /* of each, by the sample */
    size_t n;
    struct patterns patterns;
    uint64_t *times;            /* of each node */
};

static void candidates_clear(struct candidates *c)
{
    found_clear(&c->found);
    patterns_clear(&c->patterns);
    free(c->order);
    free(c->string);
    free(c->cost);
    free(c->times);
}

static int by_terminals(const void *pa, const void *pb, void *found)
{
    const struct found *f = found;
    const struct found_entry *a = &f->entries[*(const uint32_t *)pa];
    const struct found_entry *b = &f->entries[*(const uint32_t *)pb];
    const uint32_t *x = f->terminals + a->first, *y = f->terminals + b->first;

    for (uint32_t i = 0; i < a->length && i < b->length; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return a->length < b->length ? -1 : a->length > b->length;
}

static bool begins_with(const struct found *f, const struct found_entry *a,
                        const struct found_entry *b)
{
    return a->length >= b->length && memcmp(f->terminals + a->first, f->terminals + b->first,
                                            b->length * sizeof *f->terminals) == 0;
}

static int list_candidates(struct candidates *c)
{
    const struct found *f = &c->found;

    c->order = malloc((f->n_entries + 1) * sizeof *c->order);
    c->string = malloc((f->n_entries + 1) * sizeof *c->string);
    c->cost = malloc((f->n_entries + 1) * sizeof *c->cost);
    if (!c->order || !c->string || !c->cost)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < f->n_entries; i++)
        c->order[i] = (uint32_t)i;
    qsort_r(c->order, f->n_entries, sizeof *c->order, by_terminals, &c->found);
    for (size_t i = 0; i < f->n_entries; i++) {
        const struct found_entry *e = &f->entries[c->order[i]];

        if (i + 1 < f->n_entries && begins_with(f, &f->entries[c->order[i + 1]], e))
            continue;
        c->string[c->n] = (struct hot_string){ f->terminals + e->first, e->length };
        c->cost[c->n++] = saturating_mul(e->frequency, e->unit_cost);
    }
    return HOT_OK;
}

static int count_candidates(struct candidates *c, const struct analysis *a)
{
    if (patterns_init(&c->patterns, c->string, c->n, false) != HOT_OK)
        return HOT_E_MEMORY;
    c->times = malloc((size_t)c->patterns.n * sizeof *c->times);
    return c->times ? tally_count(a, a->min_length, &c->patterns, c->times) : HOT_E_MEMORY;
}

/* Adds the shortest beginning of a candidate that is hot to `out`, unless another one begins
 * with it too; false: none is. */
static bool report(const struct candidates *c, size_t i, const struct analysis *a,
                   uint64_t min_cost, struct found *out, int *status)
{
    const uint32_t *string = c->string[i].terminals;
    uint32_t node = 0;
    uint64_t cost = 0;

    for (uint32_t n = 1; n <= c->string[i].length; n++) {
        node = patterns_next(&c->patterns, node, string[n - 1]);
        cost += a->cost[string[n - 1]];
        if (n < a->min_length || unit_cost_needed(c->times[node], min_cost) > cost)
            continue;
        if (i == 0 || c->string[i - 1].length < n ||
            memcmp(c->string[i - 1].terminals, string, n * sizeof *string) != 0)
            *status = found_add(out, string, n, cost, c->times[node]);
        return true;
    }
    return false;
}

/* *sure: no candidate was given up for hot that is not. */
static int find_sampled(struct sieve *sieve, uint64_t min_cost, struct found *out, bool *sure)
{
    uint64_t candidate = min_cost / SAMPLE_MARGIN, enough = saturating_mul(min_cost, 2);
    struct candidates c = { 0 };
    int status;

    found_init(&c.found);
    status = rounds_find(sieve, candidate ? candidate : 1, enough, &c.found);
    if (status == HOT_OK)
        status = list_candidates(&c);
    if (status == HOT_OK)
        status = count_candidates(&c, sieve->a);
    *sure = true;
    for (size_t i = 0; status == HOT_OK && i < c.n; i++)
        if (!report(&c, i, sieve->a, min_cost, out, &status) && c.cost[i] >= enough)
            *sure = false;
    candidates_clear(&c);
    return status;
}

int exact_find(struct sieve *sieve, uint64_t min_cost, struct found *out)
{
    int status = sieve_sample(sieve, min_cost);
    bool sure = true;

    if (status == HOT_OK && !sieve->sample.all) {
        status = find_sampled(sieve, min_cost, out, &sure);
        if (sure)
            return status;
        found_clear(out);
        sieve_take_all(sieve);
    }
    return status == HOT_OK ? rounds_find(sieve, min_cost, min_cost, out) : status;
}
