/* SPDX-License-Identifier: MIT */
/* suspects-text.c - for people: a few lines for each suspect. */
#include <inttypes.h>

#include "wpp/base/number-text.h"
#include "wpp/runs/suspects-report.h"

static const char *const words[] = {[SUSPECT_IMPORTANCE] = "importance", [SUSPECT_INCREASE] = "increase",
                                    [SUSPECT_OCHIAI] = "ochiai", [SUSPECT_TARANTULA] = "tarantula",
                                    [SUSPECT_BITS] = "bits"};

static void put_number(FILE *out, uint64_t n)
{
    char text[NUMBER_TEXT];

    fputs(number_grouped(n, text), out);
}

static void put_head(const struct suspects_report *r)
{
    put_number(r->out, r->s->n_fail);
    fprintf(r->out, " failing and ");
    put_number(r->out, r->s->n_pass);
    fprintf(r->out, " passing run%s", r->s->n_pass == 1 ? "" : "s");
    if (r->n_builds > 1)
        fprintf(r->out, " of %" PRIu32 " builds", r->n_builds);
    if (r->n_unknown > 0)
        fprintf(r->out, " (%" PRIu32 " without a label left out)", r->n_unknown);
    fputs("; ", r->out);
    put_number(r->out, r->ranking->n_predicates);
    fputs(" predicates are true of failing runs\n", r->out);
    if (r->s->pairs_left_out)
        fputs("(only the paths that most failing runs executed were looked at for `before`)\n", r->out);
}

/* The error is shown where the score has one. */
static void put_score(const struct suspects_report *r, const struct suspect *x)
{
    double error = r->sort == SUSPECT_IMPORTANCE ? x->by.importance_error
                   : r->sort == SUSPECT_INCREASE ? x->by.increase_error : -1;

    fprintf(r->out, "%5" PRIu32 "  %10.3f", x->rank, x->score);
    if (error >= 0)
        fprintf(r->out, " +-%5.3f", error);
    else
        fputs("        ", r->out);
}

static void put_parting(const struct suspects_report *r, size_t row)
{
    const struct suspect_parting *p = &r->parting[row];

    if (p->pair.fail == UINT32_MAX)
        return;
    fprintf(r->out, "       run %lld fails so", (long long)r->s->run[p->pair.fail].id);
    if (p->pair.pass != UINT32_MAX)
        fprintf(r->out, "; run %lld passes, with %.1f %% of the paths in common",
                (long long)r->s->run[p->pair.pass].id, 100 * p->pair.common);
    putc('\n', r->out);
    if (p->text)
        fprintf(r->out, "       they part %s\n", p->text);
}

static void put_row(const struct suspects_report *r, size_t row)
{
    const struct suspect *x = &r->ranking->suspect[row];

    put_score(r, x);
    fprintf(r->out, " %6" PRIu32 " %6" PRIu32 "   %6" PRIu32 " %6" PRIu32 "  %-7s  ", x->by.n.fail,
            x->by.n.pass, x->by.n.seen_fail, x->by.n.seen_pass,
            predicate_names[r->s->v.predicate[x->predicate].kind]);
    predicate_put(r->out, &r->s->v, x->predicate);
    putc('\n', r->out);
    if (x->others > 0)
        fprintf(r->out, "       and %" PRIu32 " other%s true of the same runs\n", x->others,
                x->others == 1 ? "" : "s");
    if (r->parting)
        put_parting(r, row);
}

void suspects_text(const struct suspects_report *r)
{
    put_head(r);
    if (r->ranking->n == 0) {
        fprintf(r->out, "no predicate%s has %s %s above 0\n", r->at_lines ? " on these lines" : "",
                r->sort == SUSPECT_TARANTULA ? "a" : r->sort == SUSPECT_BITS ? "a number of" : "an", words[r->sort]);
        return;
    }
    fprintf(r->out, "\n                              true of      observed in\n"
            " rank  %10s %7s   fail   pass     fail   pass  kind\n", words[r->sort],
            r->sort <= SUSPECT_INCREASE ? "95 %" : "");
    for (size_t i = 0; i < r->rows; i++)
        put_row(r, i);
    if (r->rows < r->ranking->n)
        fprintf(r->out, "... and %zu more\n", r->ranking->n - r->rows);
    if (r->ranking->n_folded > 0 && !r->at_lines)
        fprintf(r->out, "(%zu suspect%s on lines that better ones lie on left out: --all shows them)\n",
                r->ranking->n_folded, r->ranking->n_folded == 1 ? "" : "s");
}
