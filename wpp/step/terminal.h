/* SPDX-License-Identifier: MIT */
/* terminal.h - the screen and the keys of a terminal, by ncurses.  There is one: ncurses keeps its state in
 * the process. */
#ifndef WPP_TERMINAL_H
#define WPP_TERMINAL_H

#include "wpp/step/canvas.h"

/* A key: a character of Unicode, or one of these. */
enum terminal_key {
    TERMINAL_NO_KEY = -1,          /* none came in time */
    TERMINAL_CLOSED = -2,          /* none will come any more */
    TERMINAL_UP = 0x110000, TERMINAL_DOWN, TERMINAL_PAGE_UP, TERMINAL_PAGE_DOWN, TERMINAL_HOME,
    TERMINAL_END, TERMINAL_ENTER, TERMINAL_BACKSPACE, TERMINAL_ESCAPE, TERMINAL_RESIZED, TERMINAL_OTHER
};

/* Takes over the terminal of standard output.  False: it has none, or one of an unknown type. */
bool terminal_open(bool color);
void terminal_close(void);
void terminal_size(int *rows, int *columns);
void terminal_show(const struct canvas *c);
/* Everything is sent again with the next screen. */
void terminal_redraw(void);
/* Waits so long for a key; milliseconds < 0: until one comes. */
int terminal_key(int milliseconds);

#endif
