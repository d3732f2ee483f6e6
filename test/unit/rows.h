/* SPDX-License-Identifier: MIT */
/* rows.h - contents as files of versions 6 to 12 had them: routines and chunks by rows.  Only tests
 * write such files. */
#ifndef WPP_TEST_ROWS_H
#define WPP_TEST_ROWS_H

#include <stdlib.h>

#include "wpp/base/intern.h"
#include "wpp/format/container.h"
#include "wpp/format/content.h"
#include "wpp/format/path-table.h"

static inline void rows_put_routines(struct wpp_bytes *b, const struct wpp_content *c)
{
    struct wpp_bytes body = {0};
    struct wpp_intern strings;

    wpp_intern_init(&strings);
    wpp_put_varint(&body, c->n_units);
    for (uint32_t i = 0; i < c->n_units; i++) {
        wpp_put_varint(&body, c->units[i].module);
        wpp_put_varint(&body, wpp_intern(&strings, c->units[i].compiler));
        wpp_put_varint(&body, wpp_intern(&strings, c->units[i].source));
        wpp_put_varint(&body, wpp_intern(&strings, c->units[i].directory));
        wpp_put_varint(&body, c->units[i].stage);
        wpp_put_varint(&body, c->units[i].level);
    }
    wpp_put_varint(&body, c->n_routines);
    for (uint32_t i = 0; i < c->n_routines; i++) {
        wpp_put_varint(&body, c->routines[i].unit);
        wpp_put_varint(&body, c->routines[i].base);
        wpp_put_routine(&body, &strings, c->routines[i].routine);
    }
    wpp_put_varint(&body, c->n_sources);
    for (uint32_t i = 0; i < c->n_sources; i++) {
        wpp_put_varint(&body, wpp_intern(&strings, c->sources[i].directory));
        wpp_put_varint(&body, wpp_intern(&strings, c->sources[i].file));
        wpp_put_u64(&body, c->sources[i].hash);
    }
    wpp_put_intern(b, &strings);
    wpp_put(b, body.data, body.size);
    wpp_bytes_free(&body);
    wpp_intern_free(&strings);
}

static inline void rows_put_chunks(struct wpp_bytes *b, const struct wpp_content *c)
{
    uint64_t time = 0;

    wpp_put_varint(b, c->n_chunks);
    for (uint64_t i = 0; i < c->n_chunks; i++) {
        wpp_put_varint(b, c->chunks[i].thread);
        wpp_put_varint(b, c->chunks[i].first);
        wpp_put_svarint(b, (int64_t)(c->chunks[i].time - time));
        time = c->chunks[i].time;
    }
}

/* A whole file of n sections, stored as they are, with right checksums. */
static inline struct wpp_bytes rows_file(const struct wpp_section *sections, uint32_t n,
                                         uint32_t version)
{
    enum { HEAD = 32, ONE_ENTRY = 40 };
    struct wpp_bytes file = {0};
    uint64_t at = HEAD + (uint64_t)n * ONE_ENTRY, sum;

    wpp_put(&file, "\x89WPP\r\n\x1a\n", 8);
    wpp_put_u32(&file, version);
    wpp_put_u32(&file, n);
    wpp_put_u64(&file, 0);
    wpp_put_u64(&file, 0);
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_bytes *b = &sections[i].content;

        wpp_put_u32(&file, sections[i].kind);
        wpp_put_u32(&file, 0);
        wpp_put_u64(&file, at);
        wpp_put_u64(&file, b->size);
        wpp_put_u64(&file, b->size);
        wpp_put_u64(&file, wpp_fnv(WPP_FNV_START, b->data, b->size));
        at += b->size;
    }
    for (uint32_t i = 0; i < n; i++)
        wpp_put(&file, sections[i].content.data, sections[i].content.size);
    memcpy(file.data + 16, &at, sizeof at);
    sum = wpp_fnv(wpp_fnv(WPP_FNV_START, file.data, 24), file.data + HEAD, (size_t)n * ONE_ENTRY);
    memcpy(file.data + 24, &sum, sizeof sum);
    return file;
}

/* The content as such a file. */
static inline struct wpp_bytes rows_encode(const struct wpp_content *c)
{
    struct wpp_section sections[WPP_MAX_SECTIONS] = {{0}};
    struct wpp_bytes new = {0}, old;
    struct wpp_container container;

    if (!wpp_content_encode(c, &new, NULL)
        || !wpp_container_open(&container, new.data, new.size, "test", NULL))
        abort();
    for (uint32_t i = 0; i < container.n; i++) {
        struct wpp_section *s = &sections[i];

        s->kind = container.entries[i].kind;
        if (s->kind == WPP_SECTION_ROUTINES)
            rows_put_routines(&s->content, c);
        else if (s->kind == WPP_SECTION_CHUNKS)
            rows_put_chunks(&s->content, c);
        else if (!wpp_container_load(&container, s, "test", NULL))
            abort();
    }
    old = rows_file(sections, container.n, container.version);
    for (uint32_t i = 0; i < container.n; i++)
        wpp_bytes_free(&sections[i].content);
    wpp_bytes_free(&new);
    return old;
}

#endif
