/* SPDX-License-Identifier: MIT */
/* report-annotate.c - source listings with the cost of each line.
 *
 *      share  instructions   line    source
 *    12.31 %       1230400     42 *  s += v[i];             `*`: executed
 *
 * A block's instructions are divided equally among its lines.  Files are sorted by cost; of each,
 * the executed parts are shown, with a few lines around them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/paint.h"
#include "hotpaths/report/report-source.h"
#include "wpp/profile/line-costs.h"

static void put_cost(const struct report *r, double share, double insns)
{
    const char *color = share >= 0.05 ? style(r, BOLD) : share >= 0.01 ? style(r, TURNS)
                      : style(r, DIM);

    if (insns == 0)
        fprintf(r->out, "%*s", 23, "");
    else
        fprintf(r->out, "%s%6.2f %% %14.*f%s", color, 100 * share, insns < 10, insns,
                style(r, PLAIN));
}

static void put_line(const struct report *r, const struct line_costs_file *f, uint32_t line,
                     const struct line_cost *cost, double total)
{
    size_t length;
    const char *text = source_text_line(r->sources, f->directory, f->name, line, &length);

    if (!cost && !text)
        return;
    put_cost(r, cost && total > 0 ? cost->insns / total : 0, cost ? cost->insns : 0);
    fprintf(r->out, " %6" PRIu32 " %c", line, cost ? '*' : ' ');
    if (text && length > 0)
        putc(' ', r->out);
    for (size_t i = 0; text && i < length; i++)
        putc((unsigned char)text[i] < 0x20 && text[i] != '\t' ? '?' : text[i], r->out);
    putc('\n', r->out);
}

/* Short gaps between executed lines are shown, too. */
static void put_file(const struct report *r, const struct line_costs_file *f, double total)
{
    fprintf(r->out, "\n%s%5.1f %%  ", style(r, BOLD), total > 0 ? 100 * f->insns / total : 0);
    name_put(r->out, f->name);
    fprintf(r->out, "%s\n", style(r, PLAIN));
    for (size_t i = 0; i < f->n; i++) {
        uint32_t line = f->line[i].line;
        bool close = i > 0 && line - f->line[i - 1].line <= REPORT_CONTEXT + 1;

        if (i > 0 && !close)
            fprintf(r->out, "%*s%s:%s\n", 30, "", style(r, DIM), style(r, PLAIN));
        for (uint32_t gap = close ? f->line[i - 1].line + 1 : line; gap < line; gap++)
            put_line(r, f, gap, NULL, total);
        put_line(r, f, line, &f->line[i], total);
    }
}

bool report_annotate(const struct report *r, uint32_t thread)
{
    struct line_costs costs;
    struct report_doubts doubts = { 0 };

    if (!line_costs_measure(&costs, r->w, thread))
        return false;
    name_put(r->out, r->file_name);
    fprintf(r->out, ": %.0f instructions by source line (%.0f have none); a block's are those of "
            "its lines, in equal parts\n", costs.total, costs.nowhere);
    for (size_t i = 0; i < costs.n; i++) {
        const struct line_costs_file *f = &costs.file[i];

        put_file(r, f, costs.total);
        doubts.missing |= !source_text_has(r->sources, f->directory, f->name);
        doubts.newer |= !source_is_known(r->w, f->directory, f->name)
                     && source_text_is_newer(r->sources, f->directory, f->name, report_started(r));
    }
    report_put_doubts(r, &doubts);
    line_costs_free(&costs);
    return true;
}
