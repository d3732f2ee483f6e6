/* SPDX-License-Identifier: MIT */
/* clipped-output.c - lines cut at the terminal's edge; see clipped-output.h. */
#include "wpp/base/clipped-output.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

/* A character is counted when its first byte comes, and its other bytes follow it or are dropped
 * with it.  Its width is known when all its bytes are there: `character` gathers them. */
struct clipped {
    FILE *to;
    unsigned columns;
    unsigned column;            /* how many of this line are taken */
    bool full;                  /* nothing more of this line goes on */
    bool escaping;              /* within an escape sequence */
    char character[4];
    unsigned have, want;        /* bytes of the character */
};

enum { TAB = 8 };

static uint32_t decode(const char *c, unsigned n)
{
    static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t code = (unsigned char)c[0] & first[n];

    for (unsigned i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)c[i] & 0x3f);
    return code;
}

static unsigned width_of(uint32_t code)
{
    static const struct { uint32_t first, last; unsigned width; } ranges[] = {
        { 0x300, 0x36f, 0 }, { 0x200b, 0x200f, 0 }, { 0xfe00, 0xfe0f, 0 },
        { 0x1100, 0x115f, 2 }, { 0x2e80, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 },
        { 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 }, { 0xffe0, 0xffe6, 2 },
        { 0x1f300, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].width;
    return 1;
}

/* Bytes of the character that begins with this one; 1 for what is no UTF-8. */
static unsigned bytes_of(unsigned char first)
{
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 1;
}

static void put_character(struct clipped *c)
{
    unsigned width = c->character[0] == '\t' ? TAB - c->column % TAB
                                             : width_of(decode(c->character, c->have));

    if (!c->full && c->column + width <= c->columns) {
        fwrite(c->character, 1, c->have, c->to);
        c->column += width;
    } else {
        c->full = true;
    }
    c->have = 0;
}

static void put_byte(struct clipped *c, char byte)
{
    if (byte == '\n' || byte == '\033') {
        putc(byte, c->to);
        c->escaping = byte == '\033';
        c->have = 0;
        if (byte == '\n') {
            c->column = 0;
            c->full = false;
        }
        return;
    }
    if (c->escaping) {
        putc(byte, c->to);
        c->escaping = byte == '[' || byte == ';' || (byte >= '0' && byte <= '9');
        return;
    }
    if (c->have == 0)
        c->want = bytes_of((unsigned char)byte);
    c->character[c->have++] = byte;
    if (c->have == c->want)
        put_character(c);
}

static ssize_t write_clipped(void *cookie, const char *bytes, size_t n)
{
    struct clipped *c = cookie;

    for (size_t i = 0; i < n; i++)
        put_byte(c, bytes[i]);
    return ferror(c->to) ? -1 : (ssize_t)n;
}

static int close_clipped(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *clipped_open(FILE *to, unsigned columns)
{
    cookie_io_functions_t io = { .write = write_clipped, .close = close_clipped };
    struct clipped *c = calloc(1, sizeof *c);
    FILE *out;

    if (!c)
        return NULL;
    *c = (struct clipped){ .to = to, .columns = columns };
    out = fopencookie(c, "w", io);
    if (!out)
        free(c);
    return out;
}

unsigned clipped_width(const char *text, size_t n)
{
    unsigned width = 0;

    for (size_t i = 0, bytes; i < n; i += bytes) {
        bytes = bytes_of((unsigned char)text[i]);
        if (bytes > n - i)
            bytes = n - i;
        width += width_of(decode(text + i, (unsigned)bytes));
    }
    return width;
}
