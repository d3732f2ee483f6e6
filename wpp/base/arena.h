/* SPDX-License-Identifier: MIT */
/* arena.h - many small allocations that are freed together. */
#ifndef WPP_ARENA_H
#define WPP_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct wpp_arena_block;

/* All zero is an empty arena.  Memory is zeroed and aligned to 16 bytes. */
struct wpp_arena {
    struct wpp_arena_block *blocks;    /* the newest first; only the newest has room */
    bool failed;                       /* memory has run out */
};

/* count * size bytes; NULL without memory.  For 0 bytes it returns an address that must not be
 * read. */
void *wpp_arena_alloc(struct wpp_arena *a, size_t count, size_t size);
/* A NUL-terminated copy of bytes[0 .. n). */
char *wpp_arena_string(struct wpp_arena *a, const void *bytes, size_t n);
/* Bytes that it holds. */
size_t wpp_arena_bytes(const struct wpp_arena *a);
void wpp_arena_free(struct wpp_arena *a);

#endif
