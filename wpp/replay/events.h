/* SPDX-License-Identifier: MIT */
/* events.h - the paper's opcodes from one thread's stream of paths.
 *
 * A stream holds one terminal per path; EnterRoutine and LeaveRoutine are folded into it (Larus,
 * section 2).  This machine restores them.  It keeps the stack of activations:
 *
 *      frame[0 .. depth)       outermost first; frame[depth-1] runs now
 *      frame.at                last block of its last path
 *      frame.resume            block where the activation's next path begins
 *                              unless there is an exception: the `to` of the END
 *                              edge of its last path; EVENTS_ANYWHERE after a
 *                              jump that the table does not follow; or none
 *      frame.label             the Frame word (docs/trace-format.md) that names
 *                              it, if its routine's activations are numbered
 *
 * A path that enters its routine pushes a frame.  Any other path belongs to an existing frame,
 * nearly always to the topmost.  If it does not fit there, activations have ended without a path
 * that shows it: longjmp, exceptions.  Then the path's frame is, searching from the top,
 *
 *      1. the nearest of that routine that resumes at this block or anywhere,
 *         or whose last statement's exceptions land there: of two activations
 *         that stopped at one call the inner one gets the exception;
 *      2. else the nearest of a routine that non-local returns may enter;
 *      3. else the nearest of that routine, which contradicts the table;
 *      4. else none: the activation began before the first event seen, so it
 *         lies below all frames, and a frame is made for it.
 *
 * All frames above it have left.  The search skips frames that can go on nowhere.
 *
 * The activation to which longjmp returns cannot be inferred, so the program emits the word Frame d
 * before the next path.  It means the topmost frame with that label; all frames above it have left.
 * Numbers are counted here as the program counts them.  If no frame has the label, the topmost gets
 * it.
 *
 * The word Gap stands where recording was stopped and started again.  It removes all frames; those
 * that go on are found by rule 4.
 */
#ifndef WPP_EVENTS_H
#define WPP_EVENTS_H

#include "wpp/wpp.h"

#define EVENTS_ANYWHERE UINT32_MAX

enum events_arrival {
    ARRIVAL_ENTER,         /* the path begins at its routine's entry */
    ARRIVAL_RESUME,        /* it continues the topmost activation, where that stopped */
    ARRIVAL_UNWIND,        /* rule 1, after activations above had to leave */
    ARRIVAL_NONLOCAL,      /* rule 2 */
    ARRIVAL_IMPOSSIBLE,    /* rule 3 */
    ARRIVAL_UNSEEN,        /* rule 4 */
    ARRIVAL_FRAME,         /* no path: a Frame word named the activation that goes on */
    ARRIVAL_GAP,           /* no path: recording was stopped before; no activation is known */
    ARRIVAL_NONE           /* a terminal without routine: no activation is touched */
};

/* The effect of one terminal, in this order: the topmost `left` activations left; a frame was made
 * at `depth` if arrival is ENTER or UNSEEN; the path ran in the frame at `depth`, now the topmost;
 * that frame left if `leaves`. */
struct events_step {
    enum events_arrival arrival;
    uint32_t left;
    uint32_t depth;
    bool leaves;
};

/* An activation in the machine.  Equal ones behave alike. */
struct events_frame {
    uint32_t routine;
    uint32_t at;           /* last block of its last path, if exceptions out of it have a
                              landing; else 0 */
    uint32_t resume;       /* block, EVENTS_ANYWHERE, or a value for `nowhere` */
    uint32_t label;        /* the Frame word, or 0 */
    bool nonlocal, numbered;
};

struct events;

/* Makes an empty stack.  NULL: no memory. */
struct events *events_new(void);
void events_free(struct events *e);

/* Takes the next terminal; `routine` is its routine, or NULL.  False: no memory; the machine has
 * not changed. */
bool events_next(struct events *e, const struct wpp_terminal *terminal,
                 const struct wpp_routine *routine, struct events_step *out);

/* Facts from the table about an activation whose last path was this terminal: */

/* The block of its next path unless there is an exception; or EVENTS_ANYWHERE; or a value that is
 * no block, if it has left or only an exception lets it go on. */
uint32_t events_resume(const struct wpp_terminal *terminal, const struct wpp_routine *routine);
/* The block in which it stopped. */
uint32_t events_stop(const struct wpp_terminal *terminal);
/* The first landing of exceptions out of `block`, if there is one with that src. */
uint32_t events_landing(const struct wpp_routine *routine, uint32_t block);

/* ---- A stretch of events: its requirements and its effect -----------------------------
 *
 * The same events have the same effect if they find the same state: the topmost activations that
 * they look at, and the number of the next numbered activation if they read it.  An effect holds
 * both the state that was found and the state that was left behind:
 *
 *      before       [ untouched | seen, topmost first ]
 *      afterwards   [ untouched | after, topmost last ]
 *                                 the first n_seen - left of which were there before
 */
struct events_effect {
    uint32_t n_seen, n_after;
    uint32_t left;                       /* activations from before that have left; <= n_seen */
    const struct events_frame *seen, *after;
    bool bottom;                         /* `seen` is the whole stack, and the events depend on
                                            that */
    bool reads_number, writes_number;
    uint32_t number_before, number_after;
};

/* A stretch that is being observed; stretches nest. */
struct events_stretch {
    uint32_t low, floor, depth, number;
    size_t n_seen;
    bool bottom, reads_number, writes_number;
};

void events_begin(struct events *e, struct events_stretch *s);
/* The effect of the stretch so far; the arrays live until the next call of another function. */
void events_get_effect(const struct events *e, const struct events_stretch *s,
                       struct events_effect *out);
/* Ends the stretch; the frames that it looked at count for the stretch around it. */
void events_end(struct events *e, const struct events_stretch *s);

/* Whether the events would have this effect on the current state. */
bool events_matches(const struct events *e, const struct events_effect *effect);
/* Applies the effect, which must match.  False: no memory; the machine is unusable then. */
bool events_apply(struct events *e, const struct events_effect *effect);

/* Whether they are the same to the machine. */
bool events_same_frame(const struct events_frame *a, const struct events_frame *b);
/* Where the topmost activation looks like `seen` it becomes `after`: the effect of a stretch that looked at
 * it alone and left no other behind.  False: it looks different, and the machine has not changed; or
 * no memory, and every later call fails, too. */
bool events_swap_top(struct events *e, const struct events_frame *seen, const struct events_frame *after);

/* Activations that have not left. */
uint32_t events_depth(const struct events *e);
/* These, outermost first; valid until the machine changes. */
const struct events_frame *events_frames(const struct events *e);
/* Checks the invariants of the stack; false and a static text in *why. */
bool events_check(const struct events *e, const char **why);

#endif
