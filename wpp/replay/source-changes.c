/* SPDX-License-Identifier: MIT */
#include "wpp/replay/source-changes.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/source-hash.h"

static bool is_same_source(const struct wpp_source *s, const char *directory, const char *file)
{
    return strcmp(s->directory, directory) == 0 && strcmp(s->file, file) == 0;
}

bool source_has_changed(const wpp *w, const char *directory, const char *file, const char *path)
{
    struct wpp_summary run;
    uint64_t hash;
    bool changed = false;

    wpp_get_summary(w, &run);
    if (run.n_sources == 0 || !wpp_source_hash_file(AT_FDCWD, path, &hash))
        return false;
    for (uint32_t i = 0; i < run.n_sources; i++)
        if (is_same_source(wpp_source(w, i), directory, file))
            changed |= wpp_source(w, i)->hash != hash;
    return changed;
}

/* Where the compiler found it.  False: the path is too long for any file. */
static bool path_of(const struct wpp_source *s, char *path, size_t size)
{
    bool whole = s->file[0] == '/' || !s->directory[0];
    int length = whole ? snprintf(path, size, "%s", s->file)
                       : snprintf(path, size, "%s/%s", s->directory, s->file);

    return length >= 0 && (size_t)length < size;
}

static bool is_listed(const struct source_changes *c, const char *file)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (strcmp(c->file[i], file) == 0)
            return true;
    return false;
}

bool source_changes_find(struct source_changes *out, const wpp *w)
{
    struct wpp_summary run;
    char path[PATH_MAX];
    uint64_t hash = 0;
    bool there = false;

    *out = (struct source_changes){0};
    wpp_get_summary(w, &run);
    if (run.n_sources == 0)
        return true;
    out->file = calloc(run.n_sources, sizeof *out->file);
    if (!out->file)
        return false;
    for (uint32_t i = 0; i < run.n_sources; i++) {
        const struct wpp_source *s = wpp_source(w, i);

        /* States of one file stand side by side: it is read once. */
        if (i == 0 || !is_same_source(s, wpp_source(w, i - 1)->directory, wpp_source(w, i - 1)->file))
            there = path_of(s, path, sizeof path) && wpp_source_hash_file(AT_FDCWD, path, &hash);
        assert(out->n <= i);
        if (there && hash != s->hash && !is_listed(out, s->file))
            out->file[out->n++] = s->file;
    }
    return true;
}

void source_changes_free(struct source_changes *c)
{
    free(c->file);
    *c = (struct source_changes){0};
}
