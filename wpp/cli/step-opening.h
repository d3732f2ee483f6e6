/* SPDX-License-Identifier: MIT */
/* step-opening.h - opens a run for wpp-step's terminal: of a large one the beginning is there at once, and a thread
 * reads the whole run meanwhile. */
#ifndef WPP_STEP_OPENING_H
#define WPP_STEP_OPENING_H

#include "wpp/step/session.h"

struct step_opening;

/* Begins an early session (session.h) in *s with the beginning of `w`, which is from wpp_open_unread(), and starts
 * to read the whole run.  From then on `w` belongs to the opening.  NULL: the run is no large one, its beginning has
 * no lines, or there can be no thread: `w` is to be read on. */
struct step_opening *step_opening_begin(wpp *w, const char *path, uint32_t thread, struct session *s);
/* Whether the whole run is there. */
bool step_opening_is_done(struct step_opening *o);
/* Once it is: takes the place of the early session in *s, and says what the whole run is, with its stacks.  False:
 * *error.  The opening is freed. */
bool step_opening_take(struct step_opening *o, struct session *s, wpp **w, wpp_stacks **stacks,
                       struct wpp_error *error);

#endif
