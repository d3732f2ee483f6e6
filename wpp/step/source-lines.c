/* SPDX-License-Identifier: MIT */
#include "wpp/step/source-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *path_of(const char *directory, const char *file)
{
    char *path;

    if (file[0] == '/' || !directory[0])
        return strdup(file);
    return asprintf(&path, "%s/%s", directory, file) < 0 ? NULL : path;
}

/* A regular file with a zero behind it; NULL: it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    struct stat st;
    char *text = NULL;

    if (in && fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0)
        text = malloc((size_t)st.st_size + 1);
    if (text) {
        *size = fread(text, 1, (size_t)st.st_size, in);
        text[*size] = '\0';
    }
    if (in)
        fclose(in);
    return text;
}

/* False: no memory. */
static bool split(struct source_lines *s, size_t size)
{
    char *end = s->text + size;
    size_t n = 0;

    for (char *p = s->text; p < end; p++)
        n += *p == '\n';
    s->line = malloc((n + 1) * sizeof *s->line);
    if (!s->line)
        return false;
    for (char *p = s->text, *next; p < end; p = next) {
        char *newline = memchr(p, '\n', (size_t)(end - p));

        next = newline ? newline + 1 : end;
        if (newline)
            *newline = '\0';
        if (newline && newline > p && newline[-1] == '\r')
            newline[-1] = '\0';
        s->line[s->n++] = p;
    }
    return true;
}

static struct source_lines *load(char *path, const char *file)
{
    struct source_lines *s = calloc(1, sizeof *s);
    size_t size = 0;

    if (!s)
        return NULL;
    s->path = path;
    s->text = read_file(path, &size);
    if (!s->text)
        s->text = read_file(file, &size);
    if (s->text && !split(s, size)) {
        free(s->text);
        free(s);
        return NULL;
    }
    return s;
}

const struct source_lines *source_set_get(struct source_set *set, const char *directory, const char *file)
{
    char *path = path_of(directory, file);
    struct source_lines *s = set->files;

    while (path && s && strcmp(s->path, path) != 0)
        s = s->next;
    if (path && !s) {
        s = load(path, file);
        if (s) {
            s->next = set->files;
            set->files = s;
            return s;
        }
    }
    free(path);
    return s;
}

void source_set_free(struct source_set *set)
{
    for (struct source_lines *s = set->files, *next; s; s = next) {
        next = s->next;
        free(s->path);
        free(s->text);
        free(s->line);
        free(s);
    }
    set->files = NULL;
}
