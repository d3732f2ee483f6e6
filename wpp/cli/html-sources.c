/* SPDX-License-Identifier: MIT */
#include "wpp/cli/html-sources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "wpp/replay/source-changes.h"

enum { VERSION = 1, MARGIN = 10, LEVEL = 19 };   /* ORDER PAGE_SOURCES_VERSION (report/page-sources.h) */

/* Lines of executed routines in a file. */
struct lines { uint32_t first, last; };

struct source {
    const char *directory, *name;
    struct lines *lines;           /* a pair for each routine that has code there */
    uint32_t n, room;
};

struct sources {
    struct source *source;
    uint32_t n, room;
};

/* ---- Names ------------------------------------------------------------------------------------------- */

struct name { const char *name, *shown; };
struct names { struct name *name; size_t n, room; };

static bool add_name(struct names *k, const char *name, const char *shown)
{
    if (name == shown || !shown || strcmp(name, shown) == 0)
        return true;
    if (k->n == k->room) {
        size_t room = k->room ? 2 * k->room : 256;
        struct name *larger = realloc(k->name, room * sizeof *larger);

        if (!larger)
            return false;
        k->name = larger;
        k->room = room;
    }
    k->name[k->n++] = (struct name){name, shown};
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->name, ((const struct name *)b)->name);
}

static bool collect_names(struct names *k, const wpp *w, const struct wpp_summary *run)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < run->n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        ok = add_name(k, r->name, r->shown);
        for (uint32_t c = 0; ok && c < r->n_inlined; c++)
            ok = add_name(k, r->inlined[c].name, r->inlined[c].shown);
    }
    if (k->n > 0)
        qsort(k->name, k->n, sizeof *k->name, by_name);
    return ok;
}

static bool put_names(struct wpp_bytes *out, const wpp *w, const struct wpp_summary *run)
{
    struct names k = {0};
    bool ok = collect_names(&k, w, run);
    size_t n = 0;

    for (size_t i = 0; i < k.n; i++)
        if (n == 0 || strcmp(k.name[n - 1].name, k.name[i].name) != 0)
            k.name[n++] = k.name[i];
    wpp_put_varint(out, n);
    for (size_t i = 0; i < n; i++) {
        wpp_put_string(out, k.name[i].name);
        wpp_put_string(out, k.name[i].shown);
    }
    free(k.name);
    return ok;
}

/* ---- Which lines --------------------------------------------------------------------------------------- */

static struct source *source_of(struct sources *k, const char *directory, const char *name)
{
    for (uint32_t i = k->n; i > 0; i--) {
        struct source *s = &k->source[i - 1];

        if ((s->name == name || strcmp(s->name, name) == 0)
            && (s->directory == directory || strcmp(s->directory, directory) == 0))
            return s;
    }
    if (k->n == k->room) {
        uint32_t room = k->room ? 2 * k->room : 64;
        struct source *larger = realloc(k->source, room * sizeof *larger);

        if (!larger)
            return NULL;
        k->source = larger;
        k->room = room;
    }
    k->source[k->n] = (struct source){.directory = directory, .name = name};
    return &k->source[k->n++];
}

static bool add_lines(struct source *s, uint32_t first, uint32_t last)
{
    if (s->n == s->room) {
        uint32_t room = s->room ? 2 * s->room : 8;
        struct lines *larger = realloc(s->lines, room * sizeof *larger);

        if (!larger)
            return false;
        s->lines = larger;
        s->room = room;
    }
    s->lines[s->n++] = (struct lines){first, last};
    return true;
}

/* A line of inlined code counts for itself: its function is elsewhere in its file. */
static bool collect_line(struct sources *k, const struct wpp_routine *r, const struct wpp_line *line,
                         struct lines *own)
{
    struct source *s;

    if (line->inlined == 0 && strcmp(line->file, r->file) == 0) {
        own->first = line->line < own->first ? line->line : own->first;
        own->last = line->line > own->last ? line->line : own->last;
        return true;
    }
    s = source_of(k, r->directory, line->file);
    return s && ((s->n > 0 && s->lines[s->n - 1].last == line->line) || add_lines(s, line->line, line->line));
}

static bool collect_routine(struct sources *k, const struct wpp_routine *r)
{
    struct lines own = {r->line, r->line};
    struct source *s;

    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++)
            if (!collect_line(k, r, &r->blocks[b].lines[i], &own))
                return false;
    if (!*r->file || own.last == 0)
        return true;
    s = source_of(k, r->directory, r->file);
    return s && add_lines(s, own.first, own.last);
}

static int by_first(const void *a, const void *b)
{
    const struct lines *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

/* Widens the pairs by the margin, and joins those that touch. */
static void join_lines(struct source *s)
{
    uint32_t n = 0;

    qsort(s->lines, s->n, sizeof *s->lines, by_first);
    for (uint32_t i = 0; i < s->n; i++) {
        struct lines l = s->lines[i];

        l.first = l.first > MARGIN ? l.first - MARGIN : 1;
        l.last = l.last < UINT32_MAX - MARGIN ? l.last + MARGIN : UINT32_MAX;
        if (n > 0 && l.first <= s->lines[n - 1].last + 1)
            s->lines[n - 1].last = l.last > s->lines[n - 1].last ? l.last : s->lines[n - 1].last;
        else
            s->lines[n++] = l;
    }
    s->n = n;
}

/* ---- Texts ----------------------------------------------------------------------------------------------- */

/* The file where it was compiled, or from the current directory; NULL: it is not there, or too long. */
static char *read_source(const struct source *s, size_t *size)
{
    char path[PATH_MAX];
    struct stat status;
    char *text = NULL;
    int fd = -1, length;

    length = s->name[0] == '/' || !s->directory[0] ? snprintf(path, sizeof path, "%s", s->name)
                                                   : snprintf(path, sizeof path, "%s/%s", s->directory, s->name);
    if (length > 0 && (size_t)length < sizeof path)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        fd = open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= 64 << 20)
        text = malloc((size_t)status.st_size + 1);
    *size = 0;
    for (ssize_t n = 1; text && n > 0 && *size < (size_t)status.st_size; *size += n > 0 ? (size_t)n : 0)
        n = read(fd, text + *size, (size_t)status.st_size - *size);
    close(fd);
    return text;
}

static bool has_changed(const wpp *w, const struct wpp_summary *run, const struct source *s,
                        const char *text, size_t size)
{
    bool known = false;
    uint64_t hash = source_hash(text, size);

    for (uint32_t i = 0; i < run->n_sources; i++) {
        const struct wpp_source *x = wpp_source(w, i);

        if (strcmp(x->file, s->name) != 0 || strcmp(x->directory, s->directory) != 0)
            continue;
        if (x->hash == hash)
            return false;
        known = true;
    }
    return known;
}

static void put_piece(struct wpp_bytes *out, uint32_t first, const char *text, size_t size)
{
    wpp_put_varint(out, first);
    wpp_put_varint(out, size);
    wpp_put(out, text, size);
}

static void put_ranges(struct wpp_bytes *out, const struct source *s, const char *text, size_t size)
{
    uint32_t line = 1;
    size_t at = 0;

    wpp_put_varint(out, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        size_t begin;

        for (; line < s->lines[i].first && at < size; at++)
            line += text[at] == '\n';
        for (begin = at; line <= s->lines[i].last && at < size; at++)
            line += text[at] == '\n';
        put_piece(out, s->lines[i].first, text + begin, at - begin);
    }
}

static void put_source(struct wpp_bytes *out, const struct source *s, const char *text, size_t size,
                       bool changed)
{
    wpp_put_string(out, s->directory);
    wpp_put_string(out, s->name);
    wpp_put_u8(out, changed);
    if (size <= HTML_WHOLE_FILE) {
        wpp_put_varint(out, 1);
        put_piece(out, 1, text, size);
    } else {
        put_ranges(out, s, text, size);
    }
}

static bool collect(struct sources *k, const wpp *w, const struct wpp_summary *run)
{
    for (uint32_t i = 0; i < run->n_routines; i++)
        if (!collect_routine(k, wpp_routine(w, i)))
            return false;
    for (uint32_t i = 0; i < k->n; i++)
        join_lines(&k->source[i]);
    return true;
}

/* Their number stands first: the texts are put apart. */
static bool put_texts(struct wpp_bytes *out, const wpp *w, const struct wpp_summary *run, uint32_t *left_out)
{
    struct wpp_bytes texts = {0};
    struct sources k = {0};
    bool ok = collect(&k, w, run);
    uint32_t n = 0;

    for (uint32_t i = 0; ok && i < k.n; i++) {
        size_t size, before = texts.size;
        char *text = read_source(&k.source[i], &size);

        if (text)
            put_source(&texts, &k.source[i], text, size, has_changed(w, run, &k.source[i], text, size));
        free(text);
        n += text && texts.size <= HTML_ALL_SOURCES;
        *left_out += text && texts.size > HTML_ALL_SOURCES;
        if (texts.size > HTML_ALL_SOURCES)
            texts.size = before;
    }
    wpp_put_varint(out, n);
    wpp_put(out, texts.data, texts.size);
    ok = ok && !texts.failed;
    wpp_bytes_free(&texts);
    for (uint32_t i = 0; i < k.n; i++)
        free(k.source[i].lines);
    free(k.source);
    return ok;
}

static bool compress(struct wpp_bytes *out, const struct wpp_bytes *raw)
{
    size_t bound = ZSTD_compressBound(raw->size), size;
    uint8_t *packed = malloc(bound);

    if (!packed)
        return false;
    size = ZSTD_compress(packed, bound, raw->data, raw->size, LEVEL);
    if (!ZSTD_isError(size))
        wpp_put(out, packed, size);
    free(packed);
    return !ZSTD_isError(size) && !out->failed;
}

bool html_sources_pack(struct wpp_bytes *out, const wpp *w, bool texts, uint32_t *left_out)
{
    struct wpp_bytes raw = {0};
    struct wpp_summary run;
    bool ok;

    *left_out = 0;
    wpp_get_summary(w, &run);
    wpp_put_varint(&raw, VERSION);
    ok = put_names(&raw, w, &run);
    if (texts)
        ok = ok && put_texts(&raw, w, &run, left_out);
    else
        wpp_put_varint(&raw, 0);
    ok = ok && !raw.failed && compress(out, &raw);
    wpp_bytes_free(&raw);
    return ok;
}
