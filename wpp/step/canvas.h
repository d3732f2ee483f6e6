/* SPDX-License-Identifier: MIT */
/* canvas.h - a screen of characters in memory.  What is written to it may hold any bytes: a control
 * character, a byte that is no UTF-8, and a character without a width become `?`. */
#ifndef WPP_CANVAS_H
#define WPP_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum canvas_style {
    STYLE_PLAIN, STYLE_TITLE, STYLE_CURRENT, STYLE_PATH, STYLE_FAINT, STYLE_CHOSEN, STYLE_WARNING, N_STYLES
};

/* character 0: the second column of a wide character */
struct canvas_cell {
    uint32_t character;
    uint8_t style;
};

struct canvas {
    int rows, columns;
    bool utf8;                     /* others than ASCII can be shown */
    struct canvas_cell *cell;      /* by row, then column */
    int cursor_row, cursor_column;
};

/* Makes it that large, and blank.  All zero is an empty canvas.  False: no memory. */
bool canvas_resize(struct canvas *c, int rows, int columns);
void canvas_clear(struct canvas *c);
void canvas_free(struct canvas *c);

/* Writes a text in columns [column, end) of a row; a tab goes on at the next multiple of 8 columns behind
 * the beginning.  Returns the column behind the text. */
int canvas_text(struct canvas *c, int row, int column, int end, enum canvas_style style, const char *text);
__attribute__((format(printf, 6, 7)))
int canvas_format(struct canvas *c, int row, int column, int end, enum canvas_style style,
                  const char *format, ...);
/* Fills columns [column, end) with a character. */
void canvas_fill(struct canvas *c, int row, int column, int end, enum canvas_style style, char character);

/* Writes it as lines of text, without blanks at their ends. */
void canvas_print(FILE *out, const struct canvas *c);

#endif
