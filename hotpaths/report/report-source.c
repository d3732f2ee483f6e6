/* SPDX-License-Identifier: MIT */
/* report-source.c - the source of one path as text; see report-source.h. */
#include "hotpaths/report/report-source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/own-code.h"
#include "hotpaths/report/paint.h"

enum {
    WIDTH = 118,                /* columns of a source line, including its number, when there is
                                   no terminal */
    TAB = 8
};

/* ---- Lines ------------------------------------------------------------------------- */

struct source_line {
    const char *text;
    size_t length;
};

static size_t without_trailing_blanks(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length;
}

static bool source_line(const struct report *r, const struct wpp_routine *routine,
                        const struct executed_file *f, uint32_t line, struct source_line *out)
{
    out->text = source_text_line(r->sources, routine->directory, f->name, line, &out->length);
    if (!out->text)
        return false;
    out->length = without_trailing_blanks(out->text, out->length);
    return true;
}

/* The width of the white space before the text; SIZE_MAX for a blank line. */
static size_t leading_columns(const struct source_line *l)
{
    size_t columns = 0;

    for (size_t i = 0; i < l->length; i++) {
        if (l->text[i] == '\t')
            columns += TAB - columns % TAB;
        else if (l->text[i] == ' ')
            columns++;
        else
            return columns;
    }
    return SIZE_MAX;
}

/* Writes the text from column `from` on, tabs expanded, cut at `width` columns. */
static void put_source(FILE *out, const struct source_line *l, size_t from, size_t width)
{
    size_t column = 0;

    for (size_t i = 0; i < l->length; i++) {
        unsigned char c = (unsigned char)l->text[i];
        bool is_tail = (c & 0xc0) == 0x80;      /* of a UTF-8 character: takes no column */
        size_t next = c == '\t' ? column + TAB - column % TAB : column + !is_tail;

        if (column >= from + width && !is_tail)
            break;
        if (c == '\t')
            indent(out, next > from ? next - (column > from ? column : from) : 0);
        else if (next > from)
            putc(c < 0x20 || c == 0x7f ? '?' : c, out);
        column = next;
    }
}

static void put_line(const struct report *r, const struct wpp_routine *routine,
                     const struct executed_file *f, uint32_t line, bool executed, size_t from,
                     size_t columns)
{
    size_t all = r->columns ? r->columns : WIDTH;
    size_t width = columns + 24 < all ? all - columns - 8 : 16;
    struct source_line l;

    if (!source_line(r, routine, f, line, &l))
        l = (struct source_line){ "", 0 };
    indent(r->out, columns);
    fprintf(r->out, "%s%5" PRIu32 "%s", style(r, DIM), line, style(r, PLAIN));
    if (executed || l.length > 0)
        fprintf(r->out, " %s%c%s", style(r, EXECUTED), executed ? '*' : ' ', style(r, PLAIN));
    if (l.length > 0) {
        fprintf(r->out, " %s", executed ? "" : style(r, DIM));
        put_source(r->out, &l, from, width);
        fputs(executed ? "" : style(r, PLAIN), r->out);
    }
    putc('\n', r->out);
}

/* ---- Passages ---------------------------------------------------------------------- */

/* Lines [begin, end) of a file, all of them code of one function. */
struct passage {
    const struct executed_file *file;
    size_t begin, end;
    uint32_t order;             /* the least of its lines */
    uint32_t inlined;           /* that line's */
};

static int by_order(const void *pa, const void *pb)
{
    const struct passage *a = pa, *b = pb;

    return a->order < b->order ? -1 : a->order > b->order;
}

/* Whether two lines are code of the same function, called from anywhere. */
static bool is_same_code(const struct wpp_routine *routine, uint32_t a, uint32_t b)
{
    return a == b || (a && b && strcmp(routine->inlined[a - 1].name,
                                       routine->inlined[b - 1].name) == 0);
}

static struct passage passage_at(const struct wpp_routine *routine, const struct executed_file *f,
                                 size_t begin)
{
    size_t close = executed_range_end(f, begin, REPORT_CONTEXT);
    struct passage p = { f, begin, begin, UINT32_MAX, 0 };

    for (; p.end < close && is_same_code(routine, f->inlined[begin], f->inlined[p.end]); p.end++) {
        if (f->order[p.end] < p.order) {
            p.order = f->order[p.end];
            p.inlined = f->inlined[p.end];
        }
    }
    return p;
}

static size_t passages_of(struct passage *out, const struct wpp_routine *routine,
                          const struct executed_file *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_lines; i = out[n++].end)
        out[n] = passage_at(routine, f, i);
    return n;
}

/* The indentation that all lines of all passages in a file have. */
static size_t common_indent(const struct report *r, const struct wpp_routine *routine,
                            const struct passage *passages, size_t n,
                            const struct executed_file *f)
{
    size_t least = SIZE_MAX;
    struct source_line l;

    for (size_t i = 0; i < n; i++) {
        if (passages[i].file != f)
            continue;
        for (uint64_t line = f->lines[passages[i].begin]; line <= f->lines[passages[i].end - 1];
             line++)
            if (source_line(r, routine, f, (uint32_t)line, &l) && leading_columns(&l) < least)
                least = leading_columns(&l);
    }
    return least == SIZE_MAX ? 0 : least;
}

static void put_passage(const struct report *r, const struct wpp_routine *routine,
                        const struct passage *p, size_t from, size_t columns)
{
    const struct executed_file *f = p->file;

    for (size_t i = p->begin; i < p->end; i++) {
        put_line(r, routine, f, f->lines[i], true, from, columns);
        if (i + 1 == p->end)
            break;
        for (uint32_t line = f->lines[i] + 1; line < f->lines[i + 1]; line++)
            put_line(r, routine, f, line, false, from, columns);
    }
}

/* Writes the function of the code, and the place of the call. */
static void put_inlined(const struct report *r, const struct wpp_routine *routine,
                        const struct wpp_inlined *call)
{
    struct wpp_line at = { call->file, call->line, call->caller };

    put_routine(r, call->shown);
    fputs(", inlined", r->out);
    if ((!r->system && !own_code_fold(routine, &at)) || at.line == 0)
        return;
    if (strcmp(at.file, routine->file) == 0) {
        fprintf(r->out, " at line %" PRIu32, at.line);
        return;
    }
    fputs(" at ", r->out);
    name_put(r->out, at.file);
    fprintf(r->out, ":%" PRIu32, at.line);
}

/* Writes the separator between a passage and the one before, or in front of the first.  It is `:`;
 * for another function's code, its name; for another file, that file. */
static void put_seam(const struct report *r, const struct wpp_routine *routine,
                     const struct passage *before, const struct passage *p, size_t columns)
{
    const char *file = before ? before->file->name : routine->file;
    bool same_file = strcmp(file, p->file->name) == 0;
    bool same_code = is_same_code(routine, before ? before->inlined : 0, p->inlined);

    if (same_file && same_code && !before)
        return;
    indent(r->out, columns);
    fputs(style(r, DIM), r->out);
    if (same_file && same_code) {
        fputs("    ", r->out);
    } else {
        if (p->inlined && !same_code)
            put_inlined(r, routine, &routine->inlined[p->inlined - 1]);
        else if (same_file)
            put_routine(r, routine->shown);
        if (!same_file) {
            fputs(p->inlined && !same_code ? ", " : "", r->out);
            name_put(r->out, p->file->name);
        }
    }
    fprintf(r->out, ":%s\n", style(r, PLAIN));
}

uint64_t report_started(const struct report *r)
{
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    return run.started ? run.started : UINT64_MAX;
}

void report_put_doubts(const struct report *r, const struct report_doubts *doubts)
{
    if (doubts->missing)
        fputs("\nSome source files were not found; --source=DIR says where they are.\n", r->out);
    if (doubts->system)
        fputs("\nSource of system headers is not shown; --system shows it.\n", r->out);
    if (doubts->newer)
        fputs("\nSome source files are newer than the run; their lines may have moved.\n", r->out);
}

/* Collects the passages of the files that can be shown; returns how many. */
static size_t shown_passages(const struct report *r, const struct wpp_routine *routine,
                             const struct executed_lines *lines, uint64_t started,
                             struct report_doubts *doubts, struct passage *out)
{
    size_t n = 0;

    for (size_t i = 0; i < lines->n_files; i++) {
        const struct executed_file *f = &lines->files[i];

        if (!source_text_has(r->sources, routine->directory, f->name)) {
            doubts->missing = true;
            continue;
        }
        if (!source_is_known(r->w, routine->directory, f->name)
            && source_text_is_newer(r->sources, routine->directory, f->name, started))
            doubts->newer = true;
        n += passages_of(out + n, routine, f);
    }
    qsort(out, n, sizeof *out, by_order);
    return n;
}

bool report_source(const struct report *r, const struct wpp_routine *routine,
                   const struct executed_lines *lines, size_t columns, uint64_t started,
                   struct report_doubts *doubts)
{
    size_t most = 0, n;
    struct passage *passages;

    for (size_t i = 0; i < lines->n_files; i++)
        most += lines->files[i].n_lines;
    passages = calloc(most + 1, sizeof *passages);
    if (!passages)
        return false;
    n = shown_passages(r, routine, lines, started, doubts, passages);
    for (size_t i = 0; i < n; i++) {
        const struct executed_file *f = passages[i].file;

        put_seam(r, routine, i ? &passages[i - 1] : NULL, &passages[i], columns);
        put_passage(r, routine, &passages[i], common_indent(r, routine, passages, n, f), columns);
    }
    free(passages);
    return true;
}
