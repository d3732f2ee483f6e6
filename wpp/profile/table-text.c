/* SPDX-License-Identifier: MIT */
#include "wpp/profile/table-text.h"

#include <inttypes.h>
#include <string.h>

#include "wpp/base/clipped-output.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"

enum { NAME_SIZE = 400, PLACE_SIZE = 300, LEAST_NAME = 8, LINES_WIDTH = 12 };

void table_share(const struct table_text *t, double part, double whole)
{
    char text[NUMBER_TEXT];

    fprintf(t->out, "%9s ", number_percent(part, whole, text));
}

void table_count(const struct table_text *t, int width, uint64_t n)
{
    char text[NUMBER_TEXT];

    fprintf(t->out, "%*s ", width, number_grouped(n, text));
}

static void put_style(const struct table_text *t, const char *code)
{
    if (t->color)
        fputs(code, t->out);
}

void table_heading(const struct table_text *t, const char *text)
{
    putc('\n', t->out);
    put_style(t, "\033[1m");
    fputs(text, t->out);
    put_style(t, "\033[0m");
    putc('\n', t->out);
}

static unsigned width_of(const char *text)
{
    return clipped_width(text, strlen(text));
}

/* The end of a path, beginning at a folder's name, in at most `size` characters. */
static const char *path_end(const char *path, unsigned size)
{
    const char *end = path;

    while (width_of(end) > size && strchr(end, '/'))
        end = strchr(end, '/') + 1;
    return end;
}

static void place_text(char *out, const char *file, uint32_t line, uint32_t last, unsigned size)
{
    const char *end = path_end(file, size);

    if (!file[0] || line == 0)
        snprintf(out, PLACE_SIZE, "%s", end);
    else if (last > line)
        snprintf(out, PLACE_SIZE, "%s:%" PRIu32 "-%" PRIu32, end, line, last);
    else
        snprintf(out, PLACE_SIZE, "%s:%" PRIu32, end, line);
}

void table_named(const struct table_text *t, unsigned used, const char *name, const char *remark,
                 const char *file, uint32_t line, uint32_t last)
{
    char shorter[NAME_SIZE], place[PLACE_SIZE];
    unsigned left = t->columns > used ? t->columns - used : 0, others;

    name = short_names_of(t->names, name);
    others = width_of(name) + width_of(remark) + 2 + LINES_WIDTH;
    place_text(place, file, line, last, left == 0 ? PLACE_SIZE - LINES_WIDTH
                                        : left > others + LEAST_NAME ? left - others : LEAST_NAME);
    others = width_of(remark) + width_of(place) + 2;
    if (left && width_of(name) + others > left) {
        unsigned size = left > others + LEAST_NAME ? left - others : LEAST_NAME;

        name_shorten(name, shorter, (size < NAME_SIZE ? size : NAME_SIZE - 1) + 1);
        name = shorter;
    }
    name_put(t->out, name);
    fputs(remark, t->out);
    put_style(t, "\033[2m");
    fputs("  ", t->out);
    name_put(t->out, place);
    put_style(t, "\033[0m");
    putc('\n', t->out);
}

void table_place(const struct table_text *t, unsigned used, const char *file, uint32_t line)
{
    char place[PLACE_SIZE];

    place_text(place, file, line, 0,
               t->columns > used ? t->columns - used : PLACE_SIZE - LINES_WIDTH);
    name_put(t->out, place);
    putc('\n', t->out);
}

void table_more(const struct table_text *t, uint64_t shown, uint64_t all, const char *what)
{
    if (all > shown)
        fprintf(t->out, "  ... and %" PRIu64 " more %s (--top=%" PRIu64 " shows all)\n", all - shown,
                what, all);
}

void table_command(const struct table_text *t, const char *command)
{
    char text[NAME_SIZE];

    if (t->columns == 0 || width_of(command) <= t->columns) {
        name_put(t->out, command);
    } else {
        snprintf(text, sizeof text, "%.*s...", (int)(t->columns > 80 ? 80 : t->columns) - 4, command);
        name_put(t->out, text);
    }
    putc('\n', t->out);
}
