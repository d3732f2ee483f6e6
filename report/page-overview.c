/* SPDX-License-Identifier: MIT */
/* page-overview.c - a run in figures, with the names of its routines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/replay/short-names.h"

enum { MOST_OF_NAME = 60 };

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":", key);
    json_string(out, text);
}

static void put_count(FILE *out, const char *key, uint64_t n)
{
    fprintf(out, ",\"%s\":%" PRIu64, key, n);
}

static void put_run(FILE *out, const struct wpp_summary *run)
{
    put_text(out, "program", run->program);
    put_text(out, "command", run->command);
    put_text(out, "host", run->host);
    put_count(out, "pid", run->pid);
    put_count(out, "started", run->started);
    put_count(out, "nanoseconds", run->nanoseconds);
    put_count(out, "events", run->tokens);
    put_count(out, "lost", run->lost);
    put_count(out, "unread", run->unread);
    put_count(out, "exited", run->exited);
    put_count(out, "killed", run->killed);
    put_count(out, "fileBytes", run->file_bytes);
    put_count(out, "traceBytes", run->trace_bytes);
    put_count(out, "rules", run->n_rules);
    put_count(out, "symbols", run->rhs_symbols);
    put_count(out, "longestRule", run->longest_rule);
    put_count(out, "paths", run->n_terminals - run->n_controls);
    put_count(out, "modules", run->n_modules);
    put_count(out, "instrumented", run->n_instrumented_routines);
    put_count(out, "leftOut", run->n_left_out);
    fprintf(out, ",\"complete\":%s", run->complete && !run->lost ? "true" : "false");
}

/* The sum over all executed paths. */
static double instructions(const struct page_run *r, const uint64_t *count, uint32_t n_terminals)
{
    double sum = 0;

    for (uint32_t t = 0; t < n_terminals; t++)
        sum += (double)wpp_terminal(r->w, t)->insns * (double)count[t];
    return sum;
}

static void put_threads(FILE *out, struct page_run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    fputs(",\"threads\":[", out);
    for (uint32_t i = 0; i < g->n_threads; i++) {
        const struct wpp_thread *t = wpp_thread(r->w, i);
        const struct page_clock *c = &r->clock[i];
        uint64_t symbols = g->body[g->n_rules + i + 1] - g->body[g->n_rules + i];

        fprintf(out, "%s{\"tid\":%" PRIu32, i ? "," : "", t->tid);
        put_text(out, "name", t->name);
        put_count(out, "events", t->tokens);
        put_count(out, "symbols", symbols);
        fprintf(out, ",\"begin\":%.17g,\"end\":%.17g}", c->n ? c->time[0] : -1,
                c->n ? c->time[c->n - 1] : -1);
    }
    fputc(']', out);
}

static void put_routines(FILE *out, const struct page_run *r, uint32_t n)
{
    fputs(",\"routines\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_routine *routine = wpp_routine(r->w, i);

        fputs(i ? ",[" : "[", out);
        json_string(out, routine->shown);
        fputc(',', out);
        json_string(out, routine->file);
        fprintf(out, ",%" PRIu32 "]", routine->line);
    }
    fputc(']', out);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names of routines and of what is inlined in them, ascending; a name may occur several times.  The caller
 * frees the list; NULL: no memory. */
static const char **list_names(const struct page_run *r, uint32_t n_routines, size_t *n)
{
    const char **list;

    *n = 0;
    for (uint32_t i = 0; i < n_routines; i++)
        *n += 1 + (size_t)wpp_routine(r->w, i)->n_inlined;
    list = malloc((*n + 1) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; list && i < n_routines; i++) {
        const struct wpp_routine *routine = wpp_routine(r->w, i);

        list[(*n)++] = routine->shown;
        for (uint32_t k = 0; k < routine->n_inlined; k++)
            list[(*n)++] = routine->inlined[k].shown;
    }
    if (list && *n > 0)
        qsort(list, *n, sizeof *list, compare_names);
    return list;
}

/* Names that can be shorter.  In a long list of names some differ late: they are cut all the same. */
static bool put_short_names(FILE *out, const struct page_run *r, uint32_t n_routines)
{
    struct short_names *names = short_names_new(false);
    size_t n;
    const char **list = list_names(r, n_routines, &n), *between = "";
    bool ok = names && list;

    for (size_t i = 0; ok && i < n; i++)
        ok = short_names_add(names, list[i]);
    ok = ok && short_names_settle(names);
    fputs(",\"short\":{", out);
    for (size_t i = 0; ok && i < n; i++) {
        const char *brief = short_names_of(names, list[i]);
        char cut[MOST_OF_NAME];

        if (strlen(brief) >= sizeof cut) {
            name_shorten(list[i], cut, sizeof cut);
            brief = cut;
        }
        if (strcmp(brief, list[i]) == 0 || (i > 0 && strcmp(list[i - 1], list[i]) == 0))
            continue;
        fputs(between, out);
        json_string(out, list[i]);
        fputc(':', out);
        json_string(out, brief);
        between = ",";
    }
    fputc('}', out);
    free(list);
    short_names_free(names);
    return ok;
}

static void put_damage(FILE *out, const struct page_run *r)
{
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(r->w, &n);

    fputs(",\"damage\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        json_string(out, damage[i].text);
    }
    fputc(']', out);
}

bool page_overview(struct page_run *r, FILE *out)
{
    struct wpp_summary run;
    uint64_t *count;
    bool ok;

    wpp_get_summary(r->w, &run);
    count = calloc(run.n_terminals + (size_t)1, sizeof *count);
    if (!count || !page_need_clock(r)) {
        free(count);
        return false;
    }
    wpp_terminal_counts(r->w, count);
    fputs("{\"file\":", out);
    json_string(out, r->name);
    put_run(out, &run);
    fprintf(out, ",\"instructions\":%.17g", instructions(r, count, run.n_terminals));
    put_threads(out, r);
    put_routines(out, r, run.n_routines);
    ok = put_short_names(out, r, run.n_routines);
    put_damage(out, r);
    fputc('}', out);
    free(count);
    return ok;
}
