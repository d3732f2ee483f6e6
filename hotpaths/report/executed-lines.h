/* SPDX-License-Identifier: MIT */
/* executed-lines.h - the source lines that one acyclic path executes.
 *
 * Lines are grouped by file: the routine's own file first, the others (of inlined code) in the
 * order in which the path reaches them.  Within a file they ascend and differ.  `order` ascends
 * with the first execution of each line, over all files; `inlined` is the inlined call whose code
 * the line was then (as in struct wpp_line).
 */
#ifndef WPP_EXECUTED_LINES_H
#define WPP_EXECUTED_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct executed_file {
    const char *name;           /* as given to the compiler; belongs to the wpp */
    uint32_t *lines;
    uint32_t *order;
    uint32_t *inlined;
    size_t n_lines;
};

struct executed_lines {
    struct executed_file *files;
    size_t n_files;
    uint32_t *all;              /* files[].lines, .order and .inlined point into it */
};

/* Fills `p` (executed_lines_free); it is empty for raw symbols and for code compiled without lines.
 * False: no memory. */
bool executed_lines_of(struct executed_lines *p, const wpp *w, uint32_t terminal);

/* The same, but code of system headers is replaced by the user's own lines into which it was
 * inlined (own-code.h).  Lines without such an own line are left out, unless the path has no
 * others. */
bool executed_lines_own(struct executed_lines *p, const wpp *w, uint32_t terminal);

/* Only the lines of one inlined call (as in struct wpp_line), or of the routine's own code. */
bool executed_lines_of_call(struct executed_lines *p, const wpp *w, uint32_t terminal,
                            uint32_t call);

void executed_lines_free(struct executed_lines *p);

/* The end of the run of lines that begins with line number `i` of the file and has no gap of more
 * than `gap` lines. */
size_t executed_range_end(const struct executed_file *f, size_t i, uint32_t gap);

#endif
