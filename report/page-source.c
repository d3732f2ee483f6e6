/* SPDX-License-Identifier: MIT */
/* page-source.c - source files with executions and costs of their lines.
 *
 * A line is known if a routine that was executed has code of it.  It was executed, or it was not: 0.  Of
 * routines that were never executed a WPP holds nothing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "wpp/base/json.h"
#include "wpp/profile/line-costs.h"
#include "wpp/read/reader.h"

/* A line that has code. */
struct known_line {
    uint32_t file, line;
    double executions, insns;
};

struct page_lines {
    struct page_line_file { const char *directory, *name; uint32_t source; size_t first, n; } *file;
    uint32_t n_files;
    struct known_line *line;       /* by file, then line */
    size_t n;
};

/* ---- Collecting ------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct known_line *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static uint32_t number_of(struct page_lines *k, const char *directory, const char *name)
{
    for (uint32_t i = k->n_files; i > 0; i--) {
        const struct page_line_file *f = &k->file[i - 1];

        if ((f->name == name || strcmp(f->name, name) == 0)
            && (name[0] == '/' || f->directory == directory || strcmp(f->directory, directory) == 0))
            return i - 1;
    }
    k->file[k->n_files] = (struct page_line_file){.directory = directory, .name = name};
    return k->n_files++;
}

static size_t lines_of_blocks(const wpp *w)
{
    size_t n = 0;

    for (uint32_t i = 0; i < w->n_routines; i++)
        for (uint32_t b = 0; b < w->routines[i].n_blocks; b++)
            n += w->routines[i].blocks[b].n_lines;
    return n;
}

/* How often each block of a routine was executed. */
static void count_blocks(const wpp *w, const uint64_t *count, double **block)
{
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(w, t);

        if (terminal->routine != WPP_NO_ROUTINE)
            for (uint32_t i = 0; i < terminal->n_blocks; i++)
                block[terminal->routine][terminal->blocks[i]] += (double)count[t];
    }
}

/* A line's blocks are joined: their executions are those of the one that ran most often. */
static void add_block(struct page_lines *k, const struct wpp_routine *routine,
                      const struct wpp_block *b, double executions)
{
    const char *last = NULL;
    uint32_t file = 0;

    for (uint32_t i = 0; i < b->n_lines; i++) {
        if (b->lines[i].file != last)
            file = number_of(k, routine->directory, last = b->lines[i].file);
        k->line[k->n++] = (struct known_line){file, b->lines[i].line, executions,
                                              executions * b->insns / b->n_lines};
    }
}

static void join_lines(struct page_lines *k)
{
    size_t kept = 0;

    qsort(k->line, k->n, sizeof *k->line, by_place);
    for (size_t i = 0; i < k->n; i++) {
        struct known_line *last = kept ? &k->line[kept - 1] : NULL;

        if (last && by_place(last, &k->line[i]) == 0) {
            last->insns += k->line[i].insns;
            if (k->line[i].executions > last->executions)
                last->executions = k->line[i].executions;
        } else {
            k->line[kept++] = k->line[i];
        }
    }
    k->n = kept;
    for (size_t i = 0; i < k->n; i++) {
        struct page_line_file *f = &k->file[k->line[i].file];

        f->first = f->n++ ? f->first : i;
    }
}

static void free_lines(struct page_lines *k)
{
    free(k->file);
    free(k->line);
    *k = (struct page_lines){0};
}

static bool collect(struct page_lines *k, const struct page_run *r)
{
    const wpp *w = r->w;
    size_t n = lines_of_blocks(w), all = 0;
    uint64_t *count = calloc(w->n_terminals + (size_t)1, sizeof *count);
    double **block = calloc(w->n_routines + (size_t)1, sizeof *block), *blocks;

    for (uint32_t i = 0; i < w->n_routines; i++)
        all += w->routines[i].n_blocks;
    blocks = calloc(all + 1, sizeof *blocks);
    *k = (struct page_lines){.file = calloc(n + 1, sizeof *k->file), .line = malloc((n + 1) * sizeof *k->line)};
    bool ok = count && block && blocks && k->file && k->line;
    if (ok) {
        wpp_terminal_counts(w, count);
        all = 0;
        for (uint32_t i = 0; i < w->n_routines; all += w->routines[i++].n_blocks)
            block[i] = blocks + all;
        count_blocks(w, count, block);
        for (uint32_t i = 0; i < w->n_routines; i++)
            for (uint32_t b = 0; b < w->routines[i].n_blocks; b++)
                add_block(k, &w->routines[i], &w->routines[i].blocks[b], block[i][b]);
        join_lines(k);
        for (uint32_t i = 0; i < k->n_files; i++)
            k->file[i].source = page_sources_find(&r->sources, k->file[i].directory, k->file[i].name);
    } else {
        free_lines(k);
    }
    free(count);
    free(block);
    free(blocks);
    return ok;
}

bool page_need_lines(struct page_run *r)
{
    if (r->lines)
        return true;
    r->lines = calloc(1, sizeof *r->lines);
    return r->lines && collect(r->lines, r);
}

void page_lines_free(struct page_lines *k)
{
    if (k)
        free_lines(k);
    free(k);
}

/* ---- Answers ------------------------------------------------------------------------------------------ */

static void put_file(FILE *out, const struct page_run *r, const struct page_line_file *f)
{
    const struct page_file *source = f->source == UINT32_MAX ? NULL : &r->sources.file[f->source];
    size_t executed = 0;
    double insns = 0;

    for (size_t i = f->first; i < f->first + f->n; i++) {
        executed += r->lines->line[i].executions > 0;
        insns += r->lines->line[i].insns;
    }
    fputs("{\"file\":", out);
    json_string(out, f->name);
    fputs(",\"directory\":", out);
    json_string(out, f->directory);
    fprintf(out, ",\"executed\":%zu,\"lines\":%zu,\"insns\":%.17g,\"text\":%s,\"changed\":%s,\"last\":%" PRIu32
            "}", executed, f->n, insns, source ? "true" : "false", source && source->changed ? "true" : "false",
            source && source->n_pieces ? source->piece[source->n_pieces - 1].first
                + source->piece[source->n_pieces - 1].n - 1
            : f->n ? r->lines->line[f->first + f->n - 1].line : 0);
}

bool page_files(struct page_run *r, FILE *out)
{
    if (!page_need_lines(r))
        return false;
    fputs("{\"files\":[", out);
    for (uint32_t i = 0; i < r->lines->n_files; i++) {
        fputs(i ? "," : "", out);
        put_file(out, r, &r->lines->file[i]);
    }
    fputs("]}", out);
    return true;
}

static void put_text(FILE *out, const char *text, size_t length)
{
    char *copy = strndup(text ? text : "", text ? length : 0);

    json_string(out, copy ? copy : "");
    free(copy);
}

/* [line, text] of a line without code, [line, text, executions, insns] of another. */
bool page_lines(struct page_run *r, uint32_t file, uint32_t first, uint32_t last, FILE *out)
{
    const struct page_line_file *f;
    const char *between = "";
    size_t i;

    if (!page_need_lines(r))
        return false;
    if (file >= r->lines->n_files) {
        fputs("{\"error\":\"there is no such file\"}", out);
        return true;
    }
    f = &r->lines->file[file];
    i = f->first;
    fputs("{\"lines\":[", out);
    for (uint32_t line = first; line <= last && line - first < 5000; line++) {
        const struct known_line *known;
        size_t length = 0;
        const char *text = page_sources_line(&r->sources, f->source, line, &length);

        while (i < f->first + f->n && r->lines->line[i].line < line)
            i++;
        known = i < f->first + f->n && r->lines->line[i].line == line ? &r->lines->line[i] : NULL;
        if (!text && !known)
            continue;
        fprintf(out, "%s[%" PRIu32 ",", between, line);
        put_text(out, text, length);
        if (known)
            fprintf(out, ",%.17g,%.17g", known->executions, known->insns);
        fputc(']', out);
        between = ",";
    }
    fputs("]}", out);
    return true;
}
