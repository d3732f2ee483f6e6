/* SPDX-License-Identifier: MIT */
/* short-names.c - names as short as possible that still differ; see short-names.h. */
#include "wpp/replay/short-names.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"

enum { LONGEST = 80 };

struct pair {
    const char *name;           /* belongs to the wpp */
    char *shorter;
};

struct short_names {
    bool full;
    struct pair *pair;          /* by name, once settled */
    size_t n, size;
};

struct short_names *short_names_new(bool full)
{
    struct short_names *s = calloc(1, sizeof *s);

    if (s)
        s->full = full;
    return s;
}

void short_names_free(struct short_names *s)
{
    for (size_t i = 0; s && i < s->n; i++)
        free(s->pair[i].shorter);
    if (s)
        free(s->pair);
    free(s);
}

/* Room for one more. */
static bool reserve(struct short_names *s)
{
    size_t size = s->size ? 2 * s->size : 64;
    struct pair *pair;

    if (s->n < s->size)
        return true;
    pair = realloc(s->pair, size * sizeof *pair);
    if (!pair)
        return false;
    s->pair = pair;
    s->size = size;
    return true;
}

bool short_names_add(struct short_names *s, const char *name)
{
    if (s->n && s->pair[s->n - 1].name == name)
        return true;
    if (!reserve(s))
        return false;
    s->pair[s->n++] = (struct pair){ .name = name };
    return true;
}

static bool add_inlined(struct short_names *s, const struct wpp_routine *routine, uint32_t call)
{
    for (; call; call = routine->inlined[call - 1].caller)
        if (!short_names_add(s, routine->inlined[call - 1].shown))
            return false;
    return true;
}

bool short_names_add_path(struct short_names *s, const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine;

    if (t->routine == WPP_NO_ROUTINE)
        return true;
    routine = wpp_routine(w, t->routine);
    if (!short_names_add(s, routine->shown))
        return false;
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            if (!add_inlined(s, routine, b->lines[k].inlined))
                return false;
    }
    return true;
}

static int by_name(const void *pa, const void *pb)
{
    const struct pair *a = pa, *b = pb;

    return strcmp(a->name, b->name);
}

static int by_shorter(const void *pa, const void *pb)
{
    const struct pair *a = pa, *b = pb;
    int order = strcmp(a->shorter, b->shorter);

    return order ? order : strcmp(a->name, b->name);
}

static void drop_equals(struct short_names *s)
{
    size_t kept = 0;

    qsort(s->pair, s->n, sizeof *s->pair, by_name);
    for (size_t i = 0; i < s->n; i++)
        if (kept == 0 || strcmp(s->pair[kept - 1].name, s->pair[i].name) != 0)
            s->pair[kept++] = s->pair[i];
    s->n = kept;
}

/* Shortens all names, or only the marked ones. */
static bool shorten(struct short_names *s, void (*way)(const char *, char *, size_t), size_t size,
                    const bool *marked)
{
    for (size_t i = 0; i < s->n; i++) {
        if (marked && !marked[i])
            continue;
        free(s->pair[i].shorter);
        s->pair[i].shorter = malloc(size ? size : strlen(s->pair[i].name) + 1);
        if (!s->pair[i].shorter)
            return false;
        if (way)
            way(s->pair[i].name, s->pair[i].shorter, size);
        else
            strcpy(s->pair[i].shorter, s->pair[i].name);
    }
    return true;
}

/* Sorts, and marks names whose short forms are equal to others. */
static void mark_equals(struct short_names *s, bool *marked)
{
    qsort(s->pair, s->n, sizeof *s->pair, by_shorter);
    memset(marked, false, s->n);
    for (size_t i = 1; i < s->n; i++)
        if (strcmp(s->pair[i - 1].shorter, s->pair[i].shorter) == 0)
            marked[i - 1] = marked[i] = true;
}

bool short_names_settle(struct short_names *s)
{
    bool *marked;
    bool good;

    if (s->n == 0)
        return true;
    drop_equals(s);
    if (s->full)
        return shorten(s, NULL, 0, NULL);
    marked = malloc(s->n + 1);
    good = marked && shorten(s, name_bare, LONGEST + 1, NULL);
    if (good) {
        mark_equals(s, marked);
        good = shorten(s, name_shorten, LONGEST + 1, marked);
    }
    if (good) {
        mark_equals(s, marked);
        good = shorten(s, NULL, 0, marked);
        qsort(s->pair, s->n, sizeof *s->pair, by_name);
    }
    free(marked);
    return good;
}

const char *short_names_of(const struct short_names *s, const char *name)
{
    struct pair key = { .name = name };
    const struct pair *found = s->n ? bsearch(&key, s->pair, s->n, sizeof key, by_name) : NULL;

    return found ? found->shorter : name;
}
