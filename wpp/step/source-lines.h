/* SPDX-License-Identifier: MIT */
/* source-lines.h - the lines of source files, read when they are first asked for. */
#ifndef WPP_SOURCE_LINES_H
#define WPP_SOURCE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct source_lines {
    char *path;
    char *text;                    /* NULL: the file cannot be read */
    uint32_t n;
    char **line;                   /* each ends with a zero; one that the file holds ends the line, too */
    struct source_lines *next;
};

/* All zero is an empty set. */
struct source_set {
    struct source_lines *files;
};

/* The file where it was compiled, or else relative to the current directory.  NULL: no memory. */
const struct source_lines *source_set_get(struct source_set *s, const char *directory, const char *file);
void source_set_free(struct source_set *s);

#endif
