/* SPDX-License-Identifier: MIT */
/* report-csv.c - the result of an analysis as comma-separated values (RFC 4180); the columns are in
 * docs/hotpaths.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/report.h"

/* Writes a field's text with its quotes doubled. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
}

/* Writes the routines in order of first execution, each once; plain symbols by number. */
static bool put_routines(const struct report *r, const struct hot_subpath *p)
{
    uint32_t *seen = malloc(((size_t)p->length + 1) * sizeof *seen);
    uint32_t n = 0;
    char name[WPP_SYMBOL_NAME];

    if (!seen)
        return false;
    putc('"', r->out);
    for (uint32_t i = 0; i < p->length; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, p->terminals[i]);
        uint32_t what = t->routine == WPP_NO_ROUTINE ? t->token : t->routine, k = 0;

        while (k < n && seen[k] != what)
            k++;
        if (k < n)
            continue;
        seen[n++] = what;
        fputs(k ? "; " : "", r->out);
        if (t->routine == WPP_NO_ROUTINE)
            fputs(wpp_symbol_name(t, name), r->out);
        else
            put_text(r->out, wpp_routine(r->w, t->routine)->shown);
    }
    putc('"', r->out);
    free(seen);
    return true;
}

/* Writes where the first path with lines begins. */
static void put_place(const struct report *r, const struct hot_subpath *p)
{
    for (uint32_t i = 0; i < p->length; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, p->terminals[i]);
        const struct wpp_routine *routine;

        if (t->routine == WPP_NO_ROUTINE)
            continue;
        routine = wpp_routine(r->w, t->routine);
        for (uint32_t k = 0; k < t->n_blocks; k++) {
            const struct wpp_block *b = &routine->blocks[t->blocks[k]];

            if (b->n_lines == 0 || b->lines[0].line == 0)
                continue;
            putc('"', r->out);
            put_text(r->out, b->lines[0].file);
            fprintf(r->out, "\",%" PRIu32, b->lines[0].line);
            return;
        }
    }
    fputs("\"\",", r->out);
}

/* Writes the paths in order: the routine's assembler name and the path's number, which is the same
 * in all runs of a program; plain symbols by number. */
static void put_paths(const struct report *r, const struct hot_subpath *p)
{
    char name[WPP_SYMBOL_NAME];

    putc('"', r->out);
    for (uint32_t i = 0; i < p->length; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, p->terminals[i]);

        fputs(i ? "; " : "", r->out);
        if (t->routine == WPP_NO_ROUTINE) {
            fputs(wpp_symbol_name(t, name), r->out);
        } else {
            put_text(r->out, wpp_routine(r->w, t->routine)->name);
            fprintf(r->out, "/%" PRIu64, t->path);
        }
    }
    putc('"', r->out);
}

/* Writes how often the loop is repeated in a row. */
static void put_turns(FILE *out, const struct hot_turns *t)
{
    if (t->rows)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.3f,%" PRIu64, t->rows, t->least,
                (double)t->turns / (double)t->rows, t->most);
    else
        fputs(",,,,", out);
}

bool report_csv(const struct report *r)
{
    uint64_t total = hot_total_cost(r->result);

    fputs("rank,share,own_cost,cost,frequency,unit_cost,length,period,turn,rotations,file,line,"
          "routines,terminals,by_thread,covered,rows,min_turns,mean_turns,max_turns,"
          "group,paths\r\n", r->out);
    for (size_t i = 0; i < r->shown->n; i++) {
        struct hot_subpath p = r->shown->item[i].path;

        fprintf(r->out, "%zu,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32
                ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", i + 1,
                total ? (double)p.own_cost / (double)total : 0, p.own_cost, p.cost, p.frequency,
                p.unit_cost, p.length, p.period, p.turn, p.rotations);
        put_place(r, &p);
        putc(',', r->out);
        if (!put_routines(r, &p))
            return false;
        for (uint32_t k = 0; k < p.length; k++)
            fprintf(r->out, "%c%" PRIu32, k ? ' ' : ',', p.terminals[k]);
        putc(',', r->out);
        for (uint32_t k = 0; r->shown->by_thread && k < r->shown->g->n_threads; k++)
            fprintf(r->out, "%s%" PRIu64, k ? " " : "", r->shown->item[i].by_thread[k]);
        putc(',', r->out);
        if (r->shown->covers)
            fprintf(r->out, "%.6f", total ? (double)r->shown->item[i].covered / (double)total : 0);
        put_turns(r->out, &r->shown->item[i].loop);
        fprintf(r->out, ",%zu,", r->shown->item[i].group + 1);
        put_paths(r, &p);
        fputs("\r\n", r->out);
    }
    return true;
}
