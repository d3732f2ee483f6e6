/* SPDX-License-Identifier: MIT */
#include "wpp/path-lines.h"

#include <stdlib.h>
#include <string.h>

bool path_lines_equal(struct wpp_line a, struct wpp_line b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

bool path_lines_of(const struct wpp_terminal *terminal, const struct wpp_routine *routine,
                   struct path_lines *out)
{
    size_t most = 0;

    for (uint32_t i = 0; i < terminal->n_blocks; i++)
        most += routine->blocks[terminal->blocks[i]].n_lines;
    *out = (struct path_lines){0, malloc((most + 1) * sizeof *out->line)};
    if (!out->line)
        return false;
    for (uint32_t i = 0; i < terminal->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[terminal->blocks[i]];
        for (uint32_t k = 0; k < b->n_lines; k++)
            if (out->n == 0 || !path_lines_equal(out->line[out->n - 1], b->lines[k]))
                out->line[out->n++] = b->lines[k];
    }
    return true;
}

void path_lines_free(struct path_lines *lines)
{
    free(lines->line);
    *lines = (struct path_lines){0};
}

void path_lines_print(FILE *out, const struct path_lines *lines, size_t max_runs)
{
    const char *file = NULL;
    size_t runs = 0;

    for (size_t i = 0, end; i < lines->n; i = end) {
        const struct wpp_line *first = &lines->line[i];
        for (end = i + 1; end < lines->n && lines->line[end].line == first->line + (end - i)
                          && strcmp(lines->line[end].file, first->file) == 0;)
            end++;
        if (i > 0)
            putc(' ', out);
        if (max_runs > 0 && runs++ == max_runs) {
            fputs("...", out);
            return;
        }
        if (!file || strcmp(file, first->file) != 0)
            fprintf(out, "%s:", first->file);
        file = first->file;
        fprintf(out, "%u", first->line);
        if (end - i > 1)
            fprintf(out, "-%u", lines->line[end - 1].line);
    }
}
