/* SPDX-License-Identifier: MIT */
#include "wpp/replay/source-changes.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/source-hash.h"
#include "wpp/base/json.h"

static bool is_same_source(const struct wpp_source *s, const char *directory, const char *file)
{
    return strcmp(s->directory, directory) == 0 && strcmp(s->file, file) == 0;
}

bool source_is_known(const wpp *w, const char *directory, const char *file)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_sources; i++)
        if (is_same_source(wpp_source(w, i), directory, file))
            return true;
    return false;
}

uint64_t source_hash(const char *text, size_t size)
{
    struct wpp_source_hash h = {WPP_SOURCE_HASH_BEGIN, false};

    wpp_source_hash_add(&h, (const unsigned char *)text, size);
    if (h.held)
        wpp_source_hash_byte(&h, '\r');
    return h.hash;
}

/* Where the compiler found the file.  False: the path is too long for any file. */
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

bool source_changes_ask(struct source_changes *out, const wpp *w, source_differs *differs,
                        void *context)
{
    struct wpp_summary run;

    *out = (struct source_changes){0};
    wpp_get_summary(w, &run);
    if (run.n_sources == 0)
        return true;
    out->file = calloc(run.n_sources, sizeof *out->file);
    for (uint32_t i = 0; out->file && i < run.n_sources; i++) {
        const struct wpp_source *s = wpp_source(w, i);

        if (!is_listed(out, s->file) && differs(context, s))
            out->file[out->n++] = s->file;
    }
    return out->file;
}

/* Several states of one file are neighbours in the list: the file is read once. */
struct last_read {
    const struct wpp_source *source;
    uint64_t hash;
    bool there;
};

static bool differs_from_disk(void *context, const struct wpp_source *s)
{
    struct last_read *last = context;
    char path[PATH_MAX];

    if (!last->source || !is_same_source(s, last->source->directory, last->source->file))
        last->there = path_of(s, path, sizeof path)
                   && wpp_source_hash_file(AT_FDCWD, path, &last->hash);
    last->source = s;
    return last->there && last->hash != s->hash;
}

bool source_changes_find(struct source_changes *out, const wpp *w)
{
    struct last_read last = {0};

    return source_changes_ask(out, w, differs_from_disk, &last);
}

void source_changes_json(FILE *out, const struct source_changes *c)
{
    putc('[', out);
    for (uint32_t i = 0; i < c->n; i++) {
        fputs(i ? ", " : "", out);
        json_string(out, c->file[i]);
    }
    putc(']', out);
}

void source_changes_free(struct source_changes *c)
{
    free(c->file);
    *c = (struct source_changes){0};
}
