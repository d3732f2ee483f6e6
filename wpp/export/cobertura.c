/* SPDX-License-Identifier: MIT */
/* cobertura.c - coverage as XML, by Cobertura's DTD coverage-04.
 *
 *      sources      the folder that all files are in
 *      package      a folder below it
 *      class        a source file: methods are its routines; lines
 *      line         a line whose branches are counted has a condition-coverage
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/export/escape.h"
#include "wpp/export/export-coverage.h"

struct writing {
    const struct export_coverage *x;
    FILE *out;
    struct export_counts *count;   /* by file; no lines: it is not written */
    bool *written;                 /* by file: in a package */
    size_t root;                   /* bytes of all paths that are the common folder, with its slash */
};

static double rate(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 1;
}

static void put_rates(const struct writing *w, const struct export_counts *n)
{
    fprintf(w->out, " line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\"", rate(n->lines_hit, n->lines),
            rate(n->branches_hit, n->branches));
}

static void add(struct export_counts *sum, struct export_counts n)
{
    sum->lines += n.lines;
    sum->lines_hit += n.lines_hit;
    sum->branches += n.branches;
    sum->branches_hit += n.branches_hit;
}

/* ---- Folders ------------------------------------------------------------------------------------ */

static bool has_file(const struct writing *w, uint32_t file)
{
    return w->count[file].lines > 0;
}

static size_t common_folder(const struct writing *w)
{
    const struct coverage *c = w->x->c;
    const char *first = NULL;
    size_t n = 0;

    for (uint32_t i = 0; i < c->n_files; i++) {
        const char *path = c->file[i].path;
        size_t same = 0;

        if (!has_file(w, i))
            continue;
        if (!first) {
            first = path;
            n = strlen(path);
        }
        while (same < n && path[same] == first[same])
            same++;
        n = same;
    }
    while (n > 0 && first[n - 1] != '/')
        n--;
    return n;
}

/* Bytes of the folder that a file is in, below the common one. */
static size_t folder_of(const struct writing *w, uint32_t file)
{
    const char *path = w->x->c->file[file].path + w->root, *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

static bool same_folder(const struct writing *w, uint32_t a, uint32_t b)
{
    size_t n = folder_of(w, a);

    return n == folder_of(w, b)
        && memcmp(w->x->c->file[a].path + w->root, w->x->c->file[b].path + w->root, n) == 0;
}

/* ---- Lines --------------------------------------------------------------------------------------- */

static void put_line(const struct writing *w, const struct coverage_line *l)
{
    uint64_t n = 0, hit = 0;

    for (uint32_t i = l->first; i < l->first + l->n; i++)
        if (export_shows_branch(w->x, &w->x->c->branch[i])) {
            n++;
            hit += w->x->c->branch[i].count > 0;
        }
    fprintf(w->out, "<line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\"", l->line, l->count);
    if (n == 0) {
        fputs(" branch=\"false\"/>\n", w->out);
        return;
    }
    fprintf(w->out, " branch=\"true\" condition-coverage=\"%.0f%% (%" PRIu64 "/%" PRIu64 ")\"><conditions>"
            "<condition number=\"0\" type=\"jump\" coverage=\"%.0f%%\"/></conditions></line>\n",
            100 * rate(hit, n), hit, n, 100 * rate(hit, n));
}

static void put_lines(const struct writing *w, uint32_t file, uint32_t first, uint32_t last)
{
    uint32_t end = w->x->c->file[file].first + w->x->c->file[file].n;

    fputs("<lines>\n", w->out);
    for (uint32_t i = export_find_line(w->x, file, first); i < end && w->x->c->line[i].line <= last; i++)
        if (export_shows_line(w->x, file, &w->x->c->line[i]))
            put_line(w, &w->x->c->line[i]);
    fputs("</lines>\n", w->out);
}

static void put_method(const struct writing *w, uint32_t file, const struct coverage_routine *r)
{
    struct export_counts n = export_count_lines(w->x, file, r->routine->line, r->last_line);

    fputs("<method name=\"", w->out);
    xml_text(w->out, r->routine->shown ? r->routine->shown : r->routine->name);
    fputs("\" signature=\"\"", w->out);
    put_rates(w, &n);
    fputs(">\n", w->out);
    put_lines(w, file, r->routine->line, r->last_line);
    fputs("</method>\n", w->out);
}

static void put_class(const struct writing *w, uint32_t file)
{
    const struct coverage_file *f = &w->x->c->file[file];
    const char *slash = strrchr(f->path, '/');

    fputs("<class name=\"", w->out);
    xml_text(w->out, slash ? slash + 1 : f->path);
    fputs("\" filename=\"", w->out);
    xml_text(w->out, f->path + w->root);
    putc('"', w->out);
    put_rates(w, &w->count[file]);
    fputs(">\n<methods>\n", w->out);
    for (uint32_t i = f->first_routine; i < f->first_routine + f->n_routines; i++)
        if (export_shows_routine(w->x, i))
            put_method(w, file, &w->x->c->routine[i]);
    fputs("</methods>\n", w->out);
    put_lines(w, file, 0, UINT32_MAX);
    fputs("</class>\n", w->out);
}

static void put_package(struct writing *w, uint32_t first)
{
    const struct coverage *c = w->x->c;
    struct export_counts n = {0};
    size_t bytes = folder_of(w, first);

    for (uint32_t i = first; i < c->n_files; i++)
        if (same_folder(w, first, i))
            add(&n, w->count[i]);
    fputs("<package name=\"", w->out);
    for (size_t i = 0; i < bytes; i++) {       /* a dot where a slash is, as packages have them */
        const char *sign = c->file[first].path + w->root + i;

        if (strchr("/<>&\"", *sign))
            fputs(*sign == '/' ? "." : "_", w->out);
        else
            putc((unsigned char)*sign < ' ' || (unsigned char)*sign > '~' ? '_' : *sign, w->out);
    }
    putc('"', w->out);
    put_rates(w, &n);
    fputs(">\n<classes>\n", w->out);
    for (uint32_t i = first; i < c->n_files; i++)
        if (has_file(w, i) && same_folder(w, first, i)) {
            put_class(w, i);
            w->written[i] = true;
        }
    fputs("</classes>\n</package>\n", w->out);
}

static void put_source(const struct writing *w)
{
    char folder[4096] = ".";

    for (uint32_t i = 0; i < w->x->c->n_files; i++)
        if (w->root > 0 && has_file(w, i)) {
            snprintf(folder, sizeof folder, "%.*s", (int)(w->root > 1 ? w->root - 1 : 1),
                     w->x->c->file[i].path);
            break;
        }
    fputs("<sources>\n<source>", w->out);
    xml_text(w->out, folder);
    fputs("</source>\n</sources>\n", w->out);
}

static void put_all(struct writing *w)
{
    struct export_counts n = {0};
    uint32_t n_files = w->x->c->n_files;

    for (uint32_t i = 0; i < n_files; i++)
        add(&n, w->count[i] = export_count_file(w->x, i));
    w->root = common_folder(w);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
          "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage", w->out);
    put_rates(w, &n);
    fprintf(w->out, " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"%" PRIu64
            "\" branches-valid=\"%" PRIu64 "\" version=\"wpp-export " WPP_VERSION "\" timestamp=\"%" PRIu64
            "\">\n", n.lines_hit, n.lines, n.branches_hit, n.branches, w->x->time);
    put_source(w);
    fputs("<packages>\n", w->out);
    for (uint32_t i = 0; i < n_files && !ferror(w->out); i++)
        if (has_file(w, i) && !w->written[i])
            put_package(w, i);
    fputs("</packages>\n</coverage>\n", w->out);
}

bool export_cobertura(struct export_coverage *x)
{
    struct writing w = {.x = x, .out = x->out};
    bool ok;

    w.count = calloc(x->c->n_files + (size_t)1, sizeof *w.count);
    w.written = calloc(x->c->n_files + (size_t)1, sizeof *w.written);
    ok = w.count && w.written;
    if (ok)
        put_all(&w);
    free(w.count);
    free(w.written);
    return ok;
}
