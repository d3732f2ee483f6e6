/* SPDX-License-Identifier: MIT */
/* line-table.h - the source line of an address, by the DWARF sections that -g makes.
 *
 * Of the debugging information only the line tables are read, versions 2 to 5: they give the
 * innermost line.
 */
#ifndef WPP_LINE_TABLE_H
#define WPP_LINE_TABLE_H

#include "wpp/base/bytes.h"
#include "wpp/trace/elf.h"
#include "wpp/wpp.h"

struct wpp_line_table {
    struct wpp_bytes lines;            /* .debug_line */
    struct wpp_bytes line_strings;     /* .debug_line_str */
    struct wpp_bytes strings;          /* .debug_str */
};

/* Reads the sections; those that are missing or compressed stay empty.  Never fails otherwise than
 * by leaving them empty. */
void wpp_line_table_read(struct wpp_line_table *t, struct wpp_elf *elf);
void wpp_line_table_free(struct wpp_line_table *t);

/* The file's name, its directory put in front if the table has one, and the line, of the code at a
 * virtual address of the file.  `file` is the arena's.  False: not known, or no memory
 * (arena->failed).  Cost: O(size of .debug_line). */
struct wpp_line_place {
    const char *file;
    uint32_t line;
};
struct wpp_arena;
bool wpp_line_table_find(const struct wpp_line_table *t, uint64_t address,
                         struct wpp_arena *arena, struct wpp_line_place *out);

#endif
