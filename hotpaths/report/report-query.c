/* SPDX-License-Identifier: MIT */
/* report-query.c - the answer to a query of what comes before what. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/number-text.h"
#include "hotpaths/report/paint.h"
#include "hotpaths/report/report-steps.h"

/* Takes out the terminal with the largest number; UINT32_MAX: all are 0. */
static uint32_t take_most(uint64_t *times, uint32_t n, uint64_t *most)
{
    uint32_t best = UINT32_MAX;

    *most = 0;
    for (uint32_t t = 0; t < n; t++)
        if (times[t] > *most) {
            *most = times[t];
            best = t;
        }
    if (best != UINT32_MAX)
        times[best] = 0;
    return best;
}

/* Notes whether a file of the query is newer than the run: its lines may have moved since. */
static void look_for_lines(const struct report *r, const char *name, struct report_doubts *doubts)
{
    uint64_t started = report_started(r);
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *routine = wpp_routine(r->w, i);

        for (uint32_t b = 0; b < routine->n_blocks; b++)
            for (uint32_t k = 0; k < routine->blocks[b].n_lines; k++) {
                const char *file = routine->blocks[b].lines[k].file;

                if (!doubts->newer && query_is_line_of(name, file) &&
                    !source_is_known(r->w, routine->directory, file) &&
                    source_text_is_newer(r->sources, routine->directory, file, started))
                    doubts->newer = true;
            }
    }
}

enum { MOST_BESIDE = 10 };

struct beside {
    uint32_t terminal[MOST_BESIDE];
    uint64_t times[MOST_BESIDE];
    int n;
    bool more;                  /* there are others */
};

static void find_most(struct beside *b, uint64_t *times, uint32_t n_terminals)
{
    uint64_t more;

    for (b->n = 0; b->n < MOST_BESIDE; b->n++) {
        b->terminal[b->n] = take_most(times, n_terminals, &b->times[b->n]);
        if (b->terminal[b->n] == UINT32_MAX)
            break;
    }
    b->more = b->n == MOST_BESIDE && take_most(times, n_terminals, &more) != UINT32_MAX;
}

/* NULL: no memory. */
static struct short_names *names_of(const struct report *r, const struct beside *b)
{
    struct short_names *names = short_names_new(r->full_names);
    bool good = names != NULL;

    for (int i = 0; i < b->n && good; i++)
        good = short_names_add_path(names, r->w, b->terminal[i]);
    if (good && short_names_settle(names))
        return names;
    short_names_free(names);
    return NULL;
}

static bool put_paths(const struct report *r, const struct query *q, const struct beside *b)
{
    char number[NUMBER_TEXT];
    struct steps t;
    bool good = steps_begin(&t, r);

    t.number = 1;
    for (int i = 0; i < b->n && good; i++) {
        fprintf(r->out, "\n  %s%s time%s:%s\n", style(r, TURNS),
                number_grouped(b->times[i], number), b->times[i] == 1 ? "" : "s", style(r, PLAIN));
        good = steps_put_one(&t, b->terminal[i]);
    }
    if (good && b->more)
        fputs("\nand others, less often\n", r->out);
    look_for_lines(r, q->b, &t.doubts);
    if (good)
        report_put_doubts(r, &t.doubts);
    steps_end(&t);
    return good;
}

/* Writes `NAME: N paths`. */
static void put_count(const struct report *r, const char *name, uint64_t paths)
{
    char number[NUMBER_TEXT];

    name_put(r->out, name);
    fprintf(r->out, ": %s path%s", number_grouped(paths, number), paths == 1 ? "" : "s");
}

static bool put_beside(const struct report *given, const struct query *q)
{
    struct report r = *given;
    struct beside beside;
    struct short_names *names;
    struct wpp_summary run;
    bool good;

    wpp_get_summary(r.w, &run);
    find_most(&beside, q->times, run.n_terminals);
    names = names_of(&r, &beside);
    if (!names)
        return false;
    r.names = names;
    put_count(&r, q->b, q->order.b);
    fprintf(r.out, "; right %s them, but for its own:\n", q->before ? "before" : "behind");
    good = put_paths(&r, q, &beside);
    short_names_free(names);
    return good;
}

static void put_order(const struct report *r, const struct query *q)
{
    struct report_doubts doubts = { 0 };
    char after[NUMBER_TEXT], share[NUMBER_TEXT];

    put_count(r, q->a, q->order.a);
    putc('\n', r->out);
    put_count(r, q->b, q->order.b);
    fprintf(r->out, ", %s of them", number_grouped(q->order.b_after_a, after));
    if (q->order.b > 0)
        fprintf(r->out, " (%s)", number_percent(q->order.b_after_a, q->order.b, share));
    fputs(" with ", r->out);
    name_put(r->out, q->a);
    fputs(" since the one before\n", r->out);
    look_for_lines(r, q->a, &doubts);
    look_for_lines(r, q->b, &doubts);
    report_put_doubts(r, &doubts);
}

bool report_query(const struct report *r, const struct query *q)
{
    if (!q->a)
        return put_beside(r, q);
    put_order(r, q);
    return true;
}
