/* SPDX-License-Identifier: MIT */
#include "wpp/replay/calls.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/replay/rule-effects.h"

enum { BATCH = 4096, FIRST_SIZE = 64 };

/* ---- The table -------------------------------------------------------------------- */

static struct call_count *place_of(const struct calls *c, uint32_t caller, uint32_t callee)
{
    uint64_t hash = ((uint64_t)caller << 32 | callee) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (hash ^ hash >> 32) & (c->size - 1);

    assert((c->size & (c->size - 1)) == 0 && c->n < c->size);    /* so a search ends */
    while (c->list[i].count && (c->list[i].caller != caller || c->list[i].callee != callee))
        i = (i + 1) & (c->size - 1);
    return &c->list[i];
}

static bool grow(struct calls *c)
{
    struct calls larger = {.n = c->n, .size = c->size ? 2 * c->size : FIRST_SIZE};

    larger.list = calloc(larger.size, sizeof *larger.list);
    if (!larger.list)
        return false;
    for (size_t i = 0; i < c->size; i++)
        if (c->list[i].count)
            *place_of(&larger, c->list[i].caller, c->list[i].callee) = c->list[i];
    free(c->list);
    *c = larger;
    return true;
}

static bool count_call(struct calls *c, uint32_t caller, uint32_t callee)
{
    struct call_count *place;

    if (2 * c->n >= c->size && !grow(c))
        return false;
    place = place_of(c, caller, callee);
    c->n += place->count == 0;
    *place = (struct call_count){caller, callee, place->count + 1};
    return true;
}

void calls_free(struct calls *c)
{
    free(c->list);
    *c = (struct calls){0};
}

static int compare(const void *a, const void *b)
{
    const struct call_count *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return x->caller < y->caller ? -1 : x->caller > y->caller;
}

void calls_sort(struct calls *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->size; i++)
        if (c->list[i].count)
            c->list[n++] = c->list[i];
    assert(n == c->n);
    if (n > 0)
        qsort(c->list, n, sizeof *c->list, compare);
}

/* ---- Counting ----------------------------------------------------------------------- */

/* The activations of a thread, as in the machine of events.h. */
struct counting {
    struct calls *calls;
    const wpp *w;
    struct events *events;
    uint32_t *routine;       /* by depth */
    uint32_t capacity;
};

static bool reserve(struct counting *k, uint32_t depth)
{
    uint32_t capacity = k->capacity ? 2 * k->capacity : 64;
    uint32_t *routine;

    if (depth < k->capacity)
        return true;
    routine = realloc(k->routine, capacity * sizeof *routine);
    if (!routine)
        return false;
    k->routine = routine;
    k->capacity = capacity;
    return true;
}

static bool count_event(struct counting *k, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(k->w, number);
    const struct wpp_routine *routine =
        t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(k->w, t->routine);
    struct events_step step;

    if (!events_next(k->events, t, routine, &step) || !reserve(k, step.depth))
        return false;
    assert(step.depth < k->capacity);
    if (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN)
        k->routine[step.depth] = t->routine;
    return step.arrival != ARRIVAL_ENTER
        || count_call(k->calls, step.depth ? k->routine[step.depth - 1] : CALLS_NOBODY, t->routine);
}

static bool count_range(struct counting *k, wpp_cursor *cursor, uint64_t left)
{
    uint32_t batch[BATCH];
    size_t got;
    bool ok = true;

    while (ok && left > 0
           && (got = wpp_cursor_read(cursor, batch, left < BATCH ? left : BATCH)) > 0) {
        for (size_t i = 0; ok && i < got; i++)
            ok = count_event(k, batch[i]);
        assert(got <= left);
        left -= got;
    }
    return ok;
}

/* The activations in which the range begins. */
static bool take_stack(struct counting *k)
{
    uint32_t n = events_depth(k->events);

    for (uint32_t depth = 0; depth < n; depth++) {
        if (!reserve(k, depth))
            return false;
        k->routine[depth] = events_frames(k->events)[depth].routine;
    }
    return true;
}

bool calls_add(struct calls *c, const struct dump_range *range, struct wpp_error *error)
{
    assert(range->begin <= range->end);
    struct counting k = {.calls = c, .w = range->w,
                         .events = events_until(range->w, range->thread, range->begin)};
    wpp_cursor *cursor = wpp_cursor_new(range->w, range->thread, range->begin);
    bool ok = k.events && cursor && take_stack(&k) && count_range(&k, cursor, range->end - range->begin);

    if (cursor)
        wpp_cursor_free(cursor);
    events_free(k.events);
    free(k.routine);
    return ok || wpp_fail_memory(error);
}
