/* SPDX-License-Identifier: MIT */
#include "wpp/replay/stepper.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/replay/stops.h"

struct stepper {
    const wpp *w;
    const wpp_stacks *stacks;
    struct stops stops;
    struct stops_spot spot;        /* of the last question */
};

struct stepper *stepper_new(const wpp_stacks *stacks)
{
    struct stepper *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->w = stacks->w;
    s->stacks = stacks;
    if (!stops_begin(&s->stops, stacks)) {
        free(s);
        return NULL;
    }
    return s;
}

void stepper_free(struct stepper *s)
{
    if (!s)
        return;
    stops_end(&s->stops);
    stops_spot_free(&s->spot);
    free(s);
}

uint64_t stepper_stops(const struct stepper *s, uint32_t thread)
{
    return stops_of_thread(&s->stops, thread);
}

/* Of the events that the stacks are of: all of the thread's, unless only the beginning of the run has been read. */
static uint64_t end_of(const struct stepper *s, uint32_t thread)
{
    return s->stacks->length[s->stacks->tree.root[thread]];
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Stops before a line of the path at s->spot, given those before the event. */
static uint64_t before_line(const struct stepper *s, uint64_t before, uint32_t line)
{
    return before + (line > 0 ? line - s->spot.joins : 0);
}

static bool is_stop(const struct stepper *s, uint32_t line)
{
    return line > 0 || !s->spot.joins;
}

static bool locate(struct stepper *s, const struct run_place *p)
{
    return stops_locate(&s->stops, p->thread, p->event, &s->spot);
}

enum stepper_result stepper_number(struct stepper *s, const struct run_place *p, uint64_t *before,
                                   bool *stop)
{
    *before = stepper_stops(s, p->thread);
    *stop = false;
    if (p->event == end_of(s, p->thread))
        return STEPPER_DONE;
    if (!locate(s, p))
        return STEPPER_NO_MEMORY;
    *before = before_line(s, s->spot.before, p->line);
    *stop = is_stop(s, p->line);
    return STEPPER_DONE;
}

enum stepper_result stepper_go_stop(struct stepper *s, uint32_t thread, uint64_t k, struct run_place *out)
{
    *out = (struct run_place){.thread = thread, .event = end_of(s, thread)};
    if (k < stepper_stops(s, thread))
        stops_nth(&s->stops, STOPS_ALL, s->stacks->tree.root[thread], 0, k, &out->event, &out->line);
    return STEPPER_DONE;
}

enum stepper_result stepper_go(struct stepper *s, uint32_t thread, uint64_t event, struct run_place *out)
{
    struct run_place p = {.thread = thread, .event = event};

    if (event < end_of(s, thread)) {
        if (!locate(s, &p))
            return STEPPER_NO_MEMORY;
        if (s->stops.path[s->spot.terminal].n == 0)
            return stepper_go_stop(s, thread, s->spot.before, out);
    }
    *out = p;
    return STEPPER_DONE;
}

/* ---- Step ------------------------------------------------------------------------------------ */

enum stepper_result stepper_step(struct stepper *s, uint64_t n, struct run_place *p)
{
    uint64_t before, to;
    bool stop;

    if (p->event == end_of(s, p->thread) || n == 0)
        return STEPPER_NOWHERE;
    if (stepper_number(s, p, &before, &stop) == STEPPER_NO_MEMORY)
        return STEPPER_NO_MEMORY;
    if (__builtin_add_overflow(before, n - !stop, &to))
        to = UINT64_MAX;
    return stepper_go_stop(s, p->thread, to, p);
}

enum stepper_result stepper_step_back(struct stepper *s, uint64_t n, struct run_place *p)
{
    uint64_t before;
    bool stop;

    if (stepper_number(s, p, &before, &stop) == STEPPER_NO_MEMORY)
        return STEPPER_NO_MEMORY;
    if (before == 0 || n == 0)
        return STEPPER_NOWHERE;
    return stepper_go_stop(s, p->thread, before - (n < before ? n : before), p);
}

/* ---- In one activation ----------------------------------------------------------------------- */

static const struct activation *activation_of(const struct stepper *s)
{
    return &s->stacks->tree.activation[s->spot.activation];
}

static void go_own(const struct stepper *s, uint64_t k, struct run_place *p)
{
    stops_nth(&s->stops, STOPS_OWN, activation_of(s)->piece, s->spot.first, k, &p->event, &p->line);
}

/* Behind the activation at s->spot. */
static enum stepper_result leave(struct stepper *s, struct run_place *p)
{
    return stepper_go(s, p->thread, s->spot.first + s->stacks->length[activation_of(s)->piece], p);
}

enum stepper_result stepper_finish(struct stepper *s, struct run_place *p)
{
    if (p->event == end_of(s, p->thread))
        return STEPPER_NOWHERE;
    if (!locate(s, p))
        return STEPPER_NO_MEMORY;
    return s->spot.in_activation ? leave(s, p) : STEPPER_NOWHERE;
}

enum stepper_result stepper_next(struct stepper *s, struct run_place *p)
{
    uint64_t k;

    if (p->event == end_of(s, p->thread))
        return STEPPER_NOWHERE;
    if (!locate(s, p))
        return STEPPER_NO_MEMORY;
    if (!s->spot.in_activation)
        return STEPPER_NOWHERE;
    k = before_line(s, s->spot.own_before, p->line) + is_stop(s, p->line);
    if (k >= s->stops.piece[activation_of(s)->piece].own)
        return leave(s, p);
    go_own(s, k, p);
    return STEPPER_DONE;
}

/* To the last stop before an event. */
static enum stepper_result last_before(struct stepper *s, uint64_t event, struct run_place *p)
{
    struct run_place from = {p->thread, event, 0};
    enum stepper_result result = stepper_step_back(s, 1, &from);

    if (result == STEPPER_DONE)
        *p = from;
    return result;
}

/* To where the caller of an activation that begins with event `first` had come. */
static enum stepper_result to_caller(struct stepper *s, uint64_t first, struct run_place *p)
{
    struct wpp_frame *frames, caller;
    uint32_t lines;
    size_t n;

    if (!wpp_stack_at(s->stacks, p->thread, first, &frames, &n))
        return STEPPER_NO_MEMORY;
    if (n < 2) {
        free(frames);
        return STEPPER_NOWHERE;
    }
    caller = frames[n - 2];
    free(frames);
    lines = s->stops.path[caller.terminal].n;
    if (lines == 0)
        return last_before(s, caller.last, p);
    *p = (struct run_place){p->thread, caller.last, lines - 1};
    return STEPPER_DONE;
}

/* The innermost activation that had not left at the end. */
static enum stepper_result last_frame(const struct stepper *s, uint32_t thread, struct wpp_frame *out)
{
    struct wpp_frame *frames;
    size_t n;

    if (!wpp_stack_at(s->stacks, thread, end_of(s, thread), &frames, &n))
        return STEPPER_NO_MEMORY;
    if (n > 0)
        *out = frames[n - 1];
    free(frames);
    return n > 0 ? STEPPER_DONE : STEPPER_NOWHERE;
}

enum stepper_result stepper_to_call(struct stepper *s, struct run_place *p)
{
    struct wpp_frame frame;
    enum stepper_result result;

    if (p->event == end_of(s, p->thread)) {
        result = last_frame(s, p->thread, &frame);
        return result == STEPPER_DONE ? to_caller(s, frame.first, p) : result;
    }
    if (!locate(s, p))
        return STEPPER_NO_MEMORY;
    return s->spot.in_activation ? to_caller(s, s->spot.first, p) : STEPPER_NOWHERE;
}

/* To where the innermost activation had come; if all had left, to the last stop. */
static enum stepper_result next_back_from_end(struct stepper *s, struct run_place *p)
{
    struct wpp_frame frame;
    enum stepper_result result = last_frame(s, p->thread, &frame);
    uint32_t lines = result == STEPPER_DONE ? s->stops.path[frame.terminal].n : 0;

    if (result == STEPPER_NO_MEMORY)
        return result;
    if (result == STEPPER_NOWHERE)
        return stepper_step_back(s, 1, p);
    if (lines == 0)
        return last_before(s, frame.last, p);
    *p = (struct run_place){p->thread, frame.last, lines - 1};
    return STEPPER_DONE;
}

enum stepper_result stepper_next_back(struct stepper *s, struct run_place *p)
{
    uint64_t k;

    if (p->event == end_of(s, p->thread))
        return next_back_from_end(s, p);
    if (!locate(s, p))
        return STEPPER_NO_MEMORY;
    if (!s->spot.in_activation)
        return STEPPER_NOWHERE;
    k = before_line(s, s->spot.own_before, p->line);
    if (k == 0)
        return to_caller(s, s->spot.first, p);
    go_own(s, k - 1, p);
    return STEPPER_DONE;
}

/* ---- Paths ------------------------------------------------------------------------------------- */

/* The lines of a path one after the other, with the block that each begins in. */
struct lines_walk {
    const struct wpp_terminal *t;
    const struct wpp_routine *r;
    const struct wpp_line *last;
    uint32_t block, in_block;      /* the next one */
    uint32_t n;                    /* lines so far */
};

static struct lines_walk lines_begin(const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);

    return (struct lines_walk){
        .t = t, .r = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine)
    };
}

/* The table's next line, whether or not it is one that goes on. */
static const struct wpp_line *lines_next(struct lines_walk *l)
{
    while (l->r && l->block < l->t->n_blocks) {
        const struct wpp_block *b = &l->r->blocks[l->t->blocks[l->block]];

        if (l->in_block < b->n_lines) {
            const struct wpp_line *line = &b->lines[l->in_block++];

            l->n += !l->last || !same_line(*l->last, *line);
            return l->last = line;
        }
        l->block++;
        l->in_block = 0;
    }
    return NULL;
}

uint32_t stepper_block(const wpp *w, uint32_t terminal, uint32_t line)
{
    struct lines_walk l = lines_begin(w, terminal);

    while (lines_next(&l))
        if (l.n == line + 1)
            return l.block;
    return 0;
}

uint32_t stepper_executions(const wpp *w, uint32_t terminal, const char *file, uint32_t line,
                            uint32_t *places, uint32_t room)
{
    const struct wpp_line *begin, *at;
    uint32_t n = 0;

    while ((begin = wpp_line_at(w, terminal, file, line, n)) != NULL) {
        struct lines_walk l = lines_begin(w, terminal);

        while ((at = lines_next(&l)) && at != begin)
            continue;
        assert(at);
        if (n < room)
            places[n] = l.n - 1;
        n++;
    }
    return n;
}
