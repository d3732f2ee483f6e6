/* SPDX-License-Identifier: MIT */
/* screen.h - draws a session:
 *
 *      title          program, thread, event, time
 *      source         `>` the place, `*` lines of the path that ran, `+` that are to come
 *      stack          innermost first  | loops, outermost first; the events around
 *      overview       where in the run the chosen routine ran, the place, the marks
 *      message        or the line that is being asked for
 */
#ifndef WPP_SCREEN_H
#define WPP_SCREEN_H

#include "wpp/step/canvas.h"
#include "wpp/step/session.h"

enum { SCREEN_ROWS = 24, SCREEN_COLUMNS = 80 };    /* the least */

void screen_draw(struct canvas *c, struct session *s);

/* Columns of the overview; 0: there is none. */
int screen_overview_columns(const struct canvas *c);

#endif
