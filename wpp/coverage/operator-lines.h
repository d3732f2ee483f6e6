/* SPDX-License-Identifier: MIT */
/* operator-lines.h - on which lines of the sources `&&`, `||`, `and` or `or` stands. */
#ifndef WPP_OPERATOR_LINES_H
#define WPP_OPERATOR_LINES_H

#include "wpp/replay/source-files.h"
#include "wpp/trace/moved.h"

struct operator_lines {
    const struct wpp_moved *moved;     /* where the sources are; NULL: where they were compiled */
    struct source_files files;
    bool **line;               /* by file, then line; NULL: not read yet, or it cannot be */
    uint32_t *n;               /* lines of a file; UINT32_MAX: not read yet */
    uint32_t capacity;
    bool failed;               /* no memory */
};

/* Whether one stands on a line from a to b of the file.  False also if the file cannot be read. */
bool operator_lines_between(struct operator_lines *o, const char *directory, const char *file,
                            uint32_t a, uint32_t b);
void operator_lines_free(struct operator_lines *o);

#endif
