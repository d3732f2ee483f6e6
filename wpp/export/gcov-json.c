/* SPDX-License-Identifier: MIT */
/* gcov-json.c - what `gcov --json-format -b` of GCC 14 writes, format version 2.  Columns are not known:
 * they are 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/json.h"
#include "wpp/export/export-coverage.h"
#include "wpp/replay/source-files.h"

/* A block of a routine that has the line. */
struct line_block { uint32_t file, line, block; };

struct writing {
    const struct export_coverage *x;
    FILE *out;
    struct line_block *block;      /* by file, line, block */
    size_t n, next;
};

/* ---- Blocks of lines ----------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    const struct line_block *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static int by_path(const void *path, const void *file)
{
    return strcmp(path, ((const struct coverage_file *)file)->path);
}

static int files_by_path(const void *a, const void *b)
{
    return by_path(((const struct coverage_file *)a)->path, b);
}

/* The coverage's number of a file as a routine names it; UINT32_MAX: it has none. */
struct file_numbers {
    struct source_files files;
    struct coverage_file *sorted;  /* by path; `first` is the number */
    uint32_t n;
    bool failed;                   /* no memory */
};

static uint32_t number_of(struct file_numbers *f, const char *directory, const char *name)
{
    uint32_t i = source_files_add(&f->files, directory, name);
    const struct coverage_file *found;

    if (i == SOURCE_FILE_NONE) {
        f->failed = true;
        return UINT32_MAX;
    }
    found = bsearch(f->files.file[i].path, f->sorted, f->n, sizeof *f->sorted, by_path);
    return found ? found->first : UINT32_MAX;
}

static bool begin_numbers(struct file_numbers *f, const struct coverage *c)
{
    *f = (struct file_numbers){.n = c->n_files};
    f->sorted = calloc(c->n_files + (size_t)1, sizeof *f->sorted);
    for (uint32_t i = 0; f->sorted && i < c->n_files; i++) {
        f->sorted[i] = c->file[i];
        f->sorted[i].first = i;
    }
    if (f->sorted)
        qsort(f->sorted, f->n, sizeof *f->sorted, files_by_path);
    return f->sorted != NULL;
}

static void add_blocks(struct writing *w, struct file_numbers *f, const struct wpp_routine *r)
{
    for (uint32_t b = 2; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++) {
            const struct wpp_line *l = &r->blocks[b].lines[i];

            if (l->line > 0)
                w->block[w->n++] = (struct line_block){number_of(f, r->directory, l->file), l->line, b};
        }
}

static bool find_blocks(struct writing *w)
{
    const struct coverage *c = w->x->c;
    struct file_numbers numbers;
    size_t n = 0;

    for (uint32_t i = 0; i < c->n_routines; i++)
        for (uint32_t b = 0; b < c->routine[i].routine->n_blocks; b++)
            n += c->routine[i].routine->blocks[b].n_lines;
    w->block = calloc(n + 1, sizeof *w->block);
    if (!w->block || !begin_numbers(&numbers, c))
        return false;
    for (uint32_t i = 0; i < c->n_routines; i++)
        if (export_shows_routine(w->x, i))
            add_blocks(w, &numbers, c->routine[i].routine);
    if (w->n > 0)
        qsort(w->block, w->n, sizeof *w->block, by_line);
    source_files_free(&numbers.files);
    free(numbers.sorted);
    return !numbers.failed;
}

static void put_block_ids(struct writing *w, uint32_t file, uint32_t line)
{
    const char *between = "";
    uint32_t last = 0;

    fputs("\"block_ids\": [", w->out);
    for (; w->next < w->n; w->next++) {
        const struct line_block *b = &w->block[w->next];

        if (b->file > file || (b->file == file && b->line > line))
            break;
        if (b->file < file || b->line < line || b->block == last)
            continue;
        fprintf(w->out, "%s%" PRIu32, between, b->block);
        last = b->block;
        between = ", ";
    }
    fputs("], ", w->out);
}

/* ---- Lines ----------------------------------------------------------------------------------------- */

static void put_bool(const struct writing *w, const char *key, bool value, const char *end)
{
    fprintf(w->out, "\"%s\": %s%s", key, value ? "true" : "false", end);
}

static void put_branches(const struct writing *w, const struct coverage_line *l)
{
    const char *between = "";

    fputs("\"branches\": [", w->out);
    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        const struct coverage_branch *b = &w->x->c->branch[i];

        if (!export_shows_branch(w->x, b))
            continue;
        fprintf(w->out, "%s{\"count\": %" PRIu64 ", ", between, b->count);
        put_bool(w, "fallthrough", b->falls, ", ");
        put_bool(w, "throw", b->throws, ", ");
        fprintf(w->out, "\"source_block_id\": %" PRIu32 ", \"destination_block_id\": %" PRIu32 "}", b->block,
                b->to);
        between = ", ";
    }
    fputs("], \"calls\": [], \"conditions\": []}", w->out);
}

/* Whether some block of the branches on the line was not reached, though the line was. */
static bool has_unexecuted(const struct writing *w, const struct coverage_line *l)
{
    for (uint32_t i = l->first; i < l->first + l->n; i++)
        if (w->x->c->branch[i].reached == 0)
            return true;
    return l->count == 0;
}

static void put_line(struct writing *w, uint32_t file, const struct coverage_line *l)
{
    uint32_t r = export_routine_of(w->x, file, l->line);

    fprintf(w->out, "{\"line_number\": %" PRIu32 ", \"count\": %" PRIu64 ", ", l->line, l->count);
    if (r != UINT32_MAX) {
        fputs("\"function_name\": ", w->out);
        json_string(w->out, w->x->c->routine[r].routine->name);
        fputs(", ", w->out);
    }
    put_bool(w, "unexecuted_block", has_unexecuted(w, l), ", ");
    put_block_ids(w, file, l->line);
    put_branches(w, l);
}

/* ---- Routines --------------------------------------------------------------------------------------- */

static void put_routine(const struct writing *w, uint32_t number)
{
    const struct coverage_routine *r = &w->x->c->routine[number];
    uint32_t executed = 0;

    for (uint32_t b = 2; b < r->routine->n_blocks; b++)
        executed += r->block[b] > 0;
    fputs("{\"name\": ", w->out);
    json_string(w->out, r->routine->name);
    fputs(", \"demangled_name\": ", w->out);
    json_string(w->out, r->routine->shown ? r->routine->shown : r->routine->name);
    fprintf(w->out, ", \"start_line\": %" PRIu32 ", \"start_column\": 0, \"end_line\": %" PRIu32
            ", \"end_column\": 0, \"blocks\": %" PRIu32 ", \"blocks_executed\": %" PRIu32
            ", \"execution_count\": %" PRIu64 "}", r->routine->line, r->last_line, r->routine->n_blocks - 2,
            executed, export_entered(w->x, number));
}

static void put_file(struct writing *w, uint32_t number)
{
    const struct coverage_file *f = &w->x->c->file[number];
    const char *between = "\n ";

    fputs("{\"file\": ", w->out);
    json_string(w->out, f->path);
    fputs(",\n\"functions\": [", w->out);
    for (uint32_t i = f->first_routine; i < f->first_routine + f->n_routines; i++)
        if (export_shows_routine(w->x, i)) {
            fputs(between, w->out);
            put_routine(w, i);
            between = ",\n ";
        }
    fputs("],\n\"lines\": [", w->out);
    between = "\n ";
    for (uint32_t i = f->first; i < f->first + f->n; i++)
        if (export_shows_line(w->x, number, &w->x->c->line[i])) {
            fputs(between, w->out);
            put_line(w, number, &w->x->c->line[i]);
            between = ",\n ";
        }
    fputs("]}", w->out);
}

bool export_gcov(struct export_coverage *x)
{
    struct writing w = {.x = x, .out = x->out};
    const char *between = "\n";
    bool ok = find_blocks(&w);

    if (ok) {
        fputs("{\"format_version\": \"2\", \"gcc_version\": \"wpp-export " WPP_VERSION "\", "
              "\"current_working_directory\": \"/\", \"data_file\": \"\",\n\"files\": [", w.out);
        for (uint32_t i = 0; i < x->c->n_files && !ferror(w.out); i++)
            if (export_count_file(x, i).lines > 0) {
                fputs(between, w.out);
                put_file(&w, i);
                between = ",\n";
            }
        fputs("]}\n", w.out);
    }
    free(w.block);
    return ok;
}
