/* SPDX-License-Identifier: MIT */
/* course.c - waiting activations, counted by the block where they may go on. */

#include "wpp/replay/course.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/replay/events.h"

bool course_begin(struct course *c, const wpp *w)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    *c = (struct course){.w = w, .n_routines = s.n_routines, .whole = true};
    c->first = calloc(s.n_routines + (size_t)1, sizeof *c->first);
    c->anywhere = calloc(s.n_routines + (size_t)1, sizeof *c->anywhere);
    c->live = calloc(s.n_routines + (size_t)1, sizeof *c->live);
    for (uint32_t r = 0; c->first && r < s.n_routines; r++) {
        c->first[r] = c->n_blocks;
        c->n_blocks += wpp_routine(w, r)->n_blocks;
    }
    c->waiting = calloc(c->n_blocks + 1, sizeof *c->waiting);
    if (c->first && c->anywhere && c->live && c->waiting)
        return true;
    course_end(c);
    return false;
}

void course_end(struct course *c)
{
    free(c->first);
    free(c->anywhere);
    free(c->live);
    free(c->waiting);
    *c = (struct course){0};
}

static void forget(struct course *c)
{
    memset(c->live, 0, c->n_routines * sizeof *c->live);
    memset(c->anywhere, 0, c->n_routines * sizeof *c->anywhere);
    memset(c->waiting, 0, c->n_blocks * sizeof *c->waiting);
    c->whole = false;
}

/* The activation that ran this path waits now, at every block where it may go on. */
static void stop(struct course *c, const struct wpp_terminal *terminal,
                 const struct wpp_routine *routine)
{
    assert(terminal->routine < c->n_routines);
    uint64_t *waiting = c->waiting + c->first[terminal->routine];
    uint32_t to = events_resume(terminal, routine), at = events_stop(terminal);

    if (to == EVENTS_ANYWHERE)
        c->anywhere[terminal->routine]++;
    else if (to < routine->n_blocks)
        waiting[to]++;
    for (uint32_t i = events_landing(routine, at);
         i < routine->n_landings && routine->landings[i].src == at; i++) {
        assert(routine->landings[i].dst < routine->n_blocks);
        if (routine->landings[i].dst != to)
            waiting[routine->landings[i].dst]++;
    }
}

/* One activation that waited for this path, if there is one, goes on. */
static bool go_on(struct course *c, const struct wpp_terminal *terminal,
                  const struct wpp_routine *routine)
{
    uint32_t r = terminal->routine;
    assert(terminal->n_blocks == 0 || terminal->blocks[0] < routine->n_blocks);
    uint64_t *waiting =
        terminal->n_blocks ? &c->waiting[c->first[r] + terminal->blocks[0]] : &c->anywhere[r];

    if (*waiting > 0)
        --*waiting;
    else if (c->anywhere[r] > 0)
        c->anywhere[r]--;
    else
        return routine->flags & WPP_ROUTINE_NONLOCAL;
    return true;
}

static bool arrive(struct course *c, const struct wpp_terminal *terminal,
                   const struct wpp_routine *routine)
{
    if (terminal->enters) {
        c->live[terminal->routine]++;
        return true;
    }
    if (c->live[terminal->routine] > 0)
        return go_on(c, terminal, routine);
    c->live[terminal->routine] = 1;
    c->whole = false;
    return true;
}

bool course_next(struct course *c, const struct wpp_terminal *terminal)
{
    const struct wpp_routine *routine;
    bool possible;

    if (terminal->routine == WPP_NO_ROUTINE) {
        if (terminal->control && terminal->token == WPP_GAP)
            forget(c);
        return true;
    }
    routine = wpp_routine(c->w, terminal->routine);
    possible = arrive(c, terminal, routine);
    assert(c->live[terminal->routine] > 0);
    if (terminal->leaves)
        c->live[terminal->routine]--;
    else
        stop(c, terminal, routine);
    return possible;
}
