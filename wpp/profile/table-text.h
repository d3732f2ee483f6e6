/* SPDX-License-Identifier: MIT */
/* table-text.h - the rows of tables for people, nothing wider than the terminal. */
#ifndef WPP_TABLE_TEXT_H
#define WPP_TABLE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wpp/replay/short-names.h"

struct table_text {
    FILE *out;
    struct short_names *names; /* all that the text says are added, and settled */
    bool color;
    unsigned columns;          /* no line is longer; 0: as long as need be */
};

/* ` 12.3 % `: 10 columns. */
void table_share(const struct table_text *t, double part, double whole);
/* `1,234,567 `, to the right in `width` columns, and a blank. */
void table_count(const struct table_text *t, int width, uint64_t n);

/* Each table has one, behind an empty line. */
void table_heading(const struct table_text *t, const char *text);

/* A name and its place in what is left of the line behind `used` columns: if it is too little, the
 * file goes without its folders, then the name is shortened.  Lines `line` to `last`; 0: unknown, or
 * only one. */
void table_named(const struct table_text *t, unsigned used, const char *name, const char *remark,
                 const char *file, uint32_t line, uint32_t last);
/* A place alone, likewise. */
void table_place(const struct table_text *t, unsigned used, const char *file, uint32_t line);

/* How many rows are not shown, if there are any. */
void table_more(const struct table_text *t, uint64_t shown, uint64_t all, const char *what);

/* A command, on one line of the terminal. */
void table_command(const struct table_text *t, const char *command);

#endif
