/* SPDX-License-Identifier: MIT */
/* prime-text.c - prime paths for people. */
#include <inttypes.h>

#include "wpp/base/names.h"
#include "wpp/coverage/coverage-report.h"
#include "wpp/replay/line-trail.h"

enum { MAX_RUNS = 12 };

static bool show_path(const struct coverage_report *r, uint32_t routine, uint32_t path)
{
    const struct prime_routine *x = &r->prime->routine[routine];
    const struct wpp_routine *graph = r->c->routine[routine].routine;
    const struct wpp_terminal way = {
        .blocks = x->paths.block + x->paths.first[path],
        .n_blocks = x->paths.first[path + 1] - x->paths.first[path]
    };
    struct trail trail;

    table_count(&r->text, 15, x->count[path]);
    putc(' ', r->text.out);
    name_put(r->text.out, short_names_of(r->text.names, graph->shown));
    fputs(": ", r->text.out);
    if (!trail_of(&way, graph, &trail))
        return false;
    trail_print(r->text.out, &trail, r->all ? 0 : MAX_RUNS);
    trail_free(&trail);
    fputs(", blocks", r->text.out);
    for (uint32_t i = 0; i < way.n_blocks && (r->all || i < MAX_RUNS); i++)
        fprintf(r->text.out, " %" PRIu32, way.blocks[i]);
    fputs(way.n_blocks > MAX_RUNS && !r->all ? " ...\n" : "\n", r->text.out);
    return true;
}

static void show_routines(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    table_heading(&r->text, "   prime paths     of possible  routine");
    for (uint32_t i = 0; i < r->c->n_routines; i++) {
        const struct prime_routine *x = &r->prime->routine[i];
        const struct wpp_routine *graph = r->c->routine[i].routine;

        if (!coverage_shows(r, i) || r->c->routine[i].excluded || all++ >= r->top)
            continue;
        table_count(&r->text, 14, x->executed);
        if (x->paths.limited)
            fprintf(r->text.out, "%15s ", "too many");
        else
            table_count(&r->text, 15, x->paths.n);
        putc(' ', r->text.out);
        table_named(&r->text, 33, graph->shown, "", graph->file, graph->line, 0);
        shown++;
    }
    table_more(&r->text, shown, all, "routines");
}

/* The paths of routines that were never executed would hide the others. */
bool coverage_prime_text(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    show_routines(r);
    table_heading(&r->text, r->all ? "          count  prime path" : "          count  missed prime path");
    for (uint32_t i = 0; i < r->c->n_routines; i++)
        for (uint32_t p = 0; p < r->prime->routine[i].paths.n; p++) {
            if (!coverage_executed(&r->c->routine[i])
                || (r->prime->routine[i].count[p] > 0 && !r->all) || all++ >= r->top)
                continue;
            if (!show_path(r, i, p))
                return false;
            shown++;
        }
    table_more(&r->text, shown, all, "prime paths");
    if (all == 0)
        fputs("  none\n", r->text.out);
    if (r->prime->n_limited > 0)
        fprintf(r->text.out, "%" PRIu32 " routine%s too many prime paths: %s counted\n",
                r->prime->n_limited, r->prime->n_limited == 1 ? " has" : "s have",
                r->prime->n_limited == 1 ? "its are not" : "theirs are not");
    return true;
}
