/* SPDX-License-Identifier: MIT */
#include "report/page-sources.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "wpp/base/error.h"

/* More than any sources that wpp-report packs. */
enum { LARGEST_BLOCK = 1 << 30 };

static char *unpack(const void *block, size_t size, size_t *length, struct wpp_error *error)
{
    unsigned long long whole = ZSTD_getFrameContentSize(block, size);
    char *text;

    if (whole > LARGEST_BLOCK) {
        wpp_fail(error, WPP_E_DAMAGED, "the page's sources are damaged");
        return NULL;
    }
    text = malloc((size_t)whole + 1);
    if (!text) {
        wpp_fail_memory(error);
        return NULL;
    }
    *length = (size_t)whole;
    if (ZSTD_decompress(text, *length, block, size) == *length)
        return text;
    free(text);
    wpp_fail(error, WPP_E_DAMAGED, "the page's sources are damaged");
    return NULL;
}

/* A string with its own end: the byte behind it is read before it is overwritten by this. */
struct text { char *begin; size_t size; };

static struct text get_text(struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);
    const uint8_t *p = wpp_get_bytes(v, n);

    return (struct text){p ? (char *)p : NULL, p ? n : 0};
}

static bool get_names(struct page_sources *s, struct wpp_view *v, struct text *ends, size_t *n_ends)
{
    size_t n = wpp_get_count(v, 2);

    s->name = calloc(n + 1, sizeof *s->name);
    if (!s->name)
        return false;
    for (size_t i = 0; i < n && !v->failed; i++) {
        struct text name = get_text(v), shown = get_text(v);

        if (v->failed)
            break;
        ends[(*n_ends)++] = name;
        ends[(*n_ends)++] = shown;
        s->name[s->n_names++] = (struct page_name){name.begin, shown.begin};
    }
    return true;
}

static bool index_piece(struct page_piece *p, size_t size)
{
    uint32_t n = 0;

    for (size_t i = 0; i < size; i++)
        n += p->text[i] == '\n';
    p->start = malloc((n + (size_t)2) * sizeof *p->start);
    if (!p->start)
        return false;
    p->start[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (p->text[i] == '\n')
            p->start[++p->n] = (uint32_t)i + 1;
    if (p->start[p->n] < size)
        p->start[++p->n] = (uint32_t)size;
    return true;
}

static bool get_file(struct page_sources *s, struct wpp_view *v, struct text *ends, size_t *n_ends)
{
    struct text directory = get_text(v), name = get_text(v);
    const uint8_t *changed = wpp_get_bytes(v, 1);
    size_t n = wpp_get_count(v, 2);
    struct page_file *f = &s->file[s->n_files];

    if (v->failed)
        return true;
    *f = (struct page_file){directory.begin, name.begin, *changed != 0, 0, calloc(n + 1, sizeof *f->piece)};
    s->n_files++;
    if (!f->piece)
        return false;
    ends[(*n_ends)++] = directory;
    ends[(*n_ends)++] = name;
    for (size_t i = 0; i < n && !v->failed; i++) {
        uint32_t first = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        struct text text = get_text(v);

        if (v->failed)
            break;
        f->piece[i] = (struct page_piece){.first = first, .text = text.begin};
        f->n_pieces++;
        if (!index_piece(&f->piece[i], text.size))
            return false;
    }
    return true;
}

static bool get_files(struct page_sources *s, struct wpp_view *v, struct text *ends, size_t *n_ends)
{
    size_t n = wpp_get_count(v, 4);

    s->file = calloc(n + 1, sizeof *s->file);
    if (!s->file)
        return false;
    for (size_t i = 0; i < n && !v->failed; i++)
        if (!get_file(s, v, ends, n_ends))
            return false;
    return true;
}

bool page_sources_read(struct page_sources *s, const void *block, size_t size,
                       struct wpp_error *error)
{
    struct wpp_view v;
    struct text *ends = NULL;
    size_t n_ends = 0, length;
    bool ok;

    *s = (struct page_sources){0};
    if (size == 0)
        return true;
    s->strings = unpack(block, size, &length, error);
    if (!s->strings)
        return false;
    v = wpp_view(s->strings, length);
    wpp_get_varint_max(&v, PAGE_SOURCES_VERSION);
    ends = malloc((length + 1) * sizeof *ends);
    ok = ends && get_names(s, &v, ends, &n_ends) && get_files(s, &v, ends, &n_ends);
    /* All numbers have been read: what follows a name may be overwritten. */
    for (size_t i = 0; ok && i < n_ends; i++)
        ends[i].begin[ends[i].size] = 0;
    free(ends);
    if (!ok)
        wpp_fail_memory(error);
    else if (v.failed)
        ok = wpp_fail(error, WPP_E_DAMAGED, "the page's sources are damaged");
    if (!ok)
        page_sources_free(s);
    return ok;
}

void page_sources_free(struct page_sources *s)
{
    for (uint32_t i = 0; i < s->n_files; i++) {
        for (uint32_t k = 0; k < s->file[i].n_pieces; k++)
            free(s->file[i].piece[k].start);
        free(s->file[i].piece);
    }
    free(s->file);
    free(s->name);
    free(s->strings);
    *s = (struct page_sources){0};
}

const char *page_sources_shown(const struct page_sources *s, const char *name)
{
    uint32_t low = 0, high = s->n_names;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(s->name[middle].name, name);

        if (order == 0)
            return s->name[middle].shown;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return name;
}

uint32_t page_sources_find(const struct page_sources *s, const char *directory, const char *name)
{
    for (uint32_t i = 0; i < s->n_files; i++)
        if (strcmp(s->file[i].name, name) == 0 && strcmp(s->file[i].directory, directory) == 0)
            return i;
    return UINT32_MAX;
}

const char *page_sources_line(const struct page_sources *s, uint32_t file, uint32_t line,
                              size_t *length)
{
    const struct page_file *f = file < s->n_files ? &s->file[file] : NULL;

    for (uint32_t i = 0; f && i < f->n_pieces; i++) {
        const struct page_piece *p = &f->piece[i];
        const char *begin, *end;

        if (line < p->first || line - p->first >= p->n)
            continue;
        begin = p->text + p->start[line - p->first];
        end = p->text + p->start[line - p->first + 1];
        while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
            end--;
        *length = (size_t)(end - begin);
        return begin;
    }
    return NULL;
}
