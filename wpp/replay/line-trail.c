/* SPDX-License-Identifier: MIT */
#include "wpp/replay/line-trail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"

bool same_line(struct wpp_line a, struct wpp_line b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

bool trail_of(const struct wpp_terminal *terminal, const struct wpp_routine *routine,
              struct trail *out)
{
    size_t most = 0;

    for (uint32_t i = 0; i < terminal->n_blocks; i++) {
        assert(terminal->blocks[i] < routine->n_blocks);
        most += routine->blocks[terminal->blocks[i]].n_lines;
    }
    *out = (struct trail){0, malloc((most + 1) * sizeof *out->line)};
    if (!out->line)
        return false;
    for (uint32_t i = 0; i < terminal->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[terminal->blocks[i]];
        for (uint32_t k = 0; k < b->n_lines; k++)
            if (out->n == 0 || !same_line(out->line[out->n - 1], b->lines[k]))
                out->line[out->n++] = b->lines[k];
    }
    assert(out->n <= most);
    return true;
}

void trail_free(struct trail *trail)
{
    free(trail->line);
    *trail = (struct trail){0};
}

void trail_print(FILE *out, const struct trail *trail, size_t max_runs)
{
    const char *file = NULL;
    size_t runs = 0;

    for (size_t i = 0, end; i < trail->n; i = end) {
        const struct wpp_line *first = &trail->line[i];
        for (end = i + 1; end < trail->n && trail->line[end].line == first->line + (end - i)
                          && strcmp(trail->line[end].file, first->file) == 0;)
            end++;
        if (i > 0)
            putc(' ', out);
        if (max_runs > 0 && runs++ == max_runs) {
            fputs("...", out);
            return;
        }
        if (!file || strcmp(file, first->file) != 0) {
            name_put(out, first->file);
            putc(':', out);
        }
        file = first->file;
        fprintf(out, "%u", first->line);
        if (end - i > 1)
            fprintf(out, "-%u", trail->line[end - 1].line);
    }
}
