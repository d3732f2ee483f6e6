/* SPDX-License-Identifier: MIT */
/* dap-moves.c - steps, and the way to the next breakpoint, forwards and backwards. */
#include <string.h>

#include "wpp/step/dap-requests.h"

/* ---- Threads --------------------------------------------------------------------------------------------- */

/* Where a thread is: where it was left, or else about at the time of the one that was moved last. */
static struct run_place place_of(struct dap_server *d, uint32_t thread)
{
    struct run_place at = d->session.of_thread[thread];
    const struct run_place *moved = &d->session.of_thread[d->moved];
    uint64_t time, event = 0;

    if (at.event != UINT64_MAX)
        return at;
    if (wpp_time_of(d->w, moved->thread, moved->event, &time))
        wpp_event_at(d->w, thread, time, &event);
    if (stepper_go(d->session.stepper, thread, event, &at) != STEPPER_DONE)
        at = (struct run_place){.thread = thread};
    return at;
}

void dap_look_at(struct dap_server *d, uint32_t thread)
{
    struct run_place at = place_of(d, thread), left = d->session.of_thread[thread];
    const struct run_place *now = &d->session.at;

    if (now->thread == thread && now->event == at.event && now->line == at.line)
        return;
    session_move_to(&d->session, at);
    d->session.of_thread[thread] = left;
}

void dap_moved_to(struct dap_server *d, struct run_place to)
{
    d->session.message[0] = '\0';
    session_move_to(&d->session, to);
    d->moved = to.thread;
}

static bool is_end(const struct dap_server *d, const struct run_place *p)
{
    return p->event == wpp_thread(d->w, p->thread)->tokens;
}

/* The numbers of the breakpoints at the place; *routine: one is of a routine. */
static json_t *hit_ids(struct dap_server *d, const struct run_place *p, bool *routine)
{
    json_t *ids = json_array();

    *routine = false;
    for (size_t i = 0; ids && i < d->breakpoints.n; i++) {
        const struct breakpoint *b = &d->breakpoints.each[i];

        if (!breakpoint_is_at(b, p))
            continue;
        *routine |= b->routine != NULL;
        dap_append(d, ids, json_integer(b->id));
    }
    return ids;
}

void dap_stopped(struct dap_server *d, const char *reason, const char *text)
{
    bool routine;
    json_t *ids = hit_ids(d, &d->session.of_thread[d->moved], &routine);
    json_t *shown = text ? dap_text(text) : NULL;

    if (routine && strcmp(reason, "breakpoint") == 0)
        reason = "function breakpoint";
    d->failed |= text && !shown;
    dap_later(d, "stopped", json_pack("{s:s, s:I, s:b, s:o, s:o*}", "reason", reason, "threadId",
                                      (json_int_t)d->moved + 1, "allThreadsStopped", 1, "hitBreakpointIds", ids,
                                      "description", shown));
}

/* ---- Moves ------------------------------------------------------------------------------------------------- */

static bool goes_back(enum dap_move move)
{
    return move == DAP_REVERSE || move == DAP_NEXT_BACK || move == DAP_STEP_BACK;
}

/* A single step passes nothing at which it could stop. */
static bool passes_lines(enum dap_move move)
{
    return move != DAP_STEP_IN && move != DAP_STEP_BACK;
}

/* The move as if there were no breakpoints. */
static enum stepper_result go(struct dap_server *d, enum dap_move move, struct run_place *p)
{
    struct stepper *s = d->session.stepper;

    switch (move) {
    case DAP_BEGIN: case DAP_CONTINUE: return stepper_go_stop(s, p->thread, UINT64_MAX, p);
    case DAP_REVERSE: return stepper_go_stop(s, p->thread, 0, p);
    case DAP_NEXT: return stepper_next(s, p);
    case DAP_STEP_IN: return stepper_step(s, 1, p);
    case DAP_STEP_OUT: return stepper_finish(s, p);
    case DAP_NEXT_BACK: return stepper_next_back(s, p);
    case DAP_STEP_BACK: return stepper_step_back(s, 1, p);
    case DAP_STAY: break;
    }
    return STEPPER_NOWHERE;
}

static void say_stop(struct dap_server *d, enum dap_move move, bool hit)
{
    const struct run_place *at = &d->session.at;

    if (hit)
        dap_stopped(d, "breakpoint", NULL);
    else if (is_end(d, at))
        dap_stopped(d, d->session.run.killed ? "exception" : "end", d->session.message);
    else if (move == DAP_REVERSE)
        dap_stopped(d, "entry", "the beginning of the run");
    else
        dap_stopped(d, "step", NULL);
}

static bool is_at_one(const struct dap_server *d, const struct run_place *p)
{
    for (size_t i = 0; i < d->breakpoints.n; i++)
        if (breakpoint_is_at(&d->breakpoints.each[i], p))
            return true;
    return false;
}

static void make_move(struct dap_server *d, enum dap_move move)
{
    struct run_place from = place_of(d, d->moved), to = from;
    enum stepper_result result = go(d, move, &to);
    bool hit = move == DAP_BEGIN && is_at_one(d, &from);

    if (hit)
        to = from;
    else if (result == STEPPER_DONE && passes_lines(move))
        hit = breakpoints_next(&d->breakpoints, &from, goes_back(move), &to);
    dap_moved_to(d, to);
    if (result == STEPPER_NO_MEMORY)
        dap_stopped(d, "step", "out of memory");
    else if (result == STEPPER_NOWHERE && goes_back(move))
        dap_stopped(d, "step", "no traced routine called this one, or this is the beginning");
    else
        say_stop(d, move, hit);
}

void dap_move_on(struct dap_server *d)
{
    enum dap_move move = d->moving;

    if (passes_lines(move) && breakpoints_work(&d->breakpoints))
        return;
    d->moving = DAP_STAY;
    make_move(d, move);
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static json_t *begin_move(struct dap_server *d, const json_t *arguments, enum dap_move move)
{
    uint32_t thread;

    if (d->moving != DAP_STAY)
        return dap_refuse(d, "the last move goes on; `pause` ends it");
    if (!dap_thread(d, arguments, &thread))
        return NULL;
    dap_look_at(d, thread);
    d->session.of_thread[thread] = d->session.at;
    d->moved = thread;
    d->moving = move;
    return move == DAP_CONTINUE ? json_pack("{s:b}", "allThreadsContinued", 0) : json_object();
}

json_t *dap_continue(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, DAP_CONTINUE);
}

json_t *dap_reverse(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, DAP_REVERSE);
}

json_t *dap_next(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, DAP_NEXT);
}

json_t *dap_step_in(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, DAP_STEP_IN);
}

json_t *dap_step_out(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, DAP_STEP_OUT);
}

json_t *dap_step_back(struct dap_server *d, const json_t *arguments)
{
    return begin_move(d, arguments, d->back_into ? DAP_STEP_BACK : DAP_NEXT_BACK);
}

json_t *dap_pause(struct dap_server *d, const json_t *arguments)
{
    uint32_t thread;

    if (!dap_thread(d, arguments, &thread))
        return NULL;
    d->moving = DAP_STAY;
    dap_stopped(d, "pause", NULL);
    return json_object();
}
