/* SPDX-License-Identifier: MIT */
/* report-table.c - a line for each answer; see report-table.h. */
#include "hotpaths/report/report-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/paint.h"
#include "wpp/base/clipped-output.h"
#include "wpp/base/number-text.h"

enum {
    KIND = 36,                  /* the column at which `kind` begins */
    PIPE_WIDTH = 100,           /* if there is no terminal */
    LEAST_NAME = 12,
    LEAST_CUT = 6,              /* a name beside a place that needs the room */
    PLACE_TEXT = 300
};

uint64_t table_iterations(const struct hot_subpath *p)
{
    if (p->pieces == p->frequency)
        return 0;
    return p->frequency + p->pieces * (p->length / p->period - 1);
}

/* How often it ran: iterations of a loop if its occurrences overlap, else executions. */
static uint64_t times_of(const struct hot_subpath *p)
{
    return table_iterations(p) ? table_iterations(p) : p->frequency;
}

/* ---- Places --------------------------------------------------------------------------------- */

static unsigned width(const char *text)
{
    return clipped_width(text, strlen(text));
}

/* The end of a file's name, beginning at a folder's name, in at most `most` columns; at least the
 * base name.  Only that much of the name is read. */
static const char *file_end(const char *file, size_t most)
{
    const char *base = strrchr(file, '/'), *end, *last = file + strlen(file);
    size_t length = (size_t)(last - file);

    if (length <= most || !base)
        return file;
    end = base + 1;
    for (const char *p = base; p > file && (size_t)(last - p) <= most;)
        if (*--p == '/' && clipped_width(p + 1, (size_t)(last - p - 1)) <= most)
            end = p + 1;
    return end;
}

/* Writes `file:first-last`, without folders that take room from a name of `name` columns; without
 * the last line if there is no room for it.  A number is never cut. */
static void write_place(char out[static PLACE_TEXT], const struct answer_place *p, size_t room,
                        size_t name)
{
    const char *file = strncmp(p->file, "./", 2) == 0 ? p->file + 2 : p->file;
    char lines[40];
    bool several = p->last > p->first;
    int n = several ? snprintf(lines, sizeof lines, ":%" PRIu32 "-%" PRIu32, p->first, p->last)
                    : snprintf(lines, sizeof lines, ":%" PRIu32, p->first);
    size_t taken = name + 2 + (size_t)n;

    file = file_end(file, room > taken ? room - taken : 0);
    if (several && width(file) + (size_t)n > room)
        snprintf(lines, sizeof lines, ":%" PRIu32, p->first);
    snprintf(out, PLACE_TEXT, "%s%s", file, lines);
}

static void put_others(const struct report *r, const struct answer_place *p, size_t used,
                       size_t all)
{
    for (size_t i = 0; i < p->n_others; i++) {
        const char *name = short_names_of(r->names, p->others[i]);
        size_t more = i + 1 < p->n_others ? strlen(", ...") : 0;

        if (used + 2 + width(name) + more > all) {
            if (used + strlen(", ...") <= all)
                fputs(", ...", r->out);
            return;
        }
        fputs(", ", r->out);
        name_put(r->out, name);
        used += 2 + width(name);
    }
}

/* Writes the function, with ` in ` and the routine it was inlined into if there is room, and the
 * place; if there is little room, the place alone. */
static size_t put_function(const struct report *r, const struct answer_place *p, const char *place,
                           size_t room)
{
    const char *function = short_names_of(r->names, p->function);
    const char *outer = p->outer ? short_names_of(r->names, p->outer) : NULL;
    size_t used = width(function) + 2 + width(place);
    char shorter[200];

    if (place[0] && LEAST_CUT + 2 + width(place) > room && !r->full_names) {
        name_put(r->out, place);
        return width(place);
    }
    if (used > room && !r->full_names) {
        size_t left = room > width(place) + 2 + LEAST_CUT ? room - width(place) - 2 : LEAST_CUT;

        name_shorten(function, shorter, (left < sizeof shorter ? left : sizeof shorter - 1) + 1);
        function = shorter;
        used = width(function) + 2 + width(place);
    }
    fputs(style(r, ROUTINE), r->out);
    name_put(r->out, function);
    fputs(style(r, PLAIN), r->out);
    if (outer && used + 4 + width(outer) <= room) {
        fputs(" in ", r->out);
        name_put(r->out, outer);
        used += 4 + width(outer);
    }
    fputs(place[0] ? "  " : "", r->out);
    name_put(r->out, place);
    return used;
}

void table_put_where(const struct report *r, const struct answer_place *p, size_t used)
{
    size_t all = r->columns ? r->columns : used < PIPE_WIDTH ? PIPE_WIDTH : used;
    size_t room = all > used + LEAST_NAME ? all - used : LEAST_NAME;
    char place[PLACE_TEXT] = "";

    if (p->symbol[0]) {
        fputs(p->symbol, r->out);
        return;
    }
    if (p->file)
        write_place(place, p, room, width(short_names_of(r->names, p->function)));
    put_others(r, p, put_function(r, p, place, room), room);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* The width of the column `kind`. */
static int kind_width(const struct report *r)
{
    size_t most = strlen("kind");

    for (size_t i = 0; i < r->answers->n; i++) {
        const struct shown *s = &r->shown->item[r->answers->answer[i].leader];
        size_t n = strlen(answer_kind_name(answer_kind(r->w, s)));

        most = n > most ? n : most;
    }
    return (int)most;
}

static bool put_row(const struct report *r, size_t number, int kind)
{
    const struct answer *a = &r->answers->answer[number - 1];
    const struct shown *s = &r->shown->item[a->leader];
    uint64_t total = hot_total_cost(r->result);
    char own[NUMBER_TEXT + 1], paths[NUMBER_TEXT], cost[NUMBER_TEXT], times[NUMBER_TEXT];
    struct answer_place place;

    if (!answer_place_of(&place, r->w, r->shown->cost, s, r->system))
        return false;
    own[0] = '<';
    number_percent(a->own, total, own + a->at_most);
    fprintf(r->out, "%s%2zu %7s%s %7s %7s %7s  %-*s  ", style(r, BOLD), number, own,
            style(r, PLAIN), number_percent(a->any_order, total, paths),
            number_scaled(a->cost, cost), number_scaled(times_of(&s->path), times), kind,
            answer_kind_name(answer_kind(r->w, s)));
    table_put_where(r, &place, KIND + (size_t)kind + 2);
    putc('\n', r->out);
    answer_place_free(&place);
    return true;
}

static void put_found(FILE *out, const struct report *r)
{
    size_t shown = r->answers->n_subpaths, all = r->shown->n_all, n = r->answers->n;

    if (shown < all && shown > 0)
        fprintf(out, "%zu of %zu hot subpaths ", shown, all);
    else
        fprintf(out, "%zu hot subpath%s ", all, all == 1 ? "" : "s");
    if (n > 0 && n < shown)
        fprintf(out, "in %zu answer%s ", n, n == 1 ? "" : "s");
}

static void put_heading(FILE *out, const struct report *r)
{
    bool one = r->answers->n_subpaths == 1 && r->shown->n_all == 1;
    uint64_t all = hot_total_cost(r->result);
    char total[NUMBER_TEXT], share[NUMBER_TEXT];

    name_put(out, r->file_name);
    fputs(": ", out);
    put_found(out, r);
    if (r->answers->n > 0)
        fprintf(out, "make%s up %s of ", one ? "s" : "",
                number_percent(r->answers->own, all, share));
    else
        fputs("in ", out);
    /* `instructions`; for one, `instruction`. */
    if (r->config->thread != HOT_ALL_THREADS)
        fprintf(out, "thread %" PRIu32 "'s ", r->config->thread);
    fprintf(out, "%s %.*s%s", number_scaled(all, total), (int)strlen(r->cost_unit) - (all == 1),
            r->cost_unit, r->cost_says);
}

bool table_put_heading(const struct report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;

    if (good) {
        put_heading(out, r);
        good = fclose(out) == 0;
    }
    if (good)
        table_put_wrapped(r, text, r->columns, 0, 0);
    free(text);
    return good;
}

bool table_put(const struct report *r)
{
    int kind = kind_width(r);

    fprintf(r->out, "\n%s #     own   paths    cost   times  %-*s  where%s\n", style(r, BOLD), kind,
            "kind", style(r, PLAIN));
    for (size_t i = 1; i <= r->answers->n; i++)
        if (!put_row(r, i, kind))
            return false;
    return true;
}

/* ---- The meaning of the columns
 * ---------------------------------------------------------------- */

void table_put_wrapped(const struct report *r, const char *text, size_t columns, size_t taken,
                       size_t indented)
{
    size_t column = taken;
    bool begins = true;         /* at the beginning of a line, or of the text */

    for (; *text; begins = false) {
        size_t n = strcspn(text, " "), wide = clipped_width(text, n);

        if (columns && !begins && column + 1 + wide > columns) {
            putc('\n', r->out);
            begins = true;
            column = 0;
        }
        if (begins && column < indented) {
            indent(r->out, indented - column);
            column = indented;
        }
        fputs(begins ? "" : " ", r->out);
        fwrite(text, 1, n, r->out);
        column += !begins + wide;
        text += n + (text[n] == ' ');
    }
    putc('\n', r->out);
}

static bool is_any_bound(const struct report *r)
{
    for (size_t i = 0; i < r->answers->n; i++)
        if (r->answers->answer[i].at_most)
            return true;
    return false;
}

/* Writes what is in none of the answers, and the tool that tells of it.  Costs in the table count
 * an event once, so they may be below the least cost, which counts it in each place. */
static void put_rest(const struct report *r)
{
    uint64_t total = hot_total_cost(r->result);
    bool overlap = r->config->algorithm == HOT_EXACT && !r->shown->apart;
    char share[NUMBER_TEXT], least[NUMBER_TEXT], text[300];
    struct wpp_summary run;

    if (r->answers->own >= total || r->answers->n_subpaths < r->shown->n_all)
        return;
    wpp_get_summary(r->w, &run);
    snprintf(text, sizeof text,
             "The other %s: sequences that cost less than %s each%s (--min-cost=%" PRIu64 ").%s",
             number_percent(total - r->answers->own, total, share),
             number_scaled(hot_min_cost(r->result), least),
             overlap ? ", overlaps counted in full" : "", hot_min_cost(r->result),
             run.n_routines ? " Routines and loops of the whole run: wpp-report." : "");
    table_put_wrapped(r, text, r->columns, 0, 0);
}

/* Writes a column's name and its meaning. */
static void put_meaning(const struct report *r, const char *column, const char *meaning)
{
    fprintf(r->out, "%-5s  ", column);
    table_put_wrapped(r, meaning, r->columns, 7, 7);
}

void table_put_legend(const struct report *r)
{
    const char *scope = r->config->thread == HOT_ALL_THREADS ? "run" : "thread";
    bool bounds = r->config->algorithm == HOT_LARUS && !r->shown->apart;
    char text[160];

    fprintf(r->out, "\n%s", style(r, DIM));
    snprintf(text, sizeof text, "share of the %s that is in this answer and in none above it%s",
             scope, is_any_bound(r) ? " (<: at most)" : "");
    put_meaning(r, "own", text);
    put_meaning(r, "paths", "share of its paths in the whole run, also apart and in another order");
    snprintf(text, sizeof text, "of the answer, in %s", r->cost_unit);
    put_meaning(r, "cost", text);
    snprintf(text, sizeof text, "executions of its first alternative%s",
             bounds ? ", at least" : "; of a short loop, iterations");
    put_meaning(r, "times", text);
    put_meaning(r, "kind", "loop; calls: a chain of calls; straight: code of one routine");
    put_meaning(r, "where",
                "function and lines, then other routines it runs through; `f in g`: f was "
                "inlined into g");
    put_rest(r);
    fputs(style(r, PLAIN), r->out);
}
