/* SPDX-License-Identifier: MIT */
/* mcdc-text.c - decisions and their vectors, for people. */
#include <inttypes.h>

#include "wpp/base/names.h"
#include "wpp/coverage/coverage-report.h"

static const struct wpp_routine *graph_of(const struct coverage_report *r,
                                          const struct mcdc_decision *x)
{
    return r->c->routine[x->routine].routine;
}

static void put_place(const struct coverage_report *r, const struct mcdc_decision *x)
{
    const struct wpp_routine *graph = graph_of(r, x);

    name_put(r->text.out, x->line ? x->line->file : graph->file);
    if (x->line)
        fprintf(r->text.out, ":%" PRIu32, x->line->line);
    fputs(", ", r->text.out);
    name_put(r->text.out, short_names_of(r->text.names, graph->shown));
}

/* `condition 2 (line 17)`: where it is not on the decision's first line. */
static void put_conditions(const struct coverage_report *r, const struct mcdc_decision *x)
{
    bool any = false;

    for (uint32_t i = 0; i < x->d.n_conditions; i++) {
        const struct wpp_block *b = &graph_of(r, x)->blocks[x->d.condition[i]];

        if (x->shown[i])
            continue;
        fprintf(r->text.out, "%s %" PRIu32, any ? "," : "; not shown:", i + 1);
        if (b->n_lines > 0 && x->line && b->lines[b->n_lines - 1].line != x->line->line)
            fprintf(r->text.out, " (line %" PRIu32 ")", b->lines[b->n_lines - 1].line);
        if (!x->possible[i])
            fputs(" (cannot be)", r->text.out);
        any = true;
    }
    putc('\n', r->text.out);
}

static void show_vectors(const struct coverage_report *r, const struct mcdc_decision *x)
{
    for (uint32_t v = 0; v < x->d.n_vectors; v++) {
        const struct decision_vector *vector = &x->d.vector[v];

        if (vector->count == 0 && !x->missing[v] && !r->all)
            continue;
        table_count(&r->text, 15, vector->count);
        fprintf(r->text.out, "   %s -> %c%s\n", vector->value, vector->outcome ? 'T' : 'F',
                x->missing[v] ? "  missing" : "");
    }
}

static void show_decision(const struct coverage_report *r, const struct mcdc_decision *x)
{
    fprintf(r->text.out, "%8" PRIu32 " of %-4" PRIu32, x->n_shown, x->d.n_conditions);
    put_place(r, x);
    put_conditions(r, x);
    show_vectors(r, x);
}

/* Shows the decisions with one condition, or those with more. */
static void show_some(const struct coverage_report *r, bool single, uint64_t *shown, uint64_t *all)
{
    for (uint32_t i = 0; i < r->mcdc->n; i++) {
        const struct mcdc_decision *x = &r->mcdc->decision[i];
        bool missed = x->n_shown < x->d.n_conditions && coverage_executed(&r->c->routine[x->routine]);

        if ((x->d.n_conditions == 1) != single || (!missed && !r->all) || (*all)++ >= r->top)
            continue;
        show_decision(r, x);
        ++*shown;
    }
}

/* A decision with one condition is no more than its branches. */
bool coverage_mcdc_text(const struct coverage_report *r)
{
    uint64_t shown = 0, all = 0;

    table_heading(&r->text, "   conditions  decision");
    show_some(r, false, &shown, &all);
    show_some(r, true, &shown, &all);
    table_more(&r->text, shown, all, "decisions");
    if (all == 0)
        fputs("  none\n", r->text.out);
    else
        fputs("values of the conditions, in their order: T true, F false, - not evaluated; -> the decision\n",
              r->text.out);
    if (r->mcdc->n_limited > 0)
        fprintf(r->text.out, "%" PRIu32 " decision%s too many vectors to look at\n", r->mcdc->n_limited,
                r->mcdc->n_limited == 1 ? " has" : "s have");
    if (r->mcdc->n_optimised > 0)
        fprintf(r->text.out, "%" PRIu32 " routine%s optimised, so conditions are not known: compile with -O0, "
                "or stage=early\n", r->mcdc->n_optimised, r->mcdc->n_optimised == 1 ? " was" : "s were");
    return true;
}
