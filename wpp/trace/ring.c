/* SPDX-License-Identifier: MIT */
#include "wpp/trace/ring.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/trace/streams.h"

/* Records in order of arrival.  The TOKENS of each stream are also chained, so the oldest is
 * found at once. */
struct entry {
    struct entry *previous, *next, *next_of_stream;
    uint32_t stream;             /* index, of thread records */
    uint32_t n;                  /* bytes of `record`, with padding */
    uint8_t record[];
};

struct kept {
    struct entry *oldest, *newest;   /* TOKENS */
    uint64_t bytes;                  /* of these TOKENS */
    uint64_t dropped;                /* tokens older than `oldest` */
    /* While giving back: */
    uint32_t next_sequence;
    uint64_t position;
    bool told;                       /* LOST is written for the dropped ones */
};

struct wpp_ring {
    uint64_t limit;
    struct entry *first, *last;
    struct wpp_streams streams;      /* tid to index */
    struct kept *kept;               /* by index */
    uint32_t capacity;
    uint64_t tokens, dropped;
    uint64_t memory;                 /* bytes of all entries */
};

struct wpp_ring *wpp_ring_new(uint64_t bytes_per_thread)
{
    struct wpp_ring *ring = calloc(1, sizeof *ring);

    if (ring)
        ring->limit = bytes_per_thread;
    return ring;
}

void wpp_ring_free(struct wpp_ring *ring)
{
    struct entry *next;

    if (!ring)
        return;
    for (struct entry *e = ring->first; e; e = next) {
        next = e->next;
        free(e);
    }
    wpp_streams_free(&ring->streams);
    free(ring->kept);
    free(ring);
}

uint64_t wpp_ring_tokens(const struct wpp_ring *ring)
{
    return ring->tokens;
}

uint64_t wpp_ring_dropped(const struct wpp_ring *ring)
{
    return ring->dropped;
}

uint64_t wpp_ring_memory(const struct wpp_ring *ring)
{
    return ring->memory;
}

/* ---- Taking ------------------------------------------------------------------------ */

static bool is_thread_record(unsigned kind)
{
    return kind == WPP_REC_THREAD || kind == WPP_REC_TOKENS || kind == WPP_REC_THREAD_END ||
           kind == WPP_REC_LOST || kind == WPP_REC_FORK;
}

/* Finds the index of the record's stream; false without memory. */
static bool find_stream(struct wpp_ring *ring, const struct wpp_record *h, uint32_t *index)
{
    struct wpp_stream *stream = NULL;

    if (h->kind != WPP_REC_THREAD)
        stream = wpp_streams_find(&ring->streams, h->tid);
    if (!stream)
        stream = wpp_streams_add(&ring->streams, h->tid);
    if (!stream)
        return false;
    *index = (uint32_t)(stream - ring->streams.list);
    if (ring->capacity < ring->streams.capacity) {
        uint32_t capacity = ring->streams.capacity;
        struct kept *larger = realloc(ring->kept, capacity * sizeof *larger);

        if (!larger)
            return false;
        memset(larger + ring->capacity, 0, (capacity - ring->capacity) * sizeof *larger);
        ring->kept = larger;
        ring->capacity = capacity;
    }
    return true;
}

static void append(struct wpp_ring *ring, struct entry *e)
{
    e->previous = ring->last;
    if (ring->last)
        ring->last->next = e;
    else
        ring->first = e;
    ring->last = e;
}

static uint32_t token_bytes(const struct entry *e)
{
    return e->n - WPP_HEADER_BYTES;
}

static void drop_oldest(struct wpp_ring *ring, struct kept *kept)
{
    struct entry *e = kept->oldest;
    uint32_t tokens = token_bytes(e) / 4;

    kept->oldest = e->next_of_stream;
    kept->bytes -= token_bytes(e);
    kept->dropped += tokens;
    ring->dropped += tokens;
    *(e->previous ? &e->previous->next : &ring->first) = e->next;
    *(e->next ? &e->next->previous : &ring->last) = e->previous;
    ring->memory -= sizeof *e + e->n;
    free(e);
}

/* Adds a record to its stream's chain, and drops the oldest while the others hold enough bytes. */
static void chain(struct wpp_ring *ring, struct entry *e)
{
    struct kept *kept = &ring->kept[e->stream];

    *(kept->oldest ? &kept->newest->next_of_stream : &kept->oldest) = e;
    kept->newest = e;
    kept->bytes += token_bytes(e);
    ring->tokens += token_bytes(e) / 4;
    while (kept->oldest != e && kept->bytes - token_bytes(kept->oldest) >= ring->limit)
        drop_oldest(ring, kept);
}

static bool take_record(struct wpp_ring *ring, const struct wpp_record *h, const uint8_t *record,
                        size_t n)
{
    struct entry *e = malloc(sizeof *e + n);

    if (!e)
        return false;
    *e = (struct entry){.n = (uint32_t)n};
    memcpy(e->record, record, n);
    if (is_thread_record(h->kind) && !find_stream(ring, h, &e->stream)) {
        free(e);
        return false;
    }
    append(ring, e);
    ring->memory += sizeof *e + n;
    if (h->kind == WPP_REC_TOKENS)
        chain(ring, e);
    return true;
}

bool wpp_ring_push(struct wpp_ring *ring, const void *records, size_t n)
{
    const uint8_t *p = records;
    struct wpp_record h;

    while (n > 0) {
        size_t whole;

        if (n < sizeof h)
            return false;
        memcpy(&h, p, sizeof h);
        whole = sizeof h + (((size_t)h.bytes + 3) & ~(size_t)3);
        if (h.magic != WPP_TRACE_MAGIC || whole > n || !take_record(ring, &h, p, whole))
            return false;
        p += whole;
        n -= whole;
    }
    return true;
}

/* ---- Giving back ---------------------------------------------------------------------- */

struct giving {
    bool (*take)(void *ctx, const void *bytes, size_t n);
    void *ctx;
};

static bool give(const struct giving *g, struct wpp_record *h, const void *payload, size_t n)
{
    h->check = (uint32_t)wpp_fnv(WPP_FNV_START, h, offsetof(struct wpp_record, check));
    return g->take(g->ctx, h, sizeof *h) && g->take(g->ctx, payload, n);
}

static void number(struct wpp_record *h, struct kept *kept)
{
    h->sequence = kept->next_sequence++;
    h->first = h->kind == WPP_REC_TOKENS || h->kind == WPP_REC_LOST ? kept->position : 0;
}

static bool give_lost(const struct giving *g, const struct wpp_record *like, struct kept *kept)
{
    struct wpp_record h = *like;

    h.kind = WPP_REC_LOST;
    h.bytes = sizeof kept->dropped;
    number(&h, kept);
    kept->position += kept->dropped;
    kept->told = true;
    return give(g, &h, &kept->dropped, sizeof kept->dropped);
}

/* Gives one record, numbered again: numbers change where records were dropped. */
static bool give_entry(struct wpp_ring *ring, const struct giving *g, const struct entry *e)
{
    struct kept *kept = ring->kept ? &ring->kept[e->stream] : NULL;
    const uint8_t *payload = e->record + WPP_HEADER_BYTES;
    size_t n = e->n - WPP_HEADER_BYTES;
    struct wpp_record h;

    memcpy(&h, e->record, sizeof h);
    if (h.kind == WPP_REC_END && n >= 16) {
        uint64_t totals[2] = {wpp_get_u64(payload) - ring->dropped,
                              wpp_get_u64(payload + 8) + ring->dropped};

        h.bytes = sizeof totals;
        return give(g, &h, totals, sizeof totals);
    }
    if (is_thread_record(h.kind)) {
        if (h.kind == WPP_REC_TOKENS && kept->dropped && !kept->told && !give_lost(g, &h, kept))
            return false;
        number(&h, kept);
        if (h.kind == WPP_REC_TOKENS)
            kept->position += n / 4;
        if (h.kind == WPP_REC_LOST && n >= 8)
            kept->position += wpp_get_u64(payload);
    }
    return give(g, &h, payload, n);
}

bool wpp_ring_flush(struct wpp_ring *ring, bool (*take)(void *ctx, const void *bytes, size_t n),
                    void *ctx)
{
    struct giving g = {take, ctx};
    bool good = true;

    for (uint32_t i = 0; i < ring->capacity; i++) {
        ring->kept[i].next_sequence = 0;
        ring->kept[i].position = 0;
        ring->kept[i].told = false;
    }
    for (const struct entry *e = ring->first; e && good; e = e->next)
        good = give_entry(ring, &g, e);
    return good;
}
