/* SPDX-License-Identifier: MIT */
/* line-costs.h - what each source line cost in instructions: those of a block are divided equally
 * among its lines. */
#ifndef WPP_LINE_COSTS_H
#define WPP_LINE_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct line_cost {
    uint32_t line;
    double insns;
};

struct line_costs_file {
    const char *name, *directory;   /* as compiled; they belong to the wpp */
    struct line_cost *line;         /* executed lines, ascending */
    size_t n;
    double insns;
};

struct line_costs {
    struct line_costs_file *file;   /* most expensive first */
    size_t n;
    struct line_cost *lines;        /* file[].line points into them */
    double total, nowhere;          /* of everything; of code without lines */
};

/* `thread`: only this one, or UINT32_MAX.  False: no memory. */
bool line_costs_measure(struct line_costs *h, const wpp *w, uint32_t thread);
void line_costs_free(struct line_costs *h);

#endif
