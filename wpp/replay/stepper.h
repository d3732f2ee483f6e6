/* SPDX-License-Identifier: MIT */
/* stepper.h - goes through a recorded run as a debugger does, forwards and backwards.
 *
 * A place is a line of the path of an event.  Most places are stops (stops.h): a line begins there.  At
 * others a line goes on, behind a call or in the next turn of its loop; they are reached by finishing a
 * call, or by number.  Behind the last event is the end.
 *
 *      forwards              backwards
 *      step                  step back          the next stop of the thread, the one before
 *      next                  next back          the same in one activation, over its calls
 *      finish                to the call        out of the activation: behind its end, to its caller
 */
#ifndef WPP_STEPPER_H
#define WPP_STEPPER_H

#include "wpp/replay/line-trail.h"
#include "wpp/wpp.h"

struct run_place {
    uint32_t thread;
    uint64_t event;                /* the thread's number of events: the end */
    uint32_t line;                 /* of its path's lines (trail_of()); 0 at the end */
};

enum stepper_result {
    STEPPER_DONE,
    STEPPER_NOWHERE,               /* there is no such place; the place has not changed */
    STEPPER_NO_MEMORY              /* likewise */
};

struct stepper;

/* NULL: no memory.  `stacks` and their wpp must live on.  Cost: O(call tree). */
struct stepper *stepper_new(const wpp_stacks *stacks);
void stepper_free(struct stepper *s);

/* The number of stops of a thread. */
uint64_t stepper_stops(const struct stepper *s, uint32_t thread);

/* The first place at or behind an event that has a line, or the end. */
enum stepper_result stepper_go(struct stepper *s, uint32_t thread, uint64_t event, struct run_place *out);
/* Stop number k of the thread, or the end if there are no more. */
enum stepper_result stepper_go_stop(struct stepper *s, uint32_t thread, uint64_t k, struct run_place *out);

/* How many stops there are before a place, and whether it is one. */
enum stepper_result stepper_number(struct stepper *s, const struct run_place *p, uint64_t *before,
                                   bool *is_stop);

/* All cost O(depth of the stack * d).  n steps are as one; where fewer are possible, those are made,
 * and STEPPER_NOWHERE says that none is. */
enum stepper_result stepper_step(struct stepper *s, uint64_t n, struct run_place *p);
enum stepper_result stepper_step_back(struct stepper *s, uint64_t n, struct run_place *p);
enum stepper_result stepper_next(struct stepper *s, struct run_place *p);
enum stepper_result stepper_next_back(struct stepper *s, struct run_place *p);
enum stepper_result stepper_finish(struct stepper *s, struct run_place *p);
enum stepper_result stepper_to_call(struct stepper *s, struct run_place *p);

/* The line's executions, as wpp_weigh_line() counts them: those that begin in a path, by the place of the
 * path's lines.  Writes up to `room` places and returns how many there are. */
uint32_t stepper_executions(const wpp *w, uint32_t terminal, const char *file, uint32_t line,
                            uint32_t *places, uint32_t room);

/* The block of a path in which a line of it begins, by its place among the path's blocks. */
uint32_t stepper_block(const wpp *w, uint32_t terminal, uint32_t line);

#endif
