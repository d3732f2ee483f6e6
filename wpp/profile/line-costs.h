/* SPDX-License-Identifier: MIT */
/* line-costs.h - what each source line cost in instructions: a block's are those of its
 * lines, in equal parts. */
#ifndef WPP_LINE_COSTS_H
#define WPP_LINE_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct heat_line {
    uint32_t line;
    double insns;
};

struct heat_file {
    const char *name, *directory;   /* as compiled; the wpp's */
    struct heat_line *line;         /* executed ones, ascending */
    size_t n;
    double insns;
};

struct heat {
    struct heat_file *file;         /* dearest first */
    size_t n;
    struct heat_line *lines;        /* what file[].line point into */
    double total, nowhere;          /* of all; of what has no line */
};

/* `thread`: only this one, or UINT32_MAX.  False when there is no memory. */
bool heat_measure(struct heat *h, const wpp *w, uint32_t thread);
void heat_free(struct heat *h);

#endif
