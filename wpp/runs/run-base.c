/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-base.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "wpp/base/error.h"

/* Frames say their size; a damaged one must not ask for all memory. */
enum { PLAIN_MOST = 1 << 30, LEVEL = 12 };

struct run_base *run_base_new(void)
{
    return calloc(1, sizeof(struct run_base));
}

void run_base_free(struct run_base *b)
{
    if (!b)
        return;
    wpp_bytes_free(&b->text);
    free(b->item);
    free(b->slots);
    free(b);
}

uint32_t run_base_items(const struct run_base *b)
{
    return b->n;
}

/* ---- Items ---------------------------------------------------------------------------------- */

static uint64_t hash_item(enum item_kind kind, const void *data, size_t size)
{
    uint64_t h = wpp_fnv(WPP_FNV_START + kind, data, size);

    return h ^ h >> 29;
}

static void enter(struct run_base *b, uint32_t number)
{
    uint32_t s = (uint32_t)b->item[number].hash & (b->n_slots - 1);

    while (b->slots[s])
        s = (s + 1) & (b->n_slots - 1);
    b->slots[s] = number + 1;
}

static bool make_slots(struct run_base *b, uint32_t n_slots)
{
    uint32_t *slots = calloc(n_slots, sizeof *slots);

    if (!slots)
        return false;
    free(b->slots);
    b->slots = slots;
    b->n_slots = n_slots;
    for (uint32_t i = 0; i < b->n; i++)
        enter(b, i);
    return true;
}

static bool make_room(struct run_base *b)
{
    uint32_t n = b->capacity ? 2 * b->capacity : 256;
    struct base_item *larger;

    if (b->n == b->capacity) {
        larger = realloc(b->item, n * sizeof *larger);
        if (!larger)
            return false;
        b->item = larger;
        b->capacity = n;
    }
    return b->n < b->n_slots / 2 || make_slots(b, b->n_slots ? 2 * b->n_slots : 512);
}

static bool append(struct run_base *b, enum item_kind kind, const void *data, size_t size)
{
    uint64_t offset = b->text.size;

    if (size > UINT32_MAX || !make_room(b))
        return false;
    wpp_put(&b->text, data, size);
    if (b->text.failed)
        return false;
    b->item[b->n] = (struct base_item){offset, (uint32_t)size, kind, hash_item(kind, data, size)};
    if (kind == ITEM_EXAMPLE && !b->example)
        b->example = b->n + 1;
    enter(b, b->n++);
    return true;
}

uint32_t base_item(struct run_base *b, enum item_kind kind, const struct wpp_bytes *bytes)
{
    uint64_t hash = hash_item(kind, bytes->data, bytes->size);

    if (bytes->failed)
        return ITEM_NONE;
    for (uint32_t s = b->n_slots ? (uint32_t)hash & (b->n_slots - 1) : 0; b->n_slots && b->slots[s];
         s = (s + 1) & (b->n_slots - 1)) {
        const struct base_item *i = &b->item[b->slots[s] - 1];

        if (i->hash == hash && i->kind == kind && i->size == bytes->size &&
            memcmp(b->text.data + i->offset, bytes->data, bytes->size) == 0)
            return b->slots[s] - 1;
    }
    return append(b, kind, bytes->data, bytes->size) ? b->n - 1 : ITEM_NONE;
}

bool base_get(const struct run_base *b, uint64_t number, enum item_kind kind, struct wpp_view *out)
{
    if (number >= b->n || b->item[number].kind != kind)
        return false;
    *out = wpp_view(b->text.data + b->item[number].offset, b->item[number].size);
    return true;
}

void run_base_cut(struct run_base *b, uint32_t n)
{
    if (n >= b->n)
        return;
    b->text.size = b->item[n].offset;
    b->n = n;
    if (b->example > n)
        b->example = 0;
    memset(b->slots, 0, b->n_slots * sizeof *b->slots);
    for (uint32_t i = 0; i < n; i++)
        enter(b, i);
}

/* ---- Frames --------------------------------------------------------------------------------- */

static struct wpp_view example_of(const struct run_base *b)
{
    struct wpp_view none = {0}, v;

    return b && b->example && base_get(b, b->example - 1, ITEM_EXAMPLE, &v) ? v : none;
}

bool base_zip(const struct run_base *b, const struct wpp_bytes *plain, struct wpp_bytes *out)
{
    struct wpp_view example = example_of(b);
    size_t bound = ZSTD_compressBound(plain->size), size = 0;
    void *buffer = malloc(bound);
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    bool done = buffer && ctx && !plain->failed;

    if (done) {
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
        if (wpp_left(&example) > 0)
            ZSTD_CCtx_refPrefix(ctx, example.p, wpp_left(&example));
        size = ZSTD_compress2(ctx, buffer, bound, plain->data, plain->size);
        done = !ZSTD_isError(size);
    }
    if (done)
        wpp_put(out, buffer, size);
    ZSTD_freeCCtx(ctx);
    free(buffer);
    return done && !out->failed;
}

bool base_unzip(const struct run_base *b, struct wpp_view zipped, struct wpp_bytes *plain)
{
    struct wpp_view example = example_of(b);
    unsigned long long size = ZSTD_getFrameContentSize(zipped.p, wpp_left(&zipped));
    ZSTD_DCtx *ctx;
    void *buffer;
    bool done;

    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > PLAIN_MOST)
        return false;
    buffer = malloc((size_t)size + 1);
    ctx = ZSTD_createDCtx();
    done = buffer && ctx;
    if (done && wpp_left(&example) > 0)
        ZSTD_DCtx_refPrefix(ctx, example.p, wpp_left(&example));
    done = done && ZSTD_decompressDCtx(ctx, buffer, (size_t)size, zipped.p, wpp_left(&zipped)) == size;
    if (done)
        wpp_put(plain, buffer, (size_t)size);
    ZSTD_freeDCtx(ctx);
    free(buffer);
    return done && !plain->failed;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* varint first, varint n; of each item varint kind, varint size; then all their bytes. */
bool run_base_save(const struct run_base *b, uint32_t first, struct wpp_bytes *out,
                   struct wpp_error *error)
{
    struct wpp_bytes plain = {0};
    bool done;

    wpp_put_varint(&plain, first);
    wpp_put_varint(&plain, b->n - first);
    for (uint32_t i = first; i < b->n; i++) {
        wpp_put_varint(&plain, b->item[i].kind);
        wpp_put_varint(&plain, b->item[i].size);
    }
    if (first < b->n)
        wpp_put(&plain, b->text.data + b->item[first].offset, b->text.size - b->item[first].offset);
    done = base_zip(NULL, &plain, out);
    wpp_bytes_free(&plain);
    return done || wpp_fail_memory(error);
}

static bool load_items(struct run_base *b, struct wpp_view v, bool *memory)
{
    uint64_t first = wpp_get_varint(&v);
    size_t n = wpp_get_count(&v, 2);
    struct wpp_view sizes = v;

    if (v.failed || first != b->n)
        return false;
    for (size_t i = 0; i < 2 * n; i++)
        wpp_get_varint(&v);
    for (size_t i = 0; i < n && !v.failed; i++) {
        uint64_t kind = wpp_get_varint_max(&sizes, ITEM_TERMINAL);
        uint64_t size = wpp_get_varint_max(&sizes, UINT32_MAX);
        struct wpp_view item = wpp_get_view(&v, (size_t)size);

        if (sizes.failed || item.failed)
            return false;
        if (!append(b, (enum item_kind)kind, item.p, (size_t)size)) {
            *memory = false;
            return false;
        }
    }
    return !v.failed && wpp_left(&v) == 0;
}

bool run_base_load(struct run_base *b, struct wpp_view file, struct wpp_error *error)
{
    struct wpp_bytes plain = {0};
    bool memory = true;
    bool done = base_unzip(NULL, file, &plain) &&
                load_items(b, wpp_view(plain.data, plain.size), &memory);

    wpp_bytes_free(&plain);
    if (!memory)
        return wpp_fail_memory(error);
    return done || wpp_fail(error, WPP_E_DAMAGED, "what the runs of a build share is damaged");
}
