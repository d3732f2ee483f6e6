/* SPDX-License-Identifier: MIT */
/* refine.c - hot strings in the texts around borders; see refine.h.
 *
 * A round begins with strings of n terminals with which hot subpaths can begin (in the first round
 * these are grams).  It finds their places in the texts around borders and groups them by the
 * string that begins there, one more terminal at a time, depth first, up to 2 n terminals (at
 * first, as far as the filter's texts go).  The strings that are left begin the next round.
 *
 *      prefixes, n long ->  places that begin with one and count from 2 n or less
 *                              |
 *                         groups: hot   reported, its extensions are not minimal
 *                                 cold  dropped
 *                                 2 n long and neither: prefixes of the next round
 *
 * A round need not read the many places that count from more than 2 n terminals: most of those
 * begin with a hot or cold string, which the next round already knows.
 *
 * A group is a string of d terminals and all places with it where a hot subpath can begin and that
 * count from d or less (places that count from more wait in it).  Its frequency is the sum of those
 * of the counting places' texts.  While all its places go on equally, the group changes only where
 * a waiting place begins to count, and where it becomes hot: lengths in between are skipped.
 *
 * Invariant: let w be a hot subpath that begins with the group's string u.  Each occurrence of w is
 * one of u, and no place of u there has been dropped: a place's reach is at least the cost of w,
 * also if w ends in a rule above; the bounds for frequencies hold for all strings that begin with
 * u.  So
 *   - no extension of u is more frequent than the group;
 *   - the frequency of a hot group is exact.
 */
#include "hotpaths/exhaustive/refine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"
#include "hotpaths/exhaustive/gather.h"
#include "hotpaths/exhaustive/places.h"

#define END UINT32_MAX      /* no terminal: beyond the place's limit */

/* Places [begin, end) have equal strings of `length` terminals. */
struct group {
    size_t begin, end;
    uint32_t length;
    uint32_t equal;         /* the places' strings are known to be equal up to this length, or 0 */
    bool is_new;            /* not judged yet; else to be split further */
    uint64_t unit_cost;
    uint64_t at_most;       /* no extension is more frequent */
};

struct search {
    struct border_filter *filter;
    const struct analysis *a;
    uint64_t min_cost;
    struct subpath_set *out;
    struct prefix_set prefixes, next;
    uint32_t longest;       /* the longest string of this round; the length of the next one's
                               prefixes */
    struct texts *texts;    /* around borders: those of the filter, later those gathered */
    struct gathered gathered;
    struct places places;
    struct group *stack;
    size_t n_stack, stack_size;
};

static bool is_hot(const struct search *s, uint64_t frequency, uint64_t unit_cost)
{
    return unit_cost_needed(frequency, s->min_cost) <= unit_cost;
}

static int push_group(struct search *s, struct group group)
{
    assert(group.begin <= group.end && group.end <= s->places.n);
    if (group.begin == group.end)
        return HOT_OK;
    if (GROW(s->stack, s->stack_size, s->n_stack + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->stack[s->n_stack++] = group;
    return HOT_OK;
}

/* ---- Judging groups ------------------------------------------------------------------- */

static uint64_t sum_group(const struct search *s, const struct group *group)
{
    uint64_t sum = 0;

    for (size_t i = group->begin; i < group->end; i++)
        if (s->places.place[i].counts_from <= group->length)
            sum = saturating_add(sum, s->texts->entry[s->places.place[i].text].frequency);
    return sum;
}

static const uint32_t *text_of(const struct search *s, const struct group *group)
{
    return s->texts->symbols + s->places.place[group->begin].at;
}

/* Removes the places whose reach is less than `needed` from the group; returns the largest reach of
 * the others. */
static uint64_t narrow(struct search *s, struct group *group, uint64_t needed)
{
    size_t kept = group->begin;
    uint64_t most = 0;

    for (size_t i = group->begin; i < group->end; i++) {
        const struct place p = s->places.place[i];

        if (p.reach < needed)
            continue;
        s->places.place[kept++] = p;
        most = p.reach > most ? p.reach : most;
    }
    group->end = kept;
    return most;
}

/* Makes the group's string a prefix of the next round; its places' texts are near. */
static int survive(struct search *s, const struct group *group, uint64_t reach)
{
    const uint32_t *text = text_of(s, group);

    assert(group->length == s->longest && group->begin < group->end);
    for (size_t i = group->begin; i < group->end; i++)
        s->texts->entry[s->places.place[i].text].near = true;
    return prefix_set_add(&s->next, text, rolling_hash(text, s->longest), group->at_most, reach);
}

/* Reports the group if it is hot.  Else narrows it, and at the round's end makes it a prefix of the
 * next one.  True when it is to be refined. */
static bool judge(struct search *s, struct group *group, int *status)
{
    uint64_t frequency = sum_group(s, group), reach;

    assert(group->length <= s->longest);
    if (group->length >= s->a->min_length && is_hot(s, frequency, group->unit_cost)) {
        *status = subpath_set_add(s->out, text_of(s, group), group->length, group->unit_cost,
                                  frequency);
        return false;
    }
    if (frequency < group->at_most)
        group->at_most = frequency;
    reach = narrow(s, group, unit_cost_needed(group->at_most, s->min_cost));
    if (group->end == group->begin || group->length < s->longest)
        return group->end > group->begin;
    if (s->longest < s->a->max_length)
        *status = survive(s, group, reach);
    return false;
}

/* ---- Sorting places ---------------------------------------------------------------------- */

static uint32_t next_symbol(const struct search *s, size_t place, uint32_t length)
{
    const struct place *p = &s->places.place[place];

    return length < p->limit ? s->texts->symbols[p->at + length] : END;
}

static void swap_places(struct search *s, size_t i, size_t j)
{
    struct place p = s->places.place[i];

    s->places.place[i] = s->places.place[j];
    s->places.place[j] = p;
}

/* One step of multikey quicksort: splits the group by its next terminal into those below, equal to
 * and above that of the place in its middle. */
static int split(struct search *s, const struct group *group)
{
    uint32_t pivot = next_symbol(s, group->begin + (group->end - group->begin) / 2, group->length);
    size_t below = group->begin, at = group->begin, above = group->end;
    struct group part = *group;

    while (at < above) {
        uint32_t symbol = next_symbol(s, at, group->length);

        if (symbol < pivot)
            swap_places(s, below++, at++);
        else if (symbol > pivot)
            swap_places(s, at, --above);
        else
            at++;
    }
    assert(below < above && above <= group->end);        /* the pivot belongs to the group */
    part.end = below;
    if (push_group(s, part) != HOT_OK)
        return HOT_E_MEMORY;
    part.begin = above;
    part.end = group->end;
    if (push_group(s, part) != HOT_OK)
        return HOT_E_MEMORY;
    if (pivot == END)
        return HOT_OK;
    return push_group(s, (struct group){
        .begin = below, .end = above, .length = group->length + 1, .is_new = true,
        .unit_cost = group->unit_cost + s->a->cost[pivot], .at_most = group->at_most,
    });
}

/* Up to which length the strings of the group's places are equal, at most the round's length. */
static uint32_t equal_up_to(const struct search *s, const struct group *group)
{
    enum { PIECE = 32 };
    const struct place *first = &s->places.place[group->begin];
    const uint32_t *x = s->texts->symbols + first->at;
    uint32_t n = first->limit < s->longest ? first->limit : s->longest;

    for (size_t i = group->begin + 1; i < group->end && n > group->length; i++) {
        const struct place *p = &s->places.place[i];
        const uint32_t *y = s->texts->symbols + p->at;
        uint32_t k = group->length;

        n = p->limit < n ? p->limit : n;
        while (k + PIECE <= n && memcmp(x + k, y + k, PIECE * sizeof *x) == 0)
            k += PIECE;
        while (k < n && x[k] == y[k])
            k++;
        n = k;
    }
    return n;
}

/* Extends the group, which has been judged, to the next length at which it changes: its frequency
 * differs, or it is hot, or its strings differ after that. */
static struct group skip(const struct search *s, struct group group)
{
    const uint32_t *text = text_of(s, &group);
    uint32_t next = group.equal;
    uint64_t frequency = 0, needed;

    assert(group.length < group.equal && group.equal <= s->longest);
    for (size_t i = group.begin; i < group.end; i++) {
        const struct place *p = &s->places.place[i];

        if (p->counts_from <= group.length)
            frequency = saturating_add(frequency, s->texts->entry[p->text].frequency);
        else if (p->counts_from < next)
            next = p->counts_from;
    }
    needed = unit_cost_needed(frequency, s->min_cost);
    do
        group.unit_cost += s->a->cost[text[group.length++]];
    while (group.length < next && (group.length < s->a->min_length || group.unit_cost < needed));
    group.is_new = true;
    return group;
}

static int refine_all(struct search *s)
{
    int status = HOT_OK;

    while (status == HOT_OK && s->n_stack > 0) {
        struct group group = s->stack[--s->n_stack];

        if (group.is_new && !judge(s, &group, &status))
            continue;
        if (group.equal <= group.length)
            group.equal = equal_up_to(s, &group);
        if (group.equal > group.length) {
            status = push_group(s, skip(s, group));
            continue;
        }
        group.is_new = false;
        group.equal = 0;
        status = split(s, &group);
    }
    return status;
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static uint64_t cost_of(const struct search *s, const uint32_t *text, uint32_t length)
{
    uint64_t cost = 0;

    for (uint32_t i = 0; i < length; i++)
        cost += s->a->cost[text[i]];
    return cost;
}

/* Takes the grams with which hot subpaths begin: reports the hot ones, keeps those that may be
 * extended. */
static int first_round(struct search *s)
{
    struct prefix_set all;
    int status;

    prefix_set_init(&all, s->filter->grams.length);
    status = places_count(&all, s->texts, s->filter, s->min_cost);
    for (size_t i = 0; status == HOT_OK && i < all.n; i++) {
        const uint32_t *text = all.text + i * all.length;
        uint64_t cost = cost_of(s, text, all.length), frequency = all.entry[i].frequency;

        if (all.length == s->a->min_length && is_hot(s, frequency, cost)) {
            status = subpath_set_add(s->out, text, all.length, cost, frequency);
            continue;
        }
        if (status == HOT_OK && is_hot(s, frequency, all.entry[i].reach))
            status = prefix_set_add(&s->prefixes, text, rolling_hash(text, all.length), frequency,
                                    all.entry[i].reach);
    }
    prefix_set_clear(&all);
    return status;
}

/* Sorts the places by their prefix: a group for each. */
static int group_by_prefix(struct search *s)
{
    struct places *p = &s->places;
    size_t n = s->prefixes.n, *begin = calloc(n + 1, sizeof *begin);
    struct place *sorted = malloc((p->n + 1) * sizeof *sorted);
    int status = begin && sorted ? HOT_OK : HOT_E_MEMORY;

    for (size_t i = 0; status == HOT_OK && i < p->n; i++) {
        assert(p->place[i].prefix < n);
        begin[p->place[i].prefix + 1]++;
    }
    for (size_t i = 0; status == HOT_OK && i < n; i++) {
        begin[i + 1] += begin[i];
        status = push_group(s, (struct group){
            .begin = begin[i], .end = begin[i + 1], .length = s->prefixes.length,
            .unit_cost = cost_of(s, s->prefixes.text + i * s->prefixes.length, s->prefixes.length),
            .at_most = s->prefixes.entry[i].frequency,
        });
    }
    for (size_t i = 0; status == HOT_OK && i < p->n; i++)
        sorted[begin[p->place[i].prefix]++] = p->place[i];
    free(begin);
    if (status != HOT_OK) {
        free(sorted);
        return HOT_E_MEMORY;
    }
    free(p->place);
    p->place = sorted;
    p->size = p->n + 1;
    return HOT_OK;
}

/* Sorts and splits the places of the prefixes; s->next is what is left. */
static int search_texts(struct search *s)
{
    int status = places_collect(&s->places, s->texts, &s->prefixes, s->filter, s->min_cost);

    for (size_t i = 0; i < s->texts->n; i++)
        s->texts->entry[i].near = false;
    if (status == HOT_OK)
        status = group_by_prefix(s);
    return status == HOT_OK ? refine_all(s) : status;
}

/* One round.  The first ones search the filter's texts around borders, as far as these go. */
static int round_of(struct search *s)
{
    uint32_t length = s->prefixes.length, most = s->a->max_length;
    bool first = s->texts == &s->filter->texts;
    int status = HOT_OK;

    s->longest = most / 2 < length ? most : 2 * length;
    if (first && length <= END_MOST) {
        s->longest = most < END_MOST + 1 ? most : END_MOST + 1;
    } else {
        if (first)
            status = gathered_begin(&s->gathered, s->filter);
        if (status == HOT_OK)
            status = gathered_extend(&s->gathered, &s->prefixes, s->longest, s->filter,
                                     s->min_cost);
        s->texts = &s->gathered.texts;
    }
    assert(s->longest > length && s->longest <= most);   /* each round sees more than the one
                                                            before */
    prefix_set_init(&s->next, s->longest);
    if (status == HOT_OK)
        status = search_texts(s);
    prefix_set_clear(&s->prefixes);
    s->prefixes = s->next;
    return status;
}

int refine_find(struct border_filter *filter, uint64_t min_cost, struct subpath_set *out)
{
    struct search s = { .filter = filter, .a = filter->a, .min_cost = min_cost, .out = out,
                        .texts = &filter->texts };
    int status = border_filter_use(filter, min_cost);

    gathered_init(&s.gathered);
    prefix_set_init(&s.prefixes, filter->grams.length);
    if (status == HOT_OK)
        status = first_round(&s);
    while (status == HOT_OK && s.prefixes.n > 0 && s.prefixes.length < s.a->max_length)
        status = round_of(&s);
    prefix_set_clear(&s.prefixes);
    gathered_clear(&s.gathered);
    places_clear(&s.places);
    free(s.stack);
    return status;
}
