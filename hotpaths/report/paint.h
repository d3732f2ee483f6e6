/* SPDX-License-Identifier: MIT */
/* paint.h - elements of the text reports: styles, indentation, names. */
#ifndef WPP_PAINT_H
#define WPP_PAINT_H

#include "hotpaths/report/report.h"
#include "wpp/base/names.h"

enum style { BOLD, ROUTINE, DIM, EXECUTED, TURNS, PLAIN };

static inline const char *style(const struct report *r, enum style style)
{
    static const char *const codes[] = {
        "\033[1m", "\033[1;36m", "\033[2m", "\033[32m", "\033[33m", "\033[0m"
    };

    return r->color ? codes[style] : "";
}

static inline void indent(FILE *out, size_t columns)
{
    fprintf(out, "%*s", (int)columns, "");
}

/* Writes a routine's name in its short form. */
static inline void put_routine(const struct report *r, const char *name)
{
    name_put(r->out, short_names_of(r->names, name));
}

#endif
