/* SPDX-License-Identifier: MIT */
#include "wpp/base/bytes.h"

#include <assert.h>
#include <stdlib.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "our formats are little-endian, and integers are copied as they are"
#endif

#ifdef WPP_HOSTILE
enum { FIRST_CAPACITY = 1 };
#else
enum { FIRST_CAPACITY = 64 };
#endif

enum { LANES = 4 };

struct lanes {
    const uint8_t *at[LANES];
    size_t left[LANES], which[LANES];
    uint64_t hash[LANES];
};

/* Steps all lanes together, up to the end of the shortest. */
static void step_lanes(struct lanes *l)
{
    uint64_t h0 = l->hash[0], h1 = l->hash[1], h2 = l->hash[2], h3 = l->hash[3];
    size_t n = l->left[0];

    for (size_t i = 1; i < LANES; i++)
        n = l->left[i] < n ? l->left[i] : n;
    for (size_t i = 0; i < n; i++) {
        h0 = wpp_fnv(h0, l->at[0] + i, 1);
        h1 = wpp_fnv(h1, l->at[1] + i, 1);
        h2 = wpp_fnv(h2, l->at[2] + i, 1);
        h3 = wpp_fnv(h3, l->at[3] + i, 1);
    }
    memcpy(l->hash, (uint64_t[LANES]){h0, h1, h2, h3}, sizeof l->hash);
    for (size_t i = 0; i < LANES; i++) {
        l->at[i] += n;
        l->left[i] -= n;
    }
}

static void take_view(struct lanes *l, size_t lane, const struct wpp_view *views, size_t which)
{
    l->at[lane] = views[which].p;
    l->left[lane] = wpp_left(&views[which]);
    l->which[lane] = which;
    l->hash[lane] = WPP_FNV_START;
}

void wpp_fnv_each(const struct wpp_view *views, size_t n, uint64_t *hashes)
{
    struct lanes l;
    size_t next = n < LANES ? 0 : LANES;

    for (size_t i = 0; i < next; i++)
        take_view(&l, i, views, i);
    while (next > 0 && next < n) {
        step_lanes(&l);
        for (size_t i = 0; i < LANES && next < n; i++)
            if (l.left[i] == 0) {
                hashes[l.which[i]] = l.hash[i];
                take_view(&l, i, views, next++);
            }
    }
    for (size_t i = 0; next > 0 && i < LANES; i++)
        hashes[l.which[i]] = wpp_fnv(l.hash[i], l.at[i], l.left[i]);
    for (; next < n; next++)
        hashes[next] = wpp_fnv(WPP_FNV_START, views[next].p, wpp_left(&views[next]));
}

/* A step of FNV-1a is undone by the inverse of its prime, so the checksum also runs backwards:
 *
 *      start -> | before | byte | after | -> checksum
 *
 * `before` comes from the start, forwards over the bytes.  `after` comes from the wanted
 * checksum, backwards.  If one step of 8 bits leads from one to the other, that is the byte. */
bool wpp_fnv_mend(const uint8_t *data, size_t n, uint64_t want, size_t *at, uint8_t *byte)
{
    const uint64_t inverse = UINT64_C(0xce965057aff6957b);
    uint64_t before = wpp_fnv(WPP_FNV_START, data, n), after = want;
    unsigned found = 0;

    for (size_t i = n; i-- > 0;) {
        before = before * inverse ^ data[i];
        after *= inverse;
        if ((before ^ after) < 256) {
            found++;
            *at = i;
            *byte = (uint8_t)(before ^ after);
        }
        after ^= data[i];
    }
    return found == 1;
}

/* ---- Building -------------------------------------------------------------- */

void wpp_bytes_free(struct wpp_bytes *b)
{
    free(b->data);
    *b = (struct wpp_bytes){0};
}

static bool reserve(struct wpp_bytes *b, size_t size)
{
    size_t capacity = b->capacity ? b->capacity : FIRST_CAPACITY;
    uint8_t *data;

    if (b->failed)
        return false;
    if (b->capacity - b->size >= size)
        return true;
    while (capacity - b->size < size)
        capacity *= 2;
    data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void wpp_put(struct wpp_bytes *b, const void *data, size_t size)
{
    if (size == 0 || !reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void wpp_put_u8(struct wpp_bytes *b, uint8_t v)
{
    wpp_put(b, &v, sizeof v);
}

void wpp_put_u32(struct wpp_bytes *b, uint32_t v)
{
    wpp_put(b, &v, sizeof v);
}

void wpp_put_u64(struct wpp_bytes *b, uint64_t v)
{
    wpp_put(b, &v, sizeof v);
}

void wpp_put_varint(struct wpp_bytes *b, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;

    while (v >= 0x80) {
        bytes[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    bytes[n++] = (uint8_t)v;
    assert(n <= sizeof bytes);
    wpp_put(b, bytes, n);
}

void wpp_put_svarint(struct wpp_bytes *b, int64_t v)
{
    wpp_put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void wpp_put_string(struct wpp_bytes *b, const char *s)
{
    size_t size = strlen(s);

    wpp_put_varint(b, size);
    wpp_put(b, s, size);
}

/* ---- Reading ---------------------------------------------------------------- */

uint64_t wpp_get_varint(struct wpp_view *v)
{
    uint64_t value = 0;

    for (unsigned shift = 0; !v->failed && v->p < v->end; shift += 7) {
        uint8_t byte = *v->p++;

        /* The tenth byte has room for one bit only. */
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    v->failed = true;
    return 0;
}

int64_t wpp_get_svarint(struct wpp_view *v)
{
    uint64_t u = wpp_get_varint(v);

    return (int64_t)(u >> 1 ^ -(u & 1));
}

uint64_t wpp_get_varint_max(struct wpp_view *v, uint64_t max)
{
    uint64_t value = wpp_get_varint(v);

    if (value > max) {
        v->failed = true;
        return 0;
    }
    return value;
}

size_t wpp_get_count(struct wpp_view *v, size_t min_bytes)
{
    uint64_t n = wpp_get_varint(v);

    assert(min_bytes >= 1);
    if (n > wpp_left(v) / min_bytes) {
        v->failed = true;
        return 0;
    }
    return (size_t)n;
}

const uint8_t *wpp_get_bytes(struct wpp_view *v, size_t n)
{
    const uint8_t *p = v->p;

    if (v->failed || n > wpp_left(v)) {
        v->failed = true;
        return NULL;
    }
    v->p += n;
    return p;
}

struct wpp_view wpp_get_view(struct wpp_view *v, size_t n)
{
    const uint8_t *p = wpp_get_bytes(v, n);

    if (!p)
        return (struct wpp_view){v->end, v->end, true};
    return wpp_view(p, n);
}
