/* SPDX-License-Identifier: MIT */
#include "wpp/step/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "wpp/base/utf8.h"

enum { TAB = 8 };

bool canvas_resize(struct canvas *c, int rows, int columns)
{
    struct canvas_cell *cell = calloc((size_t)rows * columns + 1, sizeof *cell);

    if (!cell)
        return false;
    free(c->cell);
    c->cell = cell;
    c->rows = rows;
    c->columns = columns;
    canvas_clear(c);
    return true;
}

void canvas_clear(struct canvas *c)
{
    for (int i = 0; i < c->rows * c->columns; i++)
        c->cell[i] = (struct canvas_cell){' ', STYLE_PLAIN};
    c->cursor_row = c->cursor_column = 0;
}

void canvas_free(struct canvas *c)
{
    free(c->cell);
    *c = (struct canvas){0};
}

/* The character at s, and in *length its bytes; `?` for what must not be shown. */
static uint32_t character_at(const struct canvas *c, const unsigned char *s, int *length)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t character;

    *length = utf8_length(s);
    if (*length == 0) {
        *length = 1;
        return '?';
    }
    character = s[0] & first[*length];
    for (int i = 1; i < *length; i++)
        character = character << 6 | (s[i] & 0x3f);
    if (character < ' ' || character == 0x7f || (character > 0x7f && !c->utf8)
        || wcwidth((wchar_t)character) < 1)
        return '?';
    return character;
}

static int put(struct canvas *c, int row, int column, int end, enum canvas_style style, uint32_t character)
{
    int width = character < 0x80 ? 1 : wcwidth((wchar_t)character);

    if (column + width > end)
        return end;
    c->cell[row * c->columns + column] = (struct canvas_cell){character, (uint8_t)style};
    for (int i = 1; i < width; i++)
        c->cell[row * c->columns + column + i] = (struct canvas_cell){0, (uint8_t)style};
    return column + width;
}

int canvas_text(struct canvas *c, int row, int column, int end, enum canvas_style style, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int begin = column, length;

    if (row < 0 || row >= c->rows)
        return column;
    end = end < c->columns ? end : c->columns;
    for (; *s && column < end; s += length) {
        if (*s == '\t') {
            int next = begin + (column - begin) / TAB * TAB + TAB;

            length = 1;
            canvas_fill(c, row, column, next, style, ' ');
            column = next < end ? next : end;
            continue;
        }
        column = put(c, row, column, end, style, character_at(c, s, &length));
    }
    return column;
}

int canvas_format(struct canvas *c, int row, int column, int end, enum canvas_style style,
                  const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return column;
    column = canvas_text(c, row, column, end, style, text);
    free(text);
    return column;
}

void canvas_fill(struct canvas *c, int row, int column, int end, enum canvas_style style, char character)
{
    end = end < c->columns ? end : c->columns;
    for (; row >= 0 && row < c->rows && column < end; column++)
        c->cell[row * c->columns + column] = (struct canvas_cell){(unsigned char)character, (uint8_t)style};
}

static void print_character(FILE *out, uint32_t c)
{
    if (c < 0x80) {
        putc((int)c, out);
    } else if (c < 0x800) {
        fprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        fprintf(out, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
    } else {
        fprintf(out, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
                0x80 | (c & 0x3f));
    }
}

void canvas_print(FILE *out, const struct canvas *c)
{
    for (int row = 0; row < c->rows; row++) {
        const struct canvas_cell *cell = c->cell + row * c->columns;
        int end = c->columns;

        while (end > 0 && cell[end - 1].character == ' ')
            end--;
        for (int i = 0; i < end; i++)
            if (cell[i].character)
                print_character(out, cell[i].character);
        putc('\n', out);
    }
}
