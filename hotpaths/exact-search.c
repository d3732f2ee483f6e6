/* SPDX-License-Identifier: MIT */
/* exact-search.c - all minimal hot subpaths with their true frequencies; see exact-search.h.
 *
 * A candidate costs at least half of min_cost by the sample.  It is as short as possible: as soon
 * as it costs one and a half times min_cost, it is not extended ("given up").  Each hot subpath is
 * the beginning of a candidate, except with a probability that sample.h bounds.  Reported
 * frequencies are exact: they are counted in the whole grammar.  If a candidate that was given up
 * is not hot, the sample is searched again without giving up.
 */
#include "hotpaths/exact-search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/saturate.h"
#include "hotpaths/exhaustive/refine.h"
#include "hotpaths/sampled/candidate-counts.h"
#include "hotpaths/sampled/candidates.h"
#include "hotpaths/sampled/loop-candidates.h"
#include "hotpaths/sampled/sample.h"

/* Candidates that are not the beginning of another one, or that were given up. */
struct candidates {
    struct subpath_set found;
    uint64_t enough;            /* a candidate that costs this much by the sample was given up:
                                   it is assumed to be hot, and its extensions were not searched */
    uint32_t *order;            /* the found ones, sorted by their strings */
    struct hot_string *string;
    uint64_t *cost;             /* of each, according to the sample */
    size_t n;
    struct patterns patterns;
    uint64_t *times;            /* of each node */
};

static void candidates_clear(struct candidates *c)
{
    subpath_set_clear(&c->found);
    patterns_clear(&c->patterns);
    free(c->order);
    free(c->string);
    free(c->cost);
    free(c->times);
}

/* Sorts by strings; of equal ones the one with the largest weight comes last. */
static int by_terminals(const void *pa, const void *pb, void *found)
{
    const struct subpath_set *f = found;
    const struct subpath_entry *a = &f->entries[*(const uint32_t *)pa];
    const struct subpath_entry *b = &f->entries[*(const uint32_t *)pb];
    const uint32_t *x = f->terminals + a->first, *y = f->terminals + b->first;

    for (uint32_t i = 0; i < a->length && i < b->length; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->frequency < b->frequency ? -1 : a->frequency > b->frequency;
}

static bool begins_with(const struct subpath_set *f, const struct subpath_entry *a,
                        const struct subpath_entry *b)
{
    return a->length >= b->length && memcmp(f->terminals + a->first, f->terminals + b->first,
                                            b->length * sizeof *f->terminals) == 0;
}

static int list_candidates(struct candidates *c)
{
    const struct subpath_set *f = &c->found;

    c->order = malloc((f->n_entries + 1) * sizeof *c->order);
    c->string = malloc((f->n_entries + 1) * sizeof *c->string);
    c->cost = malloc((f->n_entries + 1) * sizeof *c->cost);
    if (!c->order || !c->string || !c->cost)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < f->n_entries; i++)
        c->order[i] = (uint32_t)i;
    qsort_r(c->order, f->n_entries, sizeof *c->order, by_terminals, &c->found);
    for (size_t i = 0; i < f->n_entries; i++) {
        const struct subpath_entry *e = &f->entries[c->order[i]];
        const struct subpath_entry *next =
            i + 1 < f->n_entries ? &f->entries[c->order[i + 1]] : NULL;
        uint64_t cost = saturating_mul(e->frequency, e->unit_cost);

        if (next && begins_with(f, next, e) && (cost < c->enough || next->length == e->length))
            continue;
        c->string[c->n] = (struct hot_string){ f->terminals + e->first, e->length };
        c->cost[c->n++] = cost;
    }
    return HOT_OK;
}

static int count_candidates(struct candidates *c, const struct exact *e)
{
    if (patterns_init(&c->patterns, c->string, c->n, false) != HOT_OK)
        return HOT_E_MEMORY;
    c->times = malloc((size_t)c->patterns.n * sizeof *c->times);
    return c->times ? candidate_counts_find(e->a, e->a->min_length, &c->patterns, c->times)
                    : HOT_E_MEMORY;
}

/* Adds the shortest hot beginning of a candidate to `out`, unless another candidate has the same
 * one.  False: no beginning is hot. */
static bool report(const struct candidates *c, size_t i, const struct analysis *a,
                   uint64_t min_cost, struct subpath_set *out, int *status)
{
    const uint32_t *string = c->string[i].terminals;
    uint32_t node = 0;
    uint64_t cost = 0;

    for (uint32_t n = 1; n <= c->string[i].length; n++) {
        node = patterns_next(&c->patterns, node, string[n - 1]);
        assert(c->patterns.node[node].depth == n);       /* the candidate's own node */
        cost += a->cost[string[n - 1]];
        if (n < a->min_length || unit_cost_needed(c->times[node], min_cost) > cost)
            continue;
        if (i == 0 || c->string[i - 1].length < n ||
            memcmp(c->string[i - 1].terminals, string, n * sizeof *string) != 0)
            *status = subpath_set_add(out, string, n, cost, c->times[node]);
        return true;
    }
    return false;
}

/* Loops are added first: subpath_set_append drops a string that the next one begins with, also one
 * that was given up. */
static int find_candidates(struct candidates *c, const struct exact *e, const struct sample *sample,
                           uint64_t min_cost, bool give_up)
{
    assert(sample->unit > 0);
    uint64_t hits = min_cost / sample->unit, enough = give_up ? hits + hits / 2 : UINT64_MAX;
    int status = loop_candidates_find(e->a, &e->walks, min_cost, &c->found);

    c->enough = saturating_mul(enough, sample->unit);
    if (status == HOT_OK)
        status = candidates_find(sample, e->a, (hits + SAMPLE_MARGIN - 1) / SAMPLE_MARGIN, enough,
                                 &c->found);
    return status == HOT_OK ? list_candidates(c) : status;
}

/* *sure: all candidates that were given up are hot. */
static int search_sample(const struct exact *e, const struct sample *sample, uint64_t min_cost,
                         bool give_up, struct subpath_set *out, bool *sure)
{
    struct candidates c = { 0 };
    int status;

    subpath_set_init(&c.found);
    status = find_candidates(&c, e, sample, min_cost, give_up);
    if (status == HOT_OK)
        status = count_candidates(&c, e);
    *sure = true;
    for (size_t i = 0; status == HOT_OK && i < c.n; i++)
        if (!report(&c, i, e->a, min_cost, out, &status) && c.cost[i] >= c.enough)
            *sure = false;
    candidates_clear(&c);
    return status;
}

/* May also return SAMPLE_TOO_MUCH. */
static int find_sampled(struct exact *e, uint64_t min_cost, struct subpath_set *out)
{
    struct sample sample;
    bool sure = true;
    int status;

    if (!e->has_walks) {
        e->has_walks = true;
        if (rule_walks_init(&e->walks, e->a->g, e->a->max_length) != HOT_OK)
            return HOT_E_MEMORY;
    }
    status = sample_take(&sample, &e->walks, e->a, min_cost);
    if (status == HOT_OK)
        status = search_sample(e, &sample, min_cost, true, out, &sure);
    if (status == HOT_OK && !sure) {
        subpath_set_clear(out);
        status = search_sample(e, &sample, min_cost, false, out, &sure);
    }
    sample_clear(&sample);
    return status;
}

void exact_init(struct exact *e, const struct analysis *a, bool sampling)
{
    *e = (struct exact){ .a = a, .sampling = sampling };
}

void exact_clear(struct exact *e)
{
    if (e->has_walks)
        rule_walks_clear(&e->walks);
    if (e->has_filter)
        border_filter_clear(&e->filter);
    *e = (struct exact){ 0 };
}

static int find_everywhere(struct exact *e, uint64_t min_cost, struct subpath_set *out)
{
    if (!e->has_filter) {
        e->has_filter = true;
        if (border_filter_init(&e->filter, e->a) != HOT_OK)
            return HOT_E_MEMORY;
    }
    return refine_find(&e->filter, min_cost, out);
}

int exact_find(struct exact *e, uint64_t min_cost, struct subpath_set *out)
{
    int status;

    assert(min_cost > 0 && out->n_entries == 0);
    if (!e->sampling || !sample_pays(e->a, min_cost))
        return find_everywhere(e, min_cost, out);
    status = find_sampled(e, min_cost, out);
    if (status != SAMPLE_TOO_MUCH)
        return status;
    subpath_set_clear(out);
    return find_everywhere(e, min_cost, out);
}
