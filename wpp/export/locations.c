/* SPDX-License-Identifier: MIT */
#include "wpp/export/locations.h"

#include <math.h>

struct wpp_line location_of_routine(const struct wpp_routine *routine)
{
    return (struct wpp_line){routine->file, routine->line, 0};
}

bool locations_of_block(const struct wpp_block *block, double cost, struct wpp_line *where,
                        location_cost *visit, void *ctx)
{
    uint32_t n = 0, k = 0;
    bool ok = true;

    for (uint32_t i = 0; i < block->n_lines; i++)
        n += block->lines[i].line > 0;
    for (uint32_t i = 0; ok && i < block->n_lines; i++) {
        if (block->lines[i].line == 0)
            continue;
        *where = block->lines[i];
        double part = floor(cost * (k + 1) / n) - floor(cost * k / n);
        k++;
        ok = part == 0 || visit(ctx, where, part);
    }
    return n > 0 || cost == 0 ? ok : visit(ctx, where, cost);
}

bool locations_of_path(const wpp *w, uint32_t terminal, double times, location_cost *visit, void *ctx)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine = wpp_routine(w, t->routine);
    struct wpp_line where = location_of_routine(routine);
    double rest = times * (double)t->insns;
    bool ok = true;

    for (uint32_t i = 0; ok && i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];
        double cost = times * b->insns;

        ok = locations_of_block(b, cost, &where, visit, ctx);
        rest -= cost;
    }
    return ok && (rest == 0 || visit(ctx, &where, rest));     /* an empty path costs 1 */
}

struct wpp_line location_of_end(const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine = wpp_routine(w, t->routine);

    for (uint32_t i = t->n_blocks; i-- > 0;) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = b->n_lines; k-- > 0;)
            if (b->lines[k].line > 0)
                return b->lines[k];
    }
    return location_of_routine(routine);
}
