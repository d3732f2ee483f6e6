/* SPDX-License-Identifier: MIT */
#include "wpp/step/dap-sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Paths -------------------------------------------------------------------------------------------- */

/* Appends a part of a path, behind a slash; `..` takes the last one off. */
static void append_part(char *out, const char *part, size_t length)
{
    size_t n = strlen(out);

    if (length == 0 || (length == 1 && part[0] == '.'))
        return;
    if (length == 2 && memcmp(part, "..", 2) == 0 && strrchr(out, '/')) {
        *strrchr(out, '/') = '\0';
        return;
    }
    out[n] = '/';
    memcpy(out + n + 1, part, length);
    out[n + 1 + length] = '\0';
}

static void append_parts(char *out, const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");

        append_part(out, path, length);
        path += length + (path[length] == '/');
    }
}

char *dap_normal_path(const char *directory, const char *file)
{
    char *out = malloc(strlen(directory) + strlen(file) + 3);

    if (!out)
        return NULL;
    out[0] = '\0';
    if (file[0] != '/')
        append_parts(out, directory);
    append_parts(out, file);
    if (file[0] != '/' && directory[0] != '/' && out[0] == '/')
        memmove(out, out + 1, strlen(out));
    return out;
}

/* Where the last part of a path's first n bytes begins. */
static size_t last_part(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n;
}

/* How many of their last parts two paths share. */
static size_t common_tail(const char *a, const char *b)
{
    size_t i = strlen(a), j = strlen(b), parts = 0;

    while (i > 0 && j > 0) {
        size_t at_a = last_part(a, i), at_b = last_part(b, j);

        if (i - at_a != j - at_b || memcmp(a + at_a, b + at_b, i - at_a) != 0)
            break;
        parts++;
        i = at_a > 0 ? at_a - 1 : 0;
        j = at_b > 0 ? at_b - 1 : 0;
    }
    return parts;
}

static bool is_same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = real_a ? realpath(b, NULL) : NULL;
    bool same = real_b && strcmp(real_a, real_b) == 0;

    free(real_a);
    free(real_b);
    return same;
}

/* ---- Finding them all ---------------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
    const struct dap_source *a = left, *b = right;
    int order = strcmp(a->directory, b->directory);

    return order ? order : strcmp(a->file, b->file);
}

/* A list that lets one name follow itself only once. */
struct names {
    struct dap_source *each;
    size_t n, room;
    bool failed;
};

static void add_name(struct names *l, const char *directory, const char *file)
{
    if (l->failed || !file || !file[0]
        || (l->n > 0 && l->each[l->n - 1].file == file && l->each[l->n - 1].directory == directory))
        return;
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 256;
        struct dap_source *larger = realloc(l->each, room * sizeof *larger);

        l->failed = !larger;
        if (!larger)
            return;
        l->each = larger;
        l->room = room;
    }
    l->each[l->n++] = (struct dap_source){.directory = directory, .file = file};
}

static void sort_names(struct names *l)
{
    size_t n = 0;

    if (l->n > 0)
        qsort(l->each, l->n, sizeof *l->each, by_name);
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || by_name(&l->each[n - 1], &l->each[i]) != 0)
            l->each[n++] = l->each[i];
    l->n = n;
}

static void add_routine(struct names *l, const struct wpp_routine *r)
{
    add_name(l, r->directory, r->file);
    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++)
            add_name(l, r->directory, r->blocks[b].lines[i].file);
    for (uint32_t i = 0; i < r->n_inlined; i++)
        add_name(l, r->directory, r->inlined[i].file);
}

/* The path with its beginning replaced by the first map that has it. */
static char *mapped(char *path, const struct dap_map *maps, size_t n)
{
    for (size_t i = 0; path && i < n; i++) {
        size_t length = strlen(maps[i].from);
        char *out;

        if (strncmp(path, maps[i].from, length) != 0 || (path[length] != '/' && path[length] != '\0'))
            continue;
        if (asprintf(&out, "%s%s", maps[i].to, path + length) < 0)
            out = NULL;
        free(path);
        return out;
    }
    return path;
}

/* Where the file is: where it was compiled, or else relative to the current folder. */
static bool locate(struct dap_source *s, const struct dap_map *maps, size_t n_maps)
{
    char *here = s->file[0] == '/' ? NULL : getcwd(NULL, 0), *other;

    s->path = mapped(dap_normal_path(s->directory, s->file), maps, n_maps);
    s->there = s->path && access(s->path, R_OK) == 0;
    other = here && !s->there ? dap_normal_path(here, s->file) : NULL;
    free(here);
    if (other && access(other, R_OK) == 0) {
        free(s->path);
        s->path = other;
        s->there = true;
    } else {
        free(other);
    }
    return s->path != NULL;
}

static bool is_changed(const struct source_changes *changes, const char *file)
{
    for (uint32_t i = 0; i < changes->n; i++)
        if (strcmp(changes->file[i], file) == 0)
            return true;
    return false;
}

bool dap_sources_find(struct dap_sources *out, const wpp *w, const struct source_changes *changes,
                      const struct dap_map *maps, size_t n_maps)
{
    struct names names = {0};
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++)
        add_routine(&names, wpp_routine(w, i));
    sort_names(&names);
    *out = (struct dap_sources){names.each, names.n};
    for (size_t i = 0; i < out->n && !names.failed; i++) {
        out->each[i].changed = is_changed(changes, out->each[i].file);
        names.failed = !locate(&out->each[i], maps, n_maps);
    }
    if (names.failed)
        dap_sources_free(out);
    return !names.failed;
}

void dap_sources_free(struct dap_sources *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->each[i].path);
    free(s->each);
    *s = (struct dap_sources){0};
}

/* ---- Asking ---------------------------------------------------------------------------------------------- */

struct dap_source *dap_source_of(const struct dap_sources *s, const char *directory, const char *file)
{
    struct dap_source asked = {.directory = directory, .file = file};

    return s->n > 0 ? bsearch(&asked, s->each, s->n, sizeof asked, by_name) : NULL;
}

/* How like a path is: its number of common parts, and more if it is the same file. */
static size_t likeness(const char *asked, const char *path)
{
    size_t parts = common_tail(asked, path);

    if (parts > 0 && (strcmp(asked, path) == 0 || is_same_file(asked, path)))
        return SIZE_MAX;
    return parts;
}

size_t dap_sources_like(const struct dap_sources *s, const char *path, size_t *out, size_t room, bool *several)
{
    char *asked = dap_normal_path("", path);
    size_t best = 0, n = 0, first = 0;

    *several = false;
    for (size_t i = 0; asked && i < s->n; i++) {
        size_t like = likeness(asked, s->each[i].path);

        if (like == 0 || like < best)
            continue;
        if (like > best) {
            n = 0;
            first = i;
            *several = false;
        }
        best = like;
        *several |= like != SIZE_MAX && strcmp(s->each[first].path, s->each[i].path) != 0;
        if (n < room)
            out[n] = i;
        n++;
    }
    free(asked);
    return *several ? 0 : n;
}
