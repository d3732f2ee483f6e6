/* SPDX-License-Identifier: MIT */
#include "wpp/replay/stack-text.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"

struct rows {
    struct stack_row *row;
    size_t n, room;
};

static bool add_row(struct rows *r, struct stack_row row)
{
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        struct stack_row *larger = realloc(r->row, room * sizeof *larger);

        if (!larger)
            return false;
        r->row = larger;
        r->room = room;
    }
    r->row[r->n++] = row;
    return true;
}

const struct wpp_line *path_end(const wpp *w, const struct wpp_terminal *t)
{
    const struct wpp_routine *r = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);

    for (uint32_t i = r ? t->n_blocks : 0; i > 0; i--) {
        const struct wpp_block *b = &r->blocks[t->blocks[i - 1]];

        if (b->n_lines > 0)
            return &b->lines[b->n_lines - 1];
    }
    return NULL;
}

/* The activation and the inlined calls that it stands in, innermost first. */
static bool add_frame(struct rows *rows, const wpp *w, const struct wpp_frame *frames, size_t number,
                      const struct wpp_line *at, bool assembler)
{
    const struct wpp_frame *f = &frames[number];
    const struct wpp_routine *r = wpp_routine(w, f->routine);
    const char *file = at ? at->file : NULL;
    uint32_t line = at ? at->line : 0, scope = at ? at->inlined : 0;

    for (; scope > 0 && scope <= r->n_inlined; scope = r->inlined[scope - 1].caller) {
        const struct wpp_inlined *i = &r->inlined[scope - 1];

        if (!add_row(rows, (struct stack_row){assembler ? i->name : i->shown, file, line, true, 0, false,
                                             number}))
            return false;
        file = i->file;
        line = i->line;
    }
    return add_row(rows, (struct stack_row){assembler ? r->name : r->shown, file, line, false, f->first,
                                      f->unseen, number});
}

static int digits(size_t n)
{
    int d = 1;

    for (; n >= 10; n /= 10)
        d++;
    return d;
}

static void print_row(FILE *out, const struct stack_row *row, size_t number, int width, int columns)
{
    fprintf(out, "#%-*zu  ", columns, number);
    name_put(out, row->name);
    fprintf(out, "%*s  ", width - (int)strlen(row->name) > 0 ? width - (int)strlen(row->name) : 0, "");
    if (row->file)
        name_put(out, row->file);
    else
        fputs("no line is known", out);
    if (row->file && row->line > 0)
        fprintf(out, ":%u", row->line);
    if (row->inlined)
        fputs("  inlined\n", out);
    else if (row->unseen)
        fputs("  since before the recording\n", out);
    else
        fprintf(out, "  since event %llu\n", (unsigned long long)row->first);
}

bool stack_rows(const wpp *w, const struct wpp_frame *frames, size_t n, const struct wpp_line *at,
                bool assembler_names, struct stack_row **out, size_t *n_rows)
{
    struct rows rows = {0};
    bool done = true;

    for (size_t i = n; done && i-- > 0;) {
        bool top = i == n - 1 && at;

        done = add_frame(&rows, w, frames, i, top ? at : path_end(w, wpp_terminal(w, frames[i].terminal)),
                         assembler_names);
    }
    if (!done) {
        free(rows.row);
        rows = (struct rows){0};
    }
    *out = rows.row;
    *n_rows = rows.n;
    return done;
}

bool stack_print(FILE *out, const wpp *w, const struct wpp_frame *frames, size_t n,
                 const struct wpp_line *at, bool assembler_names)
{
    enum { WIDEST = 40 };
    struct stack_row *row;
    size_t n_rows;
    int width = 0;

    if (!stack_rows(w, frames, n, at, assembler_names, &row, &n_rows))
        return false;
    for (size_t i = 0; i < n_rows; i++) {
        int length = (int)strlen(row[i].name);

        width = length > width && length <= WIDEST ? length : width;
    }
    for (size_t i = 0; i < n_rows; i++)
        print_row(out, &row[i], i, width, digits(n_rows - 1));
    free(row);
    return true;
}
