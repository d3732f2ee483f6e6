/* SPDX-License-Identifier: MIT */
/* executed-lines.c - the source lines that one acyclic path executes. */
#include "hotpaths/report/executed-lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/own-code.h"

struct located {
    uint32_t file;              /* index into files[] */
    uint32_t line;
    uint32_t order;
    uint32_t inlined;
};

#define ALL_CODE UINT32_MAX         /* instead of a call */

static uint32_t file_index(struct executed_lines *p, const char *name)
{
    for (size_t i = 0; i < p->n_files; i++)
        if (p->files[i].name == name || strcmp(p->files[i].name, name) == 0)
            return (uint32_t)i;
    p->files[p->n_files].name = name;
    return (uint32_t)p->n_files++;
}

static int by_file_and_line(const void *pa, const void *pb)
{
    const struct located *a = pa, *b = pb;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static size_t count_lines(const struct wpp_routine *r, const struct wpp_terminal *t)
{
    size_t n = 0;

    for (uint32_t i = 0; i < t->n_blocks; i++)
        n += r->blocks[t->blocks[i]].n_lines;
    return n;
}

/* The lines that are requested. */
struct choice {
    uint32_t call;              /* those of this call's code, or ALL_CODE */
    bool own;                   /* as the user's own lines */
};

static bool is_chosen(const struct wpp_routine *r, const struct choice *c, struct wpp_line *line)
{
    if (c->own)
        return own_code_fold(r, line);
    return line->line && (c->call == ALL_CODE || line->inlined == c->call);
}

/* Collects the path's lines in order of execution; returns how many. */
static size_t collect(struct executed_lines *p, struct located *out, const struct wpp_routine *r,
                      const struct wpp_terminal *t, const struct choice *choice)
{
    size_t n = 0;

    file_index(p, r->file);
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &r->blocks[t->blocks[i]];

        for (uint32_t j = 0; j < b->n_lines; j++) {
            struct wpp_line l = b->lines[j];

            if (!is_chosen(r, choice, &l))
                continue;
            out[n] = (struct located){ file_index(p, l.file), l.line, (uint32_t)n, l.inlined };
            n++;
        }
    }
    return n;
}

/* Distributes sorted lines over their files; removes files without lines. */
static void group(struct executed_lines *p, const struct located *sorted, size_t n)
{
    size_t used = 0, kept = 0;

    for (size_t f = 0, i = 0; f < p->n_files; f++) {
        struct executed_file file = { p->files[f].name, p->all + used, p->all + n + used,
                                      p->all + 2 * n + used, 0 };

        for (; i < n && sorted[i].file == f; i++) {
            if (file.n_lines && file.lines[file.n_lines - 1] == sorted[i].line)
                continue;
            file.lines[file.n_lines] = sorted[i].line;
            file.inlined[file.n_lines] = sorted[i].inlined;
            file.order[file.n_lines++] = sorted[i].order;
        }
        used += file.n_lines;
        assert(used <= n);
        if (file.n_lines)
            p->files[kept++] = file;
    }
    assert(kept <= p->n_files && used <= n);
    p->n_files = kept;
}

static bool find_lines(struct executed_lines *p, const wpp *w, uint32_t terminal,
                       struct choice choice)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *r;
    struct located *located;
    size_t n;

    *p = (struct executed_lines){ 0 };
    if (t->routine == WPP_NO_ROUTINE)
        return true;
    r = wpp_routine(w, t->routine);
    n = count_lines(r, t);
    located = calloc(n + 1, sizeof *located);
    p->files = calloc(n + 1, sizeof *p->files);     /* the routine's file and one for each line */
    p->all = calloc(3 * n + 1, sizeof *p->all);
    if (!located || !p->files || !p->all) {
        free(located);
        executed_lines_free(p);
        return false;
    }
    n = collect(p, located, r, t, &choice);
    qsort(located, n, sizeof *located, by_file_and_line);
    group(p, located, n);
    free(located);
    return true;
}

bool executed_lines_of(struct executed_lines *p, const wpp *w, uint32_t terminal)
{
    return find_lines(p, w, terminal, (struct choice){ .call = ALL_CODE });
}

bool executed_lines_of_call(struct executed_lines *p, const wpp *w, uint32_t terminal,
                            uint32_t call)
{
    return find_lines(p, w, terminal, (struct choice){ .call = call });
}

bool executed_lines_own(struct executed_lines *p, const wpp *w, uint32_t terminal)
{
    if (!find_lines(p, w, terminal, (struct choice){ .own = true }))
        return false;
    if (p->n_files > 0)
        return true;
    executed_lines_free(p);
    return executed_lines_of(p, w, terminal);
}

void executed_lines_free(struct executed_lines *p)
{
    free(p->files);
    free(p->all);
    *p = (struct executed_lines){ 0 };
}

size_t executed_range_end(const struct executed_file *f, size_t i, uint32_t gap)
{
    do
        i++;
    while (i < f->n_lines && f->lines[i] - f->lines[i - 1] <= gap + 1);
    return i;
}
