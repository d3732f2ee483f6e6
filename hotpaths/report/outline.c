/* SPDX-License-Identifier: MIT */
/* outline.c - the calls and repetitions of a subpath; see outline.h. */
#include "hotpaths/report/outline.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/replay/events.h"

/* Longer repetitions are rare, and are not searched for. */
enum { LONGEST_PERIOD = 1024 };

static const struct wpp_routine *routine_of(const wpp *w, const struct wpp_terminal *t)
{
    return t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);
}

/* Finds the depths with the stack of activations.  An activation that began before the subpath lies
 * below all that were seen: one level up. */
static bool find_depths(struct outline *s, int64_t *depth, struct events *events, const wpp *w)
{
    int64_t bottom = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, s->steps[i].terminal);
        struct events_step step;

        if (!events_next(events, t, routine_of(w, t), &step))
            return false;
        if (!routine_of(w, t)) {
            depth[i] = i ? depth[i - 1] : 0;
            continue;
        }
        if (step.arrival == ARRIVAL_UNSEEN && i > 0)
            bottom--;
        depth[i] = bottom + step.depth;
        s->steps[i].called = step.arrival == ARRIVAL_ENTER && i > 0 && depth[i] > depth[i - 1];
        s->steps[i].leaves = step.leaves;
    }
    return true;
}

/* The recursion halves the range each time.  There are fewer folds than steps. */
static void find_folds(struct outline *s, size_t at, size_t end)
{
    while (at < end) {
        struct outline_repeat repeat = outline_repeat_at(s, at, end);

        if (repeat.count > 1) {
            s->folds[s->n_folds++] = (struct outline_fold){ at, repeat.period, repeat.count };
            find_folds(s, at, at + repeat.period);
        }
        at += repeat.period * repeat.count;
    }
}

bool outline_make(struct outline *s, const wpp *w, const uint32_t *terminals, uint32_t n)
{
    struct events *events = events_new();
    int64_t *depth = calloc((size_t)n + 1, sizeof *depth);
    int64_t lowest = 0;
    bool good;

    *s = (struct outline){ .n = n };
    s->steps = calloc((size_t)n + 1, sizeof *s->steps);
    s->folds = malloc(((size_t)n + 1) * sizeof *s->folds);
    for (uint32_t i = 0; s->steps && i < n; i++)
        s->steps[i].terminal = terminals[i];
    good = events && depth && s->steps && s->folds && find_depths(s, depth, events, w);
    for (uint32_t i = 0; good && i < n; i++)
        lowest = depth[i] < lowest ? depth[i] : lowest;
    for (uint32_t i = 0; good && i < n; i++)
        s->steps[i].depth = (uint32_t)(depth[i] - lowest);
    if (good)
        find_folds(s, 0, n);
    events_free(events);
    free(depth);
    if (!good)
        outline_free(s);
    return good;
}

void outline_free(struct outline *s)
{
    free(s->steps);
    free(s->folds);
    *s = (struct outline){ 0 };
}

static bool same_step(const struct outline_step *a, const struct outline_step *b)
{
    return a->terminal == b->terminal && a->depth == b->depth;
}

struct outline_repeat outline_repeat_at(const struct outline *s, size_t at, size_t end)
{
    struct outline_repeat best = { 1, 1 };

    assert(at < end && end <= s->n);
    for (size_t period = 1; period <= LONGEST_PERIOD && period <= (end - at) / 2; period++) {
        size_t stop = at + period;
        size_t count;

        while (stop < end && same_step(&s->steps[stop], &s->steps[stop - period]))
            stop++;
        count = (stop - at) / period;
        if (count > 1 && (best.count == 1 || count * period > best.count * best.period))
            best = (struct outline_repeat){ period, count };
    }
    return best;
}
