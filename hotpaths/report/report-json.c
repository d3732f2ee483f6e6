/* SPDX-License-Identifier: MIT */
/* report-json.c - the result of an analysis as JSON; schema in docs/hotpaths.md. */
#include <inttypes.h>
#include <stdlib.h>

#include "hotpaths/report/executed-lines.h"
#include "hotpaths/report/outline.h"
#include "hotpaths/report/report.h"
#include "wpp/base/json.h"

static void put_ranges(FILE *out, const struct executed_file *f)
{
    for (size_t i = 0, j; i < f->n_lines; i = j) {
        for (j = i + 1; j < f->n_lines && f->lines[j] == f->lines[j - 1] + 1;)
            j++;
        fprintf(out, "%s[%" PRIu32 ", %" PRIu32 "]", i ? ", " : "", f->lines[i], f->lines[j - 1]);
    }
}

static void put_lines(FILE *out, const struct executed_lines *p)
{
    fputs("\"lines\": [", out);
    for (size_t i = 0; i < p->n_files; i++) {
        fputs(i ? ", {\"file\": " : "{\"file\": ", out);
        json_string(out, p->files[i].name);
        fputs(", \"ranges\": [", out);
        put_ranges(out, &p->files[i]);
        fputs("]}", out);
    }
    fputs("]", out);
}

static bool put_all_lines(const struct report *r, uint32_t terminal)
{
    struct executed_lines p;

    if (!executed_lines_of(&p, r->w, terminal))
        return false;
    put_lines(r->out, &p);
    executed_lines_free(&p);
    return true;
}

/* Numbers the inlined calls whose code the path runs, and the calls around them, from 1: number[0]
 * is how many. */
static void number_calls(const wpp *w, const struct wpp_terminal *t, uint32_t *number)
{
    const struct wpp_routine *routine = wpp_routine(w, t->routine);

    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            for (uint32_t c = b->lines[k].inlined; c && !number[c];
                 c = routine->inlined[c - 1].caller)
                number[c] = 1;
    }
    for (uint32_t c = 1; c <= routine->n_inlined; c++)
        if (number[c])
            number[c] = ++number[0];
}

static bool put_call(const struct report *r, uint32_t terminal, const struct wpp_routine *routine,
                     uint32_t call, const uint32_t *number)
{
    const struct wpp_inlined *c = &routine->inlined[call - 1];
    struct executed_lines p;

    if (!executed_lines_of_call(&p, r->w, terminal, call))
        return false;
    fprintf(r->out, "%s\n           {\"routine\": ", number[call] > 1 ? "," : "");
    json_string(r->out, c->name);
    fputs(", \"name\": ", r->out);
    json_string(r->out, c->shown);
    if (c->caller)
        fprintf(r->out, ", \"caller\": %" PRIu32 ", ", number[c->caller] - 1);
    else
        fputs(", \"caller\": null, ", r->out);
    if (c->line) {
        fputs("\"file\": ", r->out);
        json_string(r->out, c->file);
        fprintf(r->out, ", \"line\": %" PRIu32 ",\n            ", c->line);
    } else {
        fputs("\"file\": null, \"line\": null,\n            ", r->out);
    }
    put_lines(r->out, &p);
    putc('}', r->out);
    executed_lines_free(&p);
    return true;
}

static bool put_inlined(const struct report *r, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, terminal);
    const struct wpp_routine *routine = wpp_routine(r->w, t->routine);
    uint32_t *number = calloc(routine->n_inlined + (size_t)1, sizeof *number);
    bool good = number != NULL;

    if (good)
        number_calls(r->w, t, number);
    fputs("\"inlined\": [", r->out);
    for (uint32_t c = 1; good && c <= routine->n_inlined; c++)
        if (number[c])
            good = put_call(r, terminal, routine, c, number);
    putc(']', r->out);
    free(number);
    return good;
}

static bool put_step(const struct report *r, const struct outline_step *step)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, step->terminal);
    char name[WPP_SYMBOL_NAME];

    fprintf(r->out, "        {\"terminal\": %" PRIu32 ", \"token\": %" PRIu32, step->terminal,
            t->token);
    if (t->routine == WPP_NO_ROUTINE) {
        fprintf(r->out, ", \"routine\": null, \"name\": \"%s\"}", wpp_symbol_name(t, name));
        return true;
    }
    fputs(", \"routine\": ", r->out);
    json_string(r->out, wpp_routine(r->w, t->routine)->name);
    fputs(", \"name\": ", r->out);
    json_string(r->out, wpp_routine(r->w, t->routine)->shown);
    fprintf(r->out, ", \"path\": %" PRIu64 ", \"depth\": %" PRIu32 ",\n         \"enters\": %s, "
            "\"leaves\": %s, \"insns\": %" PRIu64 ", \"blocks\": %" PRIu32, t->path, step->depth,
            t->enters ? "true" : "false", t->leaves ? "true" : "false", t->insns, t->n_blocks);
    fputs(",\n         ", r->out);
    if (!put_all_lines(r, step->terminal))
        return false;
    fputs(",\n         ", r->out);
    if (!put_inlined(r, step->terminal))
        return false;
    putc('}', r->out);
    return true;
}

static double share_of(const struct report *r, uint64_t cost)
{
    uint64_t total = hot_total_cost(r->result);

    return total ? (double)cost / (double)total : 0;
}

static void put_neighbour(const struct report *r, const struct shown_neighbour *near,
                          const char *before)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, near->terminal);

    fprintf(r->out, "%s{\"terminal\": %" PRIu32 ", \"times\": %" PRIu64, before, near->terminal,
            near->times);
    if (t->routine != WPP_NO_ROUTINE) {
        fputs(", \"routine\": ", r->out);
        json_string(r->out, wpp_routine(r->w, t->routine)->name);
        fprintf(r->out, ", \"path\": %" PRIu64, t->path);
    }
    putc('}', r->out);
}

static void put_neighbours(const struct report *r, const char *key, const struct shown *s, int side)
{
    fprintf(r->out, "     \"%s\": [", key);
    for (uint32_t i = 0; i < s->n_near[side]; i++)
        put_neighbour(r, &s->near[side][i], i ? ", " : "");
    fputs("],\n", r->out);
}

/* Writes how often the loop is repeated in a row. */
static void put_turns(const struct report *r, const struct hot_turns *t)
{
    fprintf(r->out, "\"rows\": %" PRIu64 ", \"turns\": %" PRIu64 ", \"min\": %" PRIu64
            ", \"mean\": %.3f, \"max\": %" PRIu64 "}", t->rows, t->turns, t->least,
            t->rows ? (double)t->turns / (double)t->rows : 0, t->most);
}

static void put_folds(const struct report *r, const struct shown *s)
{
    fputs("     \"loop\": ", r->out);
    if (s->path.turn) {
        putc('{', r->out);
        put_turns(r, &s->loop);
    } else {
        fputs("null", r->out);
    }
    fputs(",\n     \"folds\": [", r->out);
    for (size_t i = 0; i < s->outline.n_folds; i++) {
        const struct outline_fold *fold = &s->outline.folds[i];

        fprintf(r->out, "%s{\"at\": %zu, \"paths\": %zu, \"times\": %zu, ",
                i ? ",\n               " : "", fold->at, fold->period, fold->count);
        put_turns(r, &s->folds[i]);
    }
    fputs("],\n", r->out);
}

/* Writes the results of options that ask for more. */
static void put_more(const struct report *r, const struct shown *s)
{
    if (r->shown->covers)
        fprintf(r->out, "     \"covered\": %.6f,\n", share_of(r, s->covered));
    if (r->shown->by_thread) {
        fputs("     \"by_thread\": [", r->out);
        for (uint32_t k = 0; k < r->shown->g->n_threads; k++)
            fprintf(r->out, "%s%" PRIu64, k ? ", " : "", s->by_thread[k]);
        fputs("],\n", r->out);
    }
    if (r->shown->has_neighbours) {
        put_neighbours(r, "before", s, SHOWN_BEFORE);
        put_neighbours(r, "behind", s, SHOWN_BEHIND);
    }
}

static bool put_subpath(const struct report *r, size_t rank)
{
    const struct shown *shown = &r->shown->item[rank];
    const struct outline *outline = &shown->outline;
    struct hot_subpath p = shown->path;
    bool good = true;

    fprintf(r->out, "    {\"rank\": %zu, \"cost\": %" PRIu64 ", \"share\": %.6f, "
            "\"frequency\": %" PRIu64 ",\n     \"unit_cost\": %" PRIu64 ", \"length\": %" PRIu32
            ", \"own_cost\": %" PRIu64 ", \"pieces\": %" PRIu64 ", \"period\": %" PRIu32
            ",\n     \"turn\": %" PRIu32 ", \"rotations\": %" PRIu32 ", \"group\": %zu,\n",
            rank + 1, p.cost, share_of(r, p.own_cost), p.frequency, p.unit_cost, p.length,
            p.own_cost, p.pieces, p.period, p.turn, p.rotations, shown->group + 1);
    put_folds(r, shown);
    put_more(r, shown);
    fputs("     \"paths\": [\n", r->out);
    for (size_t i = 0; i < outline->n && good; i++) {
        good = put_step(r, &outline->steps[i]);
        fputs(i + 1 < outline->n ? ",\n" : "\n", r->out);
    }
    fputs("     ]}", r->out);
    return good;
}

/* Writes the summary of the run; null in a damaged file without it. */
static void put_run(const struct report *r, const struct wpp_summary *run)
{
    if (wpp_missing(r->w) & WPP_PART_SUMMARY) {
        fputs(",\n  \"program\": null,\n  \"command\": null,\n  \"complete\": null", r->out);
        return;
    }
    fputs(",\n  \"program\": ", r->out);
    json_string(r->out, run->program);
    fputs(",\n  \"command\": ", r->out);
    json_string(r->out, run->command);
    fprintf(r->out, ",\n  \"complete\": %s", run->complete ? "true" : "false");
}

static void put_heading(const struct report *r)
{
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    fputs("{\n  \"file\": ", r->out);
    json_string(r->out, r->file_name);
    put_run(r, &run);
    fputs(",\n  \"changed_sources\": ", r->out);
    source_changes_json(r->out, &r->changes);
    fputs(",\n  \"thread\": ", r->out);
    if (r->config->thread == HOT_ALL_THREADS)
        fputs("null", r->out);
    else
        fprintf(r->out, "%" PRIu32, r->config->thread);
    fprintf(r->out, ",\n  \"algorithm\": \"%s\",\n  \"frequencies\": \"%s\",\n  \"cost\": \"%s\","
            "\n  \"cost_origin\": \"%s\",\n  \"total_cost\": %" PRIu64,
            r->config->algorithm == HOT_EXACT ? "exact" : "larus",
            r->shown->apart ? "not overlapping" : r->config->algorithm == HOT_EXACT ? "exact"
            : "lower bounds", r->cost_name, r->cost_origin, hot_total_cost(r->result));
    if (r->clocked)
        fprintf(r->out, ",\n  \"clocked\": %" PRIu64, r->clocked);
    fprintf(r->out, ",\n  \"min_cost\": %" PRIu64 ",\n  \"min_length\": %" PRIu32
            ",\n  \"max_length\": %" PRIu32 ",\n  \"found\": %zu,\n  \"subpaths\": [\n",
            hot_min_cost(r->result), r->config->min_length, r->config->max_length,
            hot_count(r->result));
}

bool report_json(const struct report *r)
{
    put_heading(r);
    for (size_t i = 0; i < r->shown->n; i++) {
        if (!put_subpath(r, i))
            return false;
        fputs(i + 1 < r->shown->n ? ",\n" : "\n", r->out);
    }
    fputs("  ]\n}\n", r->out);
    return true;
}
