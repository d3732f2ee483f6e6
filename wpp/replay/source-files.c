/* SPDX-License-Identifier: MIT */
/* source-files.c - one number for each source file. */

#include "wpp/replay/source-files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void source_files_free(struct source_files *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        free(t->file[i].path);
        free(t->file[i].name);
    }
    free(t->file);
    free(t->slots);
    *t = (struct source_files){0};
}

/* Start of the last component of path[0 .. end); NULL if that is `..` or there is none. */
static char *last_component(char *path, char *end)
{
    char *start = end;

    while (start > path && start[-1] != '/')
        start--;
    return start == end || (end - start == 2 && start[0] == '.' && start[1] == '.') ? NULL : start;
}

/* Removes `.`, empty components and `name/..` from a path, in place.  As gcov does, but without its
 * test whether `name` is a symbolic link: the folders may no longer exist. */
static void simplify(char *path)
{
    char *in = path, *root = path + (*path == '/'), *out = root;

    while (*in) {
        size_t n = strcspn(in, "/");
        char *before = last_component(root, out);
        if (n == 2 && memcmp(in, "..", 2) == 0 && before) {
            out = before > root ? before - 1 : root;
        } else if (n > 0 && !(n == 1 && *in == '.')) {
            if (out > root)
                *out++ = '/';
            assert(out <= in);               /* unread text is never overwritten */
            memmove(out, in, n);
            out += n;
        }
        in += n;
        in += *in == '/';
    }
    *out = '\0';
}

/* directory/name, or name alone if that is absolute or there is no directory. */
static char *join(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);

    if (!path)
        return NULL;
    path[0] = '\0';
    if (name[0] != '/' && directory[0]) {
        strcat(path, directory);
        strcat(path, "/");
    }
    strcat(path, name);
    simplify(path);
    return path;
}

static uint64_t hash_of(const char *string)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *string; string++)
        hash = (hash ^ (unsigned char)*string) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* The slot of `path`, or the free one where it belongs. */
static uint32_t *slot_of(const struct source_files *t, const char *path)
{
    uint32_t i = hash_of(path) & (t->n_slots - 1);

    assert((t->n_slots & (t->n_slots - 1)) == 0 && t->n_slots / 2 > t->n);
    while (t->slots[i] && strcmp(t->file[t->slots[i] - 1].path, path) != 0)
        i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

/* Room for one more file and its slot. */
static bool grow(struct source_files *t)
{
    uint32_t capacity = t->capacity ? 2 * t->capacity : 16;
    struct source_file *file;
    uint32_t *slots;

    if (t->n < t->capacity)
        return true;
    if (t->capacity > UINT32_MAX / 16)
        return false;
    file = realloc(t->file, capacity * sizeof *file);
    if (!file)
        return false;
    t->file = file;
    slots = calloc((size_t)capacity * 4, sizeof *slots);
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->n_slots = capacity * 4;
    t->capacity = capacity;
    for (uint32_t i = 0; i < t->n; i++)
        *slot_of(t, t->file[i].path) = i + 1;
    return true;
}

/* Takes over `path`. */
static uint32_t add_path(struct source_files *t, char *path, const char *name)
{
    uint32_t *slot;
    char *shown;

    if (!grow(t))
        return SOURCE_FILE_NONE;
    slot = slot_of(t, path);
    if (*slot) {
        free(path);
        return *slot - 1;
    }
    shown = join("", name);
    if (!shown)
        return SOURCE_FILE_NONE;
    assert(t->n < t->capacity);
    t->file[t->n] = (struct source_file){path, shown};
    *slot = ++t->n;
    return t->n - 1;
}

uint32_t source_files_add(struct source_files *t, const char *directory, const char *name)
{
    char *path;

    if (t->n > 0 && directory == t->last_directory && name == t->last_name)
        return t->last;
    path = join(directory, name);
    if (!path)
        return SOURCE_FILE_NONE;
    uint32_t number = add_path(t, path, name);
    if (number == SOURCE_FILE_NONE) {
        free(path);
        return number;
    }
    assert(number < t->n);
    t->last_directory = directory;
    t->last_name = name;
    return t->last = number;
}

static int compare_names(const void *a, const void *b)
{
    const struct source_file *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

bool source_files_name(struct source_files *t)
{
    struct source_file **by_name = calloc(t->n + 1, sizeof *by_name);
    bool ok = by_name != NULL;

    for (uint32_t i = 0; ok && i < t->n; i++)
        by_name[i] = &t->file[i];
    if (ok)
        qsort(by_name, t->n, sizeof *by_name, compare_names);
    for (uint32_t i = 0, end; ok && i < t->n; i = end) {
        for (end = i + 1; end < t->n && compare_names(&by_name[i], &by_name[end]) == 0;)
            end++;
        for (uint32_t k = i; ok && end - i > 1 && k < end; k++) {
            char *full = strdup(by_name[k]->path);
            if (full) {
                free(by_name[k]->name);
                by_name[k]->name = full;
            }
            ok = full != NULL;
        }
    }
    free(by_name);
    return ok;
}
