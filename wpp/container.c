/* SPDX-License-Identifier: MIT */
#include "wpp/container.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

#include "wpp/error.h"

static const uint8_t magic[8] = {0x89, 'W', 'P', 'P', '\r', '\n', 0x1a, '\n'};

/* Offsets in the header, and in each entry of the section table behind it. */
enum {
    AT_VERSION = 8, AT_SECTIONS = 12, AT_SIZE = 16, AT_CHECK = 24, HEADER_BYTES = 32,
    IN_KIND = 0, IN_PACKING = 4, IN_OFFSET = 8, IN_STORED = 16, IN_RAW = 24, IN_CHECK = 32,
    ENTRY_BYTES = 40
};

enum packing { STORED = 0, ZSTD = 1 };

/* A zstd block of 4 bytes stands for at most 128 KiB: more cannot have been
 * meant, and memory asked for is bounded by the file's size. */
enum { MAX_EXPANSION = 1 << 15 };

enum { LEVEL = 19, MIN_WINDOW_LOG = 10, MAX_WINDOW_LOG = 27 };

/* Header without its checksum field, then the table. */
static uint64_t header_checksum(const uint8_t *file, uint32_t n)
{
    uint64_t hash = wpp_fnv(WPP_FNV_START, file, AT_CHECK);

    return wpp_fnv(hash, file + HEADER_BYTES, (size_t)n * ENTRY_BYTES);
}

/* ---- Writing ------------------------------------------------------------------ */

/* Level 19 looks back 8 MiB only; a longer section gets a longer window. */
static int window_log(size_t size)
{
    int log = MIN_WINDOW_LOG;

    while (log < MAX_WINDOW_LOG && (size_t)1 << log < size)
        log++;
    return log;
}

/* Appends the section's compressed bytes, or the bytes themselves when that is
 * no longer. */
static bool put_packed(struct wpp_bytes *out, const struct wpp_section *section,
                       enum packing *packing)
{
    const struct wpp_bytes *raw = &section->content;

    if (section->dense) {
        *packing = STORED;
        wpp_put(out, raw->data, raw->size);
        return !out->failed;
    }
    size_t bound = ZSTD_compressBound(raw->size), size = 0;
    void *buffer = malloc(bound);
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    bool done = buffer && ctx;

    if (done) {
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log(raw->size));
        size = ZSTD_compress2(ctx, buffer, bound, raw->data, raw->size);
        done = !ZSTD_isError(size);
    }
    if (done) {
        *packing = size < raw->size ? ZSTD : STORED;
        if (*packing == ZSTD)
            wpp_put(out, buffer, size);
        else
            wpp_put(out, raw->data, raw->size);
    }
    ZSTD_freeCCtx(ctx);
    free(buffer);
    return done && !out->failed;
}

static void put_entry(struct wpp_bytes *table, const struct wpp_section *s, uint64_t offset,
                      enum packing packing)
{
    wpp_put_u32(table, s->kind);
    wpp_put_u32(table, packing);
    wpp_put_u64(table, offset);
    wpp_put_u64(table, s->stored);
    wpp_put_u64(table, s->elsewhere ? s->stored : s->content.size);
    wpp_put_u64(table, s->check);
}

static void put_header(struct wpp_bytes *out, uint32_t version, uint32_t n, uint64_t file_size)
{
    wpp_put(out, magic, sizeof magic);
    wpp_put_u32(out, version);
    wpp_put_u32(out, n);
    wpp_put_u64(out, file_size);
    wpp_put_u64(out, 0);
}

bool wpp_container_write(struct wpp_section *sections, uint32_t n, struct wpp_bytes *out,
                         struct wpp_error *error)
{
    struct wpp_bytes table = {0}, packed = {0};
    uint64_t base = HEADER_BYTES + (uint64_t)n * ENTRY_BYTES, check;
    uint64_t elsewhere = 0;
    uint32_t version = WPP_FILE_VERSION;
    bool done = true;

    assert(n <= WPP_MAX_SECTIONS && out->size == 0);
    for (uint32_t i = 0; done && i < n; i++) {
        struct wpp_section *s = &sections[i];
        size_t begin = packed.size;
        enum packing packing = STORED;

        if (s->kind == WPP_SECTION_SEGMENTS)
            version = WPP_FILE_VERSION_SEGMENTS;
        if (s->elsewhere) {
            assert(i == n - 1);
            elsewhere = s->stored;
        } else {
            done = !s->content.failed && put_packed(&packed, s, &packing);
            if (!done)
                break;
            s->stored = packed.size - begin;
            s->check = wpp_fnv(WPP_FNV_START, packed.data + begin, s->stored);
        }
        put_entry(&table, s, base + begin, packing);
    }
    put_header(out, version, n, base + packed.size + elsewhere);
    wpp_put(out, table.data, table.size);
    wpp_put(out, packed.data, packed.size);
    done = done && !table.failed && !packed.failed && !out->failed;
    if (done) {
        check = header_checksum(out->data, n);
        memcpy(out->data + AT_CHECK, &check, sizeof check);
    }
    wpp_bytes_free(&table);
    wpp_bytes_free(&packed);
    return done || wpp_fail_memory(error);
}

/* ---- Reading -------------------------------------------------------------------- */

static bool damaged(struct wpp_error *error, const char *path, const char *what)
{
    return wpp_fail(error, WPP_E_DAMAGED, "%s is damaged: %s", path, what);
}

static const uint8_t *entry(const struct wpp_container *c, uint32_t i)
{
    return c->file + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
}

/* What a file is that is no WPP file, when it is something one may take for one. */
static const char *other_kind(const struct wpp_container *c)
{
    static const struct { const char *begins, *kind; } kinds[] = {
        { "WPPT", ": it is a trace; wpp-compress makes a WPP file of it" },
        { "\177ELF", ": it is a program or a part of one; wpp-record runs a program and makes one" },
    };

    if (c->size == 0)
        return ": it is empty";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (c->size >= 4 && memcmp(c->file, kinds[i].begins, 4) == 0)
            return kinds[i].kind;
    return "";
}

static bool check_header(struct wpp_container *c, const char *path, struct wpp_error *error)
{
    uint64_t size;
    uint32_t version;

    if (c->size < sizeof magic || memcmp(c->file, magic, sizeof magic) != 0)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no WPP file%s", path, other_kind(c));
    if (c->size < HEADER_BYTES)
        return wpp_fail(error, WPP_E_INCOMPLETE, "%s is cut short in its header", path);
    version = wpp_get_u32(c->file + AT_VERSION);
    c->n = wpp_get_u32(c->file + AT_SECTIONS);
    size = wpp_get_u64(c->file + AT_SIZE);
    if (c->n <= WPP_MAX_SECTIONS && c->size >= HEADER_BYTES + (uint64_t)c->n * ENTRY_BYTES &&
        wpp_get_u64(c->file + AT_CHECK) == header_checksum(c->file, c->n)) {
        if (version != WPP_FILE_VERSION && version != WPP_FILE_VERSION_SEGMENTS)
            return wpp_fail(error, WPP_E_VERSION,
                            "%s has format version %u, this program reads versions %u and %u",
                            path, version, WPP_FILE_VERSION, WPP_FILE_VERSION_SEGMENTS);
        if (c->size < size)
            return wpp_fail(error, WPP_E_INCOMPLETE,
                            "%s is cut short: %llu of its %llu bytes are there", path,
                            (unsigned long long)c->size, (unsigned long long)size);
        if (c->size > size)
            return damaged(error, path, "something follows its end");
        return true;
    }
    if (c->size < size)
        return wpp_fail(error, WPP_E_INCOMPLETE, "%s is cut short or damaged in its header", path);
    return damaged(error, path, "its header has a wrong checksum");
}

/* Sections lie end to end and fill the file; each has the checksum it should. */
static bool check_sections(const struct wpp_container *c, const char *path,
                           struct wpp_error *error)
{
    uint64_t at = HEADER_BYTES + (uint64_t)c->n * ENTRY_BYTES;

    for (uint32_t i = 0; i < c->n; i++) {
        const uint8_t *e = entry(c, i);
        uint64_t stored = wpp_get_u64(e + IN_STORED);

        if (wpp_get_u64(e + IN_OFFSET) != at || stored > c->size - at)
            return damaged(error, path, "its section table does not fit its size");
        if (wpp_fnv(WPP_FNV_START, c->file + at, stored) != wpp_get_u64(e + IN_CHECK))
            return wpp_fail(error, WPP_E_DAMAGED, "%s is damaged: section %u (kind %u) has a "
                            "wrong checksum", path, i, wpp_get_u32(e + IN_KIND));
        at += stored;
    }
    return at == c->size || damaged(error, path, "its section table does not fit its size");
}

bool wpp_container_open(struct wpp_container *c, const void *file, size_t size, const char *path,
                        struct wpp_error *error)
{
    *c = (struct wpp_container){.file = file, .size = size};
    return check_header(c, path, error) && check_sections(c, path, error);
}

/* One zstd frame of exactly `stored` bytes that holds exactly `raw`. */
static bool unpack(const uint8_t *data, uint64_t stored, uint8_t *out, uint64_t raw)
{
    size_t n;

    if (ZSTD_getFrameContentSize(data, stored) != raw ||
        ZSTD_findFrameCompressedSize(data, stored) != stored)
        return false;
    n = ZSTD_decompress(out, raw, data, stored);
    return !ZSTD_isError(n) && n == raw;
}

static bool load_entry(const struct wpp_container *c, const uint8_t *e, struct wpp_section *out,
                       const char *path, struct wpp_error *error)
{
    const uint8_t *data = c->file + wpp_get_u64(e + IN_OFFSET);
    uint32_t packing = wpp_get_u32(e + IN_PACKING);
    uint64_t raw = wpp_get_u64(e + IN_RAW);

    out->stored = wpp_get_u64(e + IN_STORED);
    if (packing > ZSTD || (packing == STORED && raw != out->stored) ||
        raw / MAX_EXPANSION > out->stored)
        return damaged(error, path, "a section's sizes are impossible");
    out->content = (struct wpp_bytes){.data = malloc(raw + 1), .capacity = raw + 1};
    if (!out->content.data)
        return wpp_fail_memory(error);
    out->content.size = raw;
    if (packing == STORED) {
        memcpy(out->content.data, data, raw);
        return true;
    }
    if (unpack(data, out->stored, out->content.data, raw))
        return true;
    wpp_bytes_free(&out->content);
    return damaged(error, path, "a section cannot be decompressed");
}

bool wpp_container_is_cut(const struct wpp_container *c)
{
    return wpp_get_u32(c->file + AT_VERSION) == WPP_FILE_VERSION_SEGMENTS;
}

bool wpp_container_has(const struct wpp_container *c, uint32_t kind)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (wpp_get_u32(entry(c, i) + IN_KIND) == kind)
            return true;
    return false;
}

bool wpp_container_load(const struct wpp_container *c, struct wpp_section *out, const char *path,
                        struct wpp_error *error)
{
    const uint8_t *found = NULL;

    for (uint32_t i = 0; i < c->n; i++) {
        if (wpp_get_u32(entry(c, i) + IN_KIND) != out->kind)
            continue;
        if (found)
            return damaged(error, path, "a section stands there twice");
        found = entry(c, i);
    }
    if (!found)
        return damaged(error, path, "a section is missing");
    return load_entry(c, found, out, path, error);
}
