/* SPDX-License-Identifier: MIT */
/* bytes.h - writes and reads the byte sequences inside our formats.
 *
 * Integers are little-endian; a varint is unsigned LEB128 of at most 10 bytes;
 * a svarint is a zigzag varint; a string is a varint length and its bytes.
 */
#ifndef WPP_BYTES_H
#define WPP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WPP_FNV_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a 64.  A change of any bits of a single byte always changes the result. */
static inline uint64_t wpp_fnv(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Finds the only byte whose change makes the checksum of data[0..n) `want`: its place and its
 * right value.  False if there is none, or more than one.  A random checksum has one with a
 * chance of n in 2^56: so a found byte is the right one. */
bool wpp_fnv_mend(const uint8_t *data, size_t n, uint64_t want, size_t *at, uint8_t *byte);

static inline uint32_t wpp_get_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t wpp_get_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- Building ---------------------------------------------------------------
 * `failed` is set when memory runs out, and stays set; the puts do nothing then.  So the caller
 * tests it once, at the end.  All zero is an empty buffer. */
struct wpp_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

void wpp_bytes_free(struct wpp_bytes *b);
void wpp_put(struct wpp_bytes *b, const void *data, size_t size);
void wpp_put_u8(struct wpp_bytes *b, uint8_t v);
void wpp_put_u32(struct wpp_bytes *b, uint32_t v);
void wpp_put_u64(struct wpp_bytes *b, uint64_t v);
void wpp_put_varint(struct wpp_bytes *b, uint64_t v);
void wpp_put_svarint(struct wpp_bytes *b, int64_t v);
void wpp_put_string(struct wpp_bytes *b, const char *s);

/* ---- Reading ----------------------------------------------------------------
 * The first read past `end` or malformed number sets `failed`, and it stays set.  From then on
 * the gets return 0.  So a loop must be bounded by the number of items that the remaining bytes
 * can hold: see wpp_get_count. */
struct wpp_view {
    const uint8_t *p, *end;
    bool failed;
};

static inline struct wpp_view wpp_view(const void *data, size_t size)
{
    return (struct wpp_view){data, (const uint8_t *)data + size, false};
}

static inline size_t wpp_left(const struct wpp_view *v)
{
    return (size_t)(v->end - v->p);
}

/* The checksums, from WPP_FNV_START, of n views.  It computes four at a time, because each step
 * of one checksum waits for the step before. */
void wpp_fnv_each(const struct wpp_view *views, size_t n, uint64_t *hashes);

uint64_t wpp_get_varint(struct wpp_view *v);
int64_t wpp_get_svarint(struct wpp_view *v);
/* A varint of at most `max`, else the view fails. */
uint64_t wpp_get_varint_max(struct wpp_view *v, uint64_t max);
/* The number of items that follow, each at least min_bytes (>= 1) long.  Fails if the remaining
 * bytes cannot hold that number. */
size_t wpp_get_count(struct wpp_view *v, size_t min_bytes);
/* The next n bytes; NULL (and failed) if there are fewer. */
const uint8_t *wpp_get_bytes(struct wpp_view *v, size_t n);
/* A view of the next n bytes; the new view itself fails if there are fewer. */
struct wpp_view wpp_get_view(struct wpp_view *v, size_t n);

#endif
