/* SPDX-License-Identifier: MIT */
/* table-text.h - the rows of tables for people; no line is wider than the terminal. */
#ifndef WPP_TABLE_TEXT_H
#define WPP_TABLE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wpp/replay/short-names.h"

struct table_text {
    FILE *out;
    struct short_names *names; /* all names of the text have been added */
    bool color;
    unsigned columns;          /* the most columns of a line; 0: no limit */
};

/* Writes ` 12.3 % `: 10 columns. */
void table_share(const struct table_text *t, double part, double whole);
/* Writes `1,234,567 `: right-aligned in `width` columns, then a blank. */
void table_count(const struct table_text *t, int width, uint64_t n);

/* Writes an empty line and a table's heading. */
void table_heading(const struct table_text *t, const char *text);

/* Writes a name and its place into the rest of a line, after `used` columns.  If there is not
 * enough room, first the file's folders are left out, then the name is shortened.  Lines `line` to
 * `last`; 0: unknown, or only one line. */
void table_named(const struct table_text *t, unsigned used, const char *name, const char *remark,
                 const char *file, uint32_t line, uint32_t last);
/* Writes only a place, in the same way. */
void table_place(const struct table_text *t, unsigned used, const char *file, uint32_t line);

/* Writes how many rows are not shown, if there are any. */
void table_more(const struct table_text *t, uint64_t shown, uint64_t all, const char *what);

/* Writes a command on one line of the terminal. */
void table_command(const struct table_text *t, const char *command);

#endif
