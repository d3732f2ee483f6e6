/* SPDX-License-Identifier: MIT */
/* shown-answers.c - the subpaths that are shown; see shown-answers.h. */
#include "hotpaths/report/shown-answers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/saturate.h"
#include "hotpaths/strings/rotations.h"

int shown_choose(struct shown_list *s, const hot_result *result, bool rotations, size_t top)
{
    s->rotations = rotations;
    s->item = calloc(hot_count(result) + 1, sizeof *s->item);
    if (!s->item)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < hot_count(result); i++) {
        struct hot_subpath p = hot_get(result, i);

        if (!rotations && p.leader != i)
            continue;
        if (s->n_all++ < top)
            s->item[s->n++].path = p;
    }
    return HOT_OK;
}

void shown_clear(struct shown_list *s)
{
    for (size_t i = 0; s->item && i < s->n; i++) {
        free(s->item[i].grown);
        outline_free(&s->item[i].outline);
        free(s->item[i].folds);
    }
    free(s->item);
    free(s->by_thread);
    *s = (struct shown_list){ 0 };
}

/* Sorts by own cost, the most expensive first, as in the result. */
static void rank(struct shown_list *s)
{
    for (size_t i = 1; i < s->n; i++) {
        struct shown moving = s->item[i];
        size_t at = i;

        for (; at > 0 && s->item[at - 1].path.own_cost < moving.path.own_cost; at--)
            s->item[at] = s->item[at - 1];
        s->item[at] = moving;
    }
    for (size_t i = 1; i < s->n; i++)
        assert(s->item[i - 1].path.own_cost >= s->item[i].path.own_cost);
}

/* The i-th of the chosen ones; without `which`, of all. */
static struct shown *chosen(const struct shown_list *s, const size_t *which, size_t i)
{
    return &s->item[which ? which[i] : i];
}

/* Strings as input for hotpaths.h; NULL: no memory. */
static struct hot_string *strings_of_some(const struct shown_list *s, const size_t *which, size_t n)
{
    struct hot_string *strings = malloc((n + 1) * sizeof *strings);

    for (size_t i = 0; strings && i < n; i++) {
        const struct hot_subpath *p = &chosen(s, which, i)->path;

        strings[i] = (struct hot_string){ p->terminals, p->length };
    }
    return strings;
}

static struct hot_string *strings_of(const struct shown_list *s)
{
    return strings_of_some(s, NULL, s->n);
}

/* ---- Extending --------------------------------------------------------------------------- */

/* Whether the string follows its loop from end to end. */
static bool is_all_loop(const struct hot_subpath *p)
{
    for (uint32_t i = p->turn; i < p->length; i++)
        if (p->terminals[i] != p->terminals[i - p->turn])
            return false;
    return p->turn > 0;
}

/* Measures everything except the cost of its occurrences together. */
static int measure_grown(const struct shown_list *s, struct hot_subpath *p)
{
    uint32_t *scratch = malloc(p->length * sizeof *scratch);

    assert(p->length > 0 && p->frequency > 0);

    if (!scratch)
        return HOT_E_MEMORY;
    p->period = rotations_period(p->terminals, p->length, scratch);
    p->unit_cost = p->own_unit_cost = 0;
    for (uint32_t k = 0; k < p->length; k++) {
        p->unit_cost = saturating_add(p->unit_cost, s->cost[p->terminals[k]]);
        if (k < p->period)
            p->own_unit_cost = p->unit_cost;
    }
    assert(p->period > 0 && p->period <= p->length && p->own_unit_cost <= p->unit_cost);
    p->cost = saturating_mul(p->frequency, p->unit_cost);
    if (!is_all_loop(p)) {
        p->turn = 0;
        p->loop = NULL;
    }
    free(scratch);
    return HOT_OK;
}

static int measure_together(struct shown_list *s)
{
    struct hot_string *strings = strings_of(s);
    uint64_t *frequency = malloc((s->n + 1) * sizeof *frequency);
    struct hot_pieces *pieces = malloc((s->n + 1) * sizeof *pieces);
    int status = HOT_E_MEMORY;

    for (size_t i = 0; frequency && i < s->n; i++)
        frequency[i] = s->item[i].path.frequency;
    if (strings && frequency && pieces)
        status = hot_count_pieces(s->g, s->cost, s->thread, strings, frequency, s->n, pieces);
    for (size_t i = 0; status == HOT_OK && i < s->n; i++) {
        assert(pieces[i].pieces <= frequency[i]);
        s->item[i].path.own_cost = pieces[i].cost;
        s->item[i].path.pieces = pieces[i].pieces;
    }
    free(strings);
    free(frequency);
    free(pieces);
    return status;
}

static bool same_string(const struct hot_subpath *a, const struct hot_subpath *b)
{
    return a->length == b->length &&
           memcmp(a->terminals, b->terminals, a->length * sizeof *a->terminals) == 0;
}

/* Keeps only the first of equal ones. */
static void drop_equals(struct shown_list *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        size_t k = 0;

        while (k < kept && !same_string(&s->item[k].path, &s->item[i].path))
            k++;
        if (k == kept)
            s->item[kept++] = s->item[i];
        else
            free(s->item[i].grown);
    }
    assert(kept <= s->n && s->n <= s->n_all);
    s->n_all -= s->n - kept;
    s->n = kept;
}

int shown_extend(struct shown_list *s, uint32_t most)
{
    uint32_t **terminals = calloc(s->n + 1, sizeof *terminals);
    uint32_t *length = calloc(s->n + 1, sizeof *length);
    uint64_t *frequency = calloc(s->n + 1, sizeof *frequency);
    int status = terminals && length && frequency ? HOT_OK : HOT_E_MEMORY;

    for (size_t i = 0; i < s->n && status == HOT_OK; i++) {
        const struct hot_subpath *p = &s->item[i].path;

        terminals[i] = malloc(p->length * sizeof **terminals);
        if (!terminals[i])
            status = HOT_E_MEMORY;
        else
            memcpy(terminals[i], p->terminals, p->length * sizeof **terminals);
        length[i] = p->length;
        frequency[i] = p->frequency;
    }
    if (status == HOT_OK)
        status = hot_extend(s->g, s->thread, terminals, length, frequency, s->n, most);
    for (size_t i = 0; terminals && i < s->n; i++) {
        struct shown *shown = &s->item[i];

        shown->grown = terminals[i];
        if (status != HOT_OK)
            continue;
        shown->path.terminals = terminals[i];
        shown->path.length = length[i];
        status = measure_grown(s, &shown->path);
    }
    free(terminals);
    free(length);
    free(frequency);
    if (status != HOT_OK)
        return status;
    drop_equals(s);
    status = measure_together(s);
    rank(s);
    s->grown = true;
    return status;
}

/* ---- Figures ------------------------------------------------------------------------------ */

/* For subpaths that can overlap themselves: counts again, only occurrences that do not overlap. */
static int count_apart(const struct shown_list *s, const struct hot_string *strings,
                       uint64_t *by_thread)
{
    int status = HOT_OK;

    for (size_t i = 0; status == HOT_OK && i < s->n; i++) {
        uint32_t length = strings[i].length, *scratch = malloc(length * sizeof *scratch);

        if (!scratch)
            return HOT_E_MEMORY;
        if (rotations_period(strings[i].terminals, length, scratch) < length)
            status = hot_places_apart(s->g, strings[i], by_thread + i * s->g->n_threads);
        free(scratch);
    }
    return status;
}

/* How often each subpath occurs in each thread, counted as chosen. */
static int count_by_thread(const struct shown_list *s, uint64_t *by_thread)
{
    struct hot_string *strings = strings_of(s);
    int status = strings ? hot_places(s->g, strings, s->n, by_thread) : HOT_E_MEMORY;

    if (status == HOT_OK && s->apart)
        status = count_apart(s, strings, by_thread);
    free(strings);
    return status;
}

static uint64_t *new_split(const struct shown_list *s)
{
    return malloc((s->n * s->g->n_threads + 1) * sizeof(uint64_t));
}

int shown_apart(struct shown_list *s)
{
    uint64_t *by_thread = new_split(s);
    int status;

    s->apart = true;
    status = by_thread ? count_by_thread(s, by_thread) : HOT_E_MEMORY;
    for (size_t i = 0; status == HOT_OK && i < s->n; i++) {
        struct hot_subpath *p = &s->item[i].path;

        p->frequency = 0;
        for (uint32_t k = 0; k < s->g->n_threads; k++)
            if (s->thread == HOT_ALL_THREADS || s->thread == k)
                p->frequency = saturating_add(p->frequency, by_thread[i * s->g->n_threads + k]);
        p->own_unit_cost = p->unit_cost;
        p->period = p->length;
        p->pieces = p->frequency;
        p->cost = p->own_cost = saturating_mul(p->frequency, p->unit_cost);
    }
    free(by_thread);
    rank(s);
    return status;
}

int shown_split(struct shown_list *s)
{
    int status;

    s->by_thread = new_split(s);
    status = s->by_thread ? count_by_thread(s, s->by_thread) : HOT_E_MEMORY;
    for (size_t i = 0; status == HOT_OK && i < s->n; i++)
        s->item[i].by_thread = s->by_thread + i * s->g->n_threads;
    return status;
}

int shown_cover(struct shown_list *s)
{
    struct hot_string *strings = strings_of(s);
    int status = strings ? HOT_OK : HOT_E_MEMORY;

    for (size_t i = 0; status == HOT_OK && i < s->n; i++)
        status = hot_cover(s->g, s->cost, s->thread, strings, i + 1, &s->item[i].covered);
    free(strings);
    s->covers = true;
    return status;
}

/* Keeps the most frequent ones; of equals the first ones. */
static void keep_neighbours(struct shown *s, int side, const uint64_t *times, uint32_t n_terminals)
{
    struct shown_neighbour *near = s->near[side];

    for (uint32_t t = 0; t < n_terminals; t++) {
        uint32_t at = s->n_near[side];

        if (!times[t] || (at == SHOWN_NEIGHBOURS && times[t] <= near[at - 1].times))
            continue;
        at -= at == SHOWN_NEIGHBOURS;
        for (; at > 0 && near[at - 1].times < times[t]; at--)
            near[at] = near[at - 1];
        near[at] = (struct shown_neighbour){ t, times[t] };
        s->n_near[side] += s->n_near[side] < SHOWN_NEIGHBOURS;
    }
}

int shown_find_neighbours(struct shown_list *s, const size_t *which, size_t n)
{
    uint64_t *times = malloc((n * s->g->n_terminals + 1) * sizeof *times);
    struct hot_string *strings = strings_of_some(s, which, n);
    int status = times && strings ? HOT_OK : HOT_E_MEMORY;

    for (int side = 0; status == HOT_OK && side < SHOWN_SIDES; side++) {
        status = hot_neighbours(s->g, s->thread, strings, n, side == SHOWN_BEFORE, times);
        for (size_t i = 0; status == HOT_OK && i < n; i++)
            keep_neighbours(chosen(s, which, i), side, times + i * s->g->n_terminals,
                            s->g->n_terminals);
    }
    free(times);
    free(strings);
    s->has_neighbours = true;
    return status;
}

/* ---- Turns ---------------------------------------------------------------------------------- */

/* The iterations of all shown loops; `place` is where their figures are stored. */
struct turning {
    struct hot_string *turn;
    struct hot_turns **place;
    size_t n;
};

static int gather_turns(struct turning *t, struct shown_list *s, const size_t *which, size_t n)
{
    size_t most = n;

    for (size_t i = 0; i < n; i++)
        most += chosen(s, which, i)->outline.n_folds;
    t->turn = malloc((most + 1) * sizeof *t->turn);
    t->place = malloc((most + 1) * sizeof *t->place);
    if (!t->turn || !t->place)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        struct shown *shown = chosen(s, which, i);

        if (shown->path.loop) {
            t->turn[t->n] = (struct hot_string){ shown->path.loop, shown->path.turn };
            t->place[t->n++] = &shown->loop;
        }
        for (size_t k = 0; k < shown->outline.n_folds; k++) {
            const struct outline_fold *fold = &shown->outline.folds[k];

            t->turn[t->n] = (struct hot_string){ shown->path.terminals + fold->at,
                                                 (uint32_t)fold->period };
            t->place[t->n++] = &shown->folds[k];
        }
    }
    return HOT_OK;
}

int shown_count_turns(struct shown_list *s, const size_t *which, size_t n)
{
    struct turning t = { 0 };
    int status = gather_turns(&t, s, which, n);
    struct hot_turns *found = malloc((t.n + 1) * sizeof *found);

    if (!found)
        status = HOT_E_MEMORY;
    if (status == HOT_OK && t.n > 0)
        status = hot_count_turns(s->g, s->thread, t.turn, t.n, found);
    for (size_t i = 0; status == HOT_OK && i < t.n; i++)
        *t.place[i] = found[i];
    free(found);
    free(t.turn);
    free(t.place);
    return status;
}

/* ---- Outlines and groups
 * ----------------------------------------------------------------------- */

/* The length of the outline: for a loop that the subpath follows from end to end, one iteration. */
static uint32_t outline_length(const struct hot_subpath *p, bool iteration)
{
    return iteration && p->turn < p->length && is_all_loop(p) ? p->turn : p->length;
}

static int group(struct shown_list *s)
{
    struct grouped *grouped = malloc((s->n + 1) * sizeof *grouped);
    int status = HOT_E_MEMORY;

    for (size_t i = 0; grouped && i < s->n; i++) {
        const struct shown *shown = &s->item[i];

        grouped[i] = (struct grouped){ { shown->path.terminals, shown->path.length },
                                       shown->scope, i };
    }
    if (grouped && !s->rotations)
        status = answers_group(grouped, s->n, s->cost, s->g->n_terminals);
    else if (grouped)
        status = HOT_OK;
    for (size_t i = 0; status == HOT_OK && i < s->n; i++)
        s->item[i].group = grouped[i].leader;
    free(grouped);
    return status;
}

int shown_outline(struct shown_list *s, const wpp *w, bool iteration)
{
    for (size_t i = 0; i < s->n; i++) {
        struct shown *shown = &s->item[i];
        const struct hot_subpath *p = &shown->path;

        if (!outline_make(&shown->outline, w, p->terminals, outline_length(p, iteration)))
            return HOT_E_MEMORY;
        shown->folds = calloc(shown->outline.n_folds + 1, sizeof *shown->folds);
        if (!shown->folds)
            return HOT_E_MEMORY;
        shown->scope = answer_scope(w, &shown->outline, outline_length(p, true));
    }
    return group(s);
}
