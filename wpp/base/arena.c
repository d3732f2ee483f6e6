/* SPDX-License-Identifier: MIT */
#include "wpp/base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef WPP_HOSTILE
enum { ALIGNMENT = 16, BLOCK_BYTES = 128 };
#else
enum { ALIGNMENT = 16, BLOCK_BYTES = 1 << 16 };
#endif

struct wpp_arena_block {
    struct wpp_arena_block *older;
    size_t used, size;                   /* of data; used <= size */
    _Alignas(ALIGNMENT) uint8_t data[];
};

static struct wpp_arena_block *add_block(struct wpp_arena *a, size_t size)
{
    struct wpp_arena_block *b;

    b = calloc(1, sizeof *b + size);
    if (!b)
        return NULL;
    b->size = size;
    b->older = a->blocks;
    a->blocks = b;
    return b;
}

void *wpp_arena_alloc(struct wpp_arena *a, size_t count, size_t size)
{
    struct wpp_arena_block *b = a->blocks;
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        a->failed = true;
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!b || bytes > b->size - b->used)
        b = add_block(a, bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES);
    if (!b) {
        a->failed = true;
        return NULL;
    }
    b->used += bytes;
    assert(b->used <= b->size && b->used % ALIGNMENT == 0);
    return b->data + (b->used - bytes);
}

char *wpp_arena_string(struct wpp_arena *a, const void *bytes, size_t n)
{
    char *s = wpp_arena_alloc(a, n + 1, 1);

    if (s && n > 0)
        memcpy(s, bytes, n);
    return s;
}

size_t wpp_arena_bytes(const struct wpp_arena *a)
{
    size_t bytes = 0;

    for (const struct wpp_arena_block *b = a->blocks; b; b = b->older)
        bytes += sizeof *b + b->size;
    return bytes;
}

void wpp_arena_free(struct wpp_arena *a)
{
    while (a->blocks) {
        struct wpp_arena_block *older = a->blocks->older;

        free(a->blocks);
        a->blocks = older;
    }
}
