/* SPDX-License-Identifier: MIT */
/* line-costs.h - what each source line cost in instructions: those of a block are divided equally
 * among its lines. */
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
    const char *name, *directory;   /* as compiled; they belong to the wpp */
    struct heat_line *line;         /* executed lines, ascending */
    size_t n;
    double insns;
};

struct heat {
    struct heat_file *file;         /* most expensive first */
    size_t n;
    struct heat_line *lines;        /* file[].line points into them */
    double total, nowhere;          /* of everything; of code without lines */
};

/* `thread`: only this one, or UINT32_MAX.  False: no memory. */
bool heat_measure(struct heat *h, const wpp *w, uint32_t thread);
void heat_free(struct heat *h);

#endif
