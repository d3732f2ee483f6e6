/* SPDX-License-Identifier: MIT */
/* places.c - places where hot subpaths can begin; see places.h. */
#include "hotpaths/exhaustive/places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"

/* A text, x[0 .. n), with the border before x[middle]. */
struct reading {
    const struct border_filter *s;
    uint64_t min_cost, least;
    const struct texts *texts;
    uint32_t number;            /* of the text */
    const struct text *t;
    const uint32_t *x;
    uint64_t *count;            /* of the gram that begins at the index */
    uint32_t *rarer;            /* the next gram with a smaller count, or n */
    uint64_t *cost;             /* of the text from the index on, modulo 2^64 */
    uint64_t *hash;             /* of the string that begins at the index, as long as prefixes */
    size_t size;
    uint32_t limit;             /* the end of strings that begin at the current index */
};

static int reading_begin(struct reading *r, const struct texts *texts,
                         const struct border_filter *s, uint64_t min_cost)
{
    *r = (struct reading){ .s = s, .min_cost = min_cost, .least = border_filter_least(s, min_cost),
                           .texts = texts };
    for (size_t i = 0; i < texts->n; i++)
        r->size = texts->entry[i].n > r->size ? texts->entry[i].n : r->size;
    r->count = malloc((r->size + 1) * sizeof *r->count);
    r->rarer = malloc((r->size + 1) * sizeof *r->rarer);
    r->cost = malloc((r->size + 1) * sizeof *r->cost);
    r->hash = malloc((r->size + 1) * sizeof *r->hash);
    return r->count && r->rarer && r->cost && r->hash ? HOT_OK : HOT_E_MEMORY;
}

static void reading_end(struct reading *r)
{
    free(r->count);
    free(r->rarer);
    free(r->cost);
    free(r->hash);
}

/* Hashes of all strings of this length. */
static void hash_strings(const struct reading *r, uint32_t length, uint64_t power)
{
    uint32_t i = r->t->n;

    if (length > i)
        return;
    i -= length;
    r->hash[i] = rolling_hash(r->x + i, length);
    while (i-- > 0)
        r->hash[i] = rolling_left(r->hash[i + 1], power, r->x[i], r->x[i + length]);
}

static void read_text(struct reading *r, uint32_t number)
{
    const struct gram_counts *grams = &r->s->grams;

    assert(number < r->texts->n && r->texts->entry[number].n <= r->size);
    r->number = number;
    r->t = &r->texts->entry[number];
    r->x = r->texts->symbols + r->t->at;
    r->limit = r->t->n;
    r->cost[r->t->n] = 0;
    for (uint32_t i = r->t->n; i-- > 0;)
        r->cost[i] = r->cost[i + 1] + r->s->a->cost[r->x[i]];
    hash_strings(r, grams->length, grams->power[grams->length - 1]);
    for (uint32_t i = 0; i + grams->length <= r->t->n; i++)
        r->count[i] = gram_counts_get(grams, r->hash[i]);
    for (uint32_t i = r->t->n < grams->length ? 0 : r->t->n - grams->length + 1; i-- > 0;) {
        uint32_t j = i + 1;

        while (j + grams->length <= r->t->n && r->count[j] >= r->count[i])
            j = r->rarer[j];
        r->rarer[i] = j + grams->length <= r->t->n ? j : r->t->n;
    }
}

/* Updates the limit for strings that begin at index i; indices come from right to left. */
static void move_limit(struct reading *r, uint32_t i)
{
    uint32_t k = r->s->grams.length;

    if (i + k <= r->limit && r->count[i] < r->least)
        r->limit = i + k - 1;
}

/* The most that a hot subpath that begins at index i can cost; 0: there is none. */
static uint64_t reach_of(const struct reading *r, uint32_t i, uint32_t counts_from)
{
    uint64_t most = r->s->a->max_length, least = UINT64_MAX, reach = 0, cost, known;
    struct border_filter_rest rest;
    uint32_t k = r->s->grams.length, end = r->limit - i < most ? r->limit : i + (uint32_t)most;

    /* Of the strings with the same least count the longest costs most. */
    for (uint32_t g = i; g + k <= end; g = r->rarer[g]) {
        assert(r->rarer[g] > g);
        uint32_t e = r->rarer[g] - 1 + k < end ? r->rarer[g] - 1 + k : end;

        least = r->count[g];
        cost = r->cost[i] - r->cost[e];
        if (e - i >= counts_from && can_cost(least, cost, r->min_cost))
            reach = cost;
    }
    if (!r->t->right_open || end < r->t->n || end - i >= most)
        return reach;
    known = r->cost[r->t->n_before];
    rest.n = most - (end - i);
    rest.known = r->t->after > known ? r->t->after - known : 0;
    rest.missing = r->t->missing;
    cost = border_filter_reach(r->s, r->min_cost, r->least, least, r->cost[i] - r->cost[end], rest);
    return cost ? cost : reach;
}

/* The place at index i, for strings of at least `length` terminals; false: no hot subpath begins
 * there. */
static bool is_place(struct reading *r, uint32_t i, uint32_t length, struct place *p)
{
    uint32_t most = r->s->a->max_length, limit = r->limit - i;

    assert(i < r->t->n_before && i <= r->limit && r->limit <= r->t->n);
    *p = (struct place){ .at = r->t->at + i, .text = r->number,
                         .limit = limit < most ? limit : most,
                         .counts_from = r->t->terminal ? 1 : r->t->n_before - i + 1 };
    if (r->limit < i + length || p->limit < p->counts_from)
        return false;
    p->reach = reach_of(r, i, p->counts_from);
    return p->reach > 0;
}

/* ---- Counting -------------------------------------------------------------------------- */

static int count_text(struct prefix_set *prefixes, struct reading *r)
{
    uint32_t k = prefixes->length;
    struct place p;

    for (uint32_t i = r->t->n; i-- > 0;) {
        move_limit(r, i);
        if (i >= r->t->n_before)
            continue;
        if (!r->t->terminal && r->t->n_before - i + 1 > k)
            return HOT_OK;
        if (is_place(r, i, k, &p) &&
            prefix_set_add(prefixes, r->x + i, r->hash[i], r->t->frequency, p.reach) != HOT_OK)
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

int places_count(struct prefix_set *prefixes, const struct texts *texts,
                 const struct border_filter *s, uint64_t min_cost)
{
    struct reading r;
    int status = reading_begin(&r, texts, s, min_cost);

    assert(prefixes->length == s->grams.length);
    for (size_t i = 0; status == HOT_OK && i < texts->n; i++) {
        read_text(&r, (uint32_t)i);
        status = count_text(prefixes, &r);
    }
    reading_end(&r);
    return status;
}

/* ---- Collecting ------------------------------------------------------------------------ */

static int collect_text(struct places *out, struct reading *r, const struct prefix_set *prefixes)
{
    uint32_t length = prefixes->length;
    struct place p;

    for (uint32_t i = r->t->n; i-- > 0;) {
        uint32_t prefix;

        move_limit(r, i);
        if (i >= r->t->n_before || i + length >= r->limit)
            continue;
        prefix = prefix_set_find(prefixes, r->x + i, r->hash[i]);
        if (prefix == NO_PREFIX || !is_place(r, i, length, &p) || p.limit == length ||
            !can_cost(prefixes->entry[prefix].frequency, p.reach, r->min_cost))
            continue;
        if (GROW(out->place, out->size, out->n + 1) != HOT_OK)
            return HOT_E_MEMORY;
        p.prefix = prefix;
        out->place[out->n++] = p;
    }
    return HOT_OK;
}

int places_collect(struct places *p, const struct texts *texts, const struct prefix_set *prefixes,
                   const struct border_filter *s, uint64_t min_cost)
{
    struct reading r;
    int status = reading_begin(&r, texts, s, min_cost);

    p->n = 0;
    for (size_t i = 0; status == HOT_OK && i < texts->n; i++) {
        read_text(&r, (uint32_t)i);
        hash_strings(&r, prefixes->length, prefixes->power);
        status = collect_text(p, &r, prefixes);
    }
    reading_end(&r);
    return status;
}

void places_clear(struct places *p)
{
    free(p->place);
    *p = (struct places){ 0 };
}
