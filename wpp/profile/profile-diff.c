/* SPDX-License-Identifier: MIT */
#include "wpp/profile/profile-diff.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/profile/same-routine.h"

/* Executions of a path on one side. */
struct event { uint32_t routine, side, terminal; uint64_t path, count; };

struct diffing {
    struct profile_diff *d;
    const struct wpp_routine **routine;  /* A's, then B's */
    uint32_t *same;                      /* of each: the first that it is the same as */
    uint32_t *row;                       /* of each: the diff's */
    uint32_t n;
};

static uint32_t side_of(const struct diffing *x, uint32_t i)
{
    return i < x->d->side[DIFF_A]->n_routines ? DIFF_A : DIFF_B;
}

static uint32_t number_of(const struct diffing *x, uint32_t i)
{
    return side_of(x, i) == DIFF_A ? i : i - x->d->side[DIFF_A]->n_routines;
}

static bool begin(struct diffing *x)
{
    const struct path_profile *const *side = x->d->side;
    uint32_t n = x->n = side[DIFF_A]->n_routines + side[DIFF_B]->n_routines;

    x->routine = calloc(n + (size_t)1, sizeof *x->routine);
    x->same = calloc(n + (size_t)1, sizeof *x->same);
    x->row = calloc(n + (size_t)1, sizeof *x->row);
    x->d->routine = calloc(n + (size_t)1, sizeof *x->d->routine);
    if (!x->routine || !x->same || !x->row || !x->d->routine)
        return false;
    for (uint32_t i = 0; i < n; i++)
        x->routine[i] = wpp_routine(side[side_of(x, i)]->w, number_of(x, i));
    return routine_find_same(x->routine, n, NULL, NULL, x->same);
}

static void match_routines(struct diffing *x)
{
    struct profile_diff *d = x->d;

    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t side = side_of(x, i), number = number_of(x, i);
        struct diff_routine *r;

        if (x->same[i] == i) {
            x->row[i] = d->n_routines++;
            d->routine[x->row[i]] = (struct diff_routine){.number = {DIFF_NONE, DIFF_NONE}};
        }
        x->row[i] = x->row[x->same[i]];
        r = &d->routine[x->row[i]];
        if (r->number[side] == DIFF_NONE)
            r->number[side] = number;
        r->count[side] = profile_add(r->count[side], d->side[side]->routine[number].count);
        r->cost[side] += d->side[side]->routine[number].cost;
    }
}

/* ---- Routines that have changed ---------------------------------------------------------- */

static const struct wpp_routine *any_routine(const struct profile_diff *d, uint32_t row)
{
    const struct diff_routine *r = &d->routine[row];
    uint32_t side = r->number[DIFF_A] == DIFF_NONE ? DIFF_B : DIFF_A;

    return wpp_routine(d->side[side]->w, r->number[side]);
}

static int compare_names(const void *left, const void *right, void *diff)
{
    const struct wpp_routine *a = any_routine(diff, *(const uint32_t *)left);
    const struct wpp_routine *b = any_routine(diff, *(const uint32_t *)right);
    int order = strcmp(a->name, b->name);

    return order ? order : strcmp(a->file, b->file);
}

/* Of rows of one name: if each side has one alone, they have changed. */
static void mark_changed(struct profile_diff *d, const uint32_t *row, uint32_t n)
{
    bool only[2] = {false, false};

    for (uint32_t i = 0; i < n; i++)
        for (unsigned side = 0; side < 2; side++)
            only[side] |= d->routine[row[i]].number[!side] == DIFF_NONE;
    for (uint32_t i = 0; only[DIFF_A] && only[DIFF_B] && i < n; i++) {
        struct diff_routine *r = &d->routine[row[i]];

        r->changed = r->number[DIFF_A] == DIFF_NONE || r->number[DIFF_B] == DIFF_NONE;
        d->n_changed += r->changed && r->number[DIFF_A] != DIFF_NONE;
    }
}

static bool find_changed(struct profile_diff *d)
{
    uint32_t *row = calloc(d->n_routines + (size_t)1, sizeof *row);

    if (!row)
        return false;
    for (uint32_t i = 0; i < d->n_routines; i++)
        row[i] = i;
    qsort_r(row, d->n_routines, sizeof *row, compare_names, d);
    for (uint32_t i = 0, end; i < d->n_routines; i = end) {
        for (end = i + 1; end < d->n_routines && compare_names(&row[i], &row[end], d) == 0;)
            end++;
        mark_changed(d, row + i, end - i);
    }
    free(row);
    return true;
}

/* ---- Paths ------------------------------------------------------------------------------- */

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left, *b = right;

    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

static uint32_t collect(const struct diffing *x, struct event *event)
{
    uint32_t n = 0;

    for (uint32_t side = 0; side < 2; side++) {
        const struct path_profile *p = x->d->side[side];
        uint32_t first = side == DIFF_A ? 0 : x->d->side[DIFF_A]->n_routines;

        for (uint32_t i = 0; i < p->n_paths; i++)
            event[n++] = (struct event){
                x->row[first + p->path[i].routine], side, p->path[i].terminal,
                wpp_terminal(p->w, p->path[i].terminal)->path, p->path[i].count
            };
    }
    qsort(event, n, sizeof *event, compare_events);
    return n;
}

static void add_event(struct profile_diff *d, const struct event *e, bool same)
{
    struct diff_path *p;

    if (!same) {
        d->path[d->n_paths++] = (struct diff_path){e->routine, {DIFF_NONE, DIFF_NONE}, {0, 0}};
        if (d->routine[e->routine].n++ == 0)
            d->routine[e->routine].first = d->n_paths - 1;
    }
    p = &d->path[d->n_paths - 1];
    p->terminal[e->side] = e->terminal;
    p->count[e->side] = profile_add(p->count[e->side], e->count);
}

static bool match_paths(struct diffing *x)
{
    struct profile_diff *d = x->d;
    size_t most = (size_t)d->side[DIFF_A]->n_paths + d->side[DIFF_B]->n_paths + 1;
    struct event *event = calloc(most, sizeof *event);
    uint32_t n;

    d->path = calloc(most, sizeof *d->path);
    if (!event || !d->path) {
        free(event);
        return false;
    }
    n = collect(x, event);
    for (uint32_t i = 0; i < n; i++)
        add_event(d, &event[i], i > 0 && event[i - 1].routine == event[i].routine
                                    && event[i - 1].path == event[i].path);
    free(event);
    return true;
}

static void judge_paths(struct profile_diff *d)
{
    for (uint32_t i = 0; i < d->n_paths; i++) {
        const struct diff_path *p = &d->path[i];
        struct diff_routine *r = &d->routine[p->routine];
        bool common = p->count[DIFF_A] > 0 && p->count[DIFF_B] > 0;

        r->n_new += p->count[DIFF_A] == 0;
        r->n_gone += p->count[DIFF_B] == 0;
        r->n_other += common && p->count[DIFF_A] != p->count[DIFF_B];
        for (unsigned side = 0; side < 2; side++) {
            struct diff_overlap *o = &d->overlap[side];
            double cost = p->count[side] == 0 ? 0
                : (double)p->count[side]
                  * (double)wpp_terminal(d->side[side]->w, p->terminal[side])->insns;

            o->paths += p->count[side] > 0;
            o->count = profile_add(o->count, p->count[side]);
            o->cost += cost;
            o->common_paths += common;
            o->common_count = profile_add(o->common_count, common ? p->count[side] : 0);
            o->common_cost += common ? cost : 0;
        }
    }
}

bool profile_diff_new(struct profile_diff *out, const struct path_profile *a,
                      const struct path_profile *b)
{
    struct diffing x = {.d = out};
    bool ok;

    *out = (struct profile_diff){.side = {a, b}};
    ok = begin(&x);
    if (ok) {
        match_routines(&x);
        ok = find_changed(out) && match_paths(&x);
    }
    if (ok)
        judge_paths(out);
    else
        profile_diff_free(out);
    free(x.routine);
    free(x.same);
    free(x.row);
    return ok;
}

void profile_diff_free(struct profile_diff *d)
{
    free(d->routine);
    free(d->path);
    *d = (struct profile_diff){0};
}
