/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/operator-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/coverage/source-text-file.h"

#define UNREAD UINT32_MAX

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}

static bool has_operator(const char *text)
{
    return strstr(text, "&&") || strstr(text, "||") || has_word(text, "and") || has_word(text, "or");
}

static bool make_room(struct operator_lines *o, uint32_t number)
{
    uint32_t capacity = 2 * number + 64, *n;
    bool **line;

    if (number < o->capacity)
        return true;
    line = realloc(o->line, capacity * sizeof *line);
    if (!line)
        return false;
    o->line = line;
    n = realloc(o->n, capacity * sizeof *n);
    if (!n)
        return false;
    o->n = n;
    for (; o->capacity < capacity; o->capacity++) {
        o->line[o->capacity] = NULL;
        o->n[o->capacity] = UNREAD;
    }
    return true;
}

/* Lines count from 1. */
static bool read_lines(FILE *in, bool **line, uint32_t *n)
{
    uint32_t capacity = 0;
    char *text = NULL;
    size_t size = 0;
    bool done = true;

    while (done && *n < UINT32_MAX / 4 && getline(&text, &size, in) >= 0) {
        if (*n + 1 >= capacity) {
            bool *larger = realloc(*line, (capacity = 2 * capacity + 1024) * sizeof *larger);

            done = larger;
            *line = larger ? larger : *line;
        }
        if (done)
            (*line)[++*n] = has_operator(text);
    }
    free(text);
    return done;
}

static bool read_file(struct operator_lines *o, uint32_t number)
{
    FILE *in;
    bool done;

    o->n[number] = 0;
    if (!source_text_file_open(o->files.file[number].path, o->moved, &in))
        return false;
    if (!in)
        return true;
    done = read_lines(in, &o->line[number], &o->n[number]);
    fclose(in);
    return done;
}

bool operator_lines_between(struct operator_lines *o, const char *directory, const char *file,
                            uint32_t a, uint32_t b)
{
    uint32_t number = source_files_add(&o->files, directory, file);
    uint32_t first = a < b ? a : b, last = a < b ? b : a;

    if (o->failed || number == SOURCE_FILE_NONE || !make_room(o, number)
        || (o->n[number] == UNREAD && !read_file(o, number))) {
        o->failed = true;
        return false;
    }
    for (uint32_t i = first > 0 ? first : 1; i <= last && i <= o->n[number]; i++)
        if (o->line[number][i])
            return true;
    return false;
}

void operator_lines_free(struct operator_lines *o)
{
    for (uint32_t i = 0; i < o->capacity; i++)
        free(o->line[i]);
    free(o->line);
    free(o->n);
    source_files_free(&o->files);
    *o = (struct operator_lines){0};
}
