/* SPDX-License-Identifier: MIT */
#include "wpp/format/chunk-columns.h"

#include <assert.h>
#include <stdlib.h>

enum { UNITS_IN_A_DISTANCE = 128 };

/* Sizes of the shortest encodings: they limit counts before memory is allocated. */
enum { MIN_ROW = 3, MIN_IN_COLUMNS = 4 };

/* The chunk before, of a thread: it predicts the next one's first event. */
struct before {
    uint64_t first, step;
    uint64_t begin, end;         /* times of the thread's first chunk and of the last so far */
    bool any;
};

/* ---- Writing -------------------------------------------------------------------------- */

static unsigned unit_of(const struct wpp_chunk_list *chunks, struct before *threads,
                        uint32_t n_threads)
{
    unsigned __int128 sum = 0;
    uint64_t distances = 0, limit;
    unsigned k = 0;

    for (uint64_t i = 0; i < chunks->n; i++) {
        struct before *t = &threads[chunks->list[i].thread];

        if (!t->any)
            t->begin = chunks->list[i].time;
        distances += t->any;
        t->end = chunks->list[i].time;
        t->any = true;
    }
    for (uint32_t i = 0; i < n_threads; i++)
        sum += threads[i].end > threads[i].begin ? threads[i].end - threads[i].begin : 0;
    if (distances == 0)
        return 0;
    limit = (uint64_t)(sum / distances) / UNITS_IN_A_DISTANCE;
    while (limit >> k > 1)
        k++;
    return k;
}

unsigned wpp_chunk_unit(const struct wpp_chunk_list *chunks, uint32_t n_threads)
{
    struct before *threads = calloc(n_threads + (size_t)1, sizeof *threads);
    unsigned k = threads ? unit_of(chunks, threads, n_threads) : 0;

    free(threads);
    return k;
}

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

/* The first event as the difference of two steps: records are of one size, mostly. */
static void put_firsts(struct wpp_bytes *b, const struct wpp_chunk_list *chunks,
                       struct before *threads)
{
    for (uint64_t i = 0; i < chunks->n; i++) {
        const struct wpp_chunk *c = &chunks->list[i];
        struct before *t = &threads[c->thread];
        uint64_t step = c->first - t->first;

        wpp_put_varint(b, zigzag(step - t->step));
        t->first = c->first;
        t->step = step;
    }
}

/* The lowest byte is noise.  Apart from the rest, it does not disturb it. */
static void put_times(struct wpp_bytes *b, const struct wpp_chunk_list *chunks, unsigned k)
{
    struct wpp_bytes high = {0};
    uint64_t before = 0;

    for (uint64_t i = 0; i < chunks->n; i++) {
        uint64_t time = chunks->list[i].time >> k, difference = zigzag(time - before);

        wpp_put_u8(b, (uint8_t)difference);
        wpp_put_varint(&high, difference >> 8);
        before = time;
    }
    wpp_put(b, high.data, high.size);
    b->failed |= high.failed;
    wpp_bytes_free(&high);
}

void wpp_put_chunk_columns(struct wpp_bytes *b, const struct wpp_chunk_list *chunks,
                           uint32_t n_threads)
{
    struct before *threads = calloc(n_threads + (size_t)1, sizeof *threads);
    unsigned k;

    if (!threads) {
        b->failed = true;
        return;
    }
    k = unit_of(chunks, threads, n_threads);
    wpp_put_varint(b, chunks->n);
    wpp_put_varint(b, k);
    for (uint64_t i = 0; i < chunks->n; i++) {
        assert(chunks->list[i].thread < n_threads);
        wpp_put_varint(b, chunks->list[i].thread);
    }
    put_firsts(b, chunks, threads);
    put_times(b, chunks, k);
    free(threads);
}

/* ---- Reading -------------------------------------------------------------------------- */

/* Room for the chunks of a section; NULL: there is none, or there are no threads. */
static struct wpp_chunk *begin(struct wpp_view *v, size_t n, uint32_t n_threads,
                               struct wpp_arena *arena, struct wpp_chunk_list *out)
{
    struct wpp_chunk *list = NULL;

    if (!v->failed && (n == 0 || n_threads > 0))
        list = wpp_arena_alloc(arena, n, sizeof *list);
    *out = (struct wpp_chunk_list){n, list};
    return list;
}

static void get_firsts(struct wpp_view *v, struct wpp_chunk *list, size_t n,
                       struct before *threads)
{
    for (size_t i = 0; i < n; i++) {
        struct before *t = &threads[list[i].thread];

        t->step += (uint64_t)wpp_get_svarint(v);
        list[i].first = t->first += t->step;
    }
}

/* False: a time is too large for its unit. */
static bool get_times(struct wpp_view *v, struct wpp_chunk *list, size_t n, unsigned k)
{
    const uint8_t *low = wpp_get_bytes(v, n);
    uint64_t time = 0;

    if (!low)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t difference = wpp_get_varint_max(v, UINT64_MAX >> 8) << 8 | low[i];

        time += difference >> 1 ^ -(difference & 1);
        if (time > UINT64_MAX >> k)
            return false;
        list[i].time = time << k;
    }
    return !v->failed;
}

bool wpp_get_chunk_columns(struct wpp_view *v, uint32_t n_threads, struct wpp_arena *arena,
                           struct wpp_chunk_list *out)
{
    size_t n = wpp_get_count(v, MIN_IN_COLUMNS);
    unsigned k = (unsigned)wpp_get_varint_max(v, 63);
    struct wpp_chunk *list = begin(v, n, n_threads, arena, out);
    struct before *threads;

    if (!list)
        return false;
    for (size_t i = 0; i < n; i++)
        list[i].thread = (uint32_t)wpp_get_varint_max(v, n_threads - 1);
    threads = wpp_arena_alloc(arena, n_threads, sizeof *threads);
    if (!threads)
        return false;
    get_firsts(v, list, n, threads);
    return get_times(v, list, n, k);
}

bool wpp_get_chunk_rows(struct wpp_view *v, uint32_t n_threads, struct wpp_arena *arena,
                        struct wpp_chunk_list *out)
{
    size_t n = wpp_get_count(v, MIN_ROW);
    struct wpp_chunk *list = begin(v, n, n_threads, arena, out);
    uint64_t time = 0;

    if (!list)
        return false;
    for (size_t i = 0; i < n; i++) {
        list[i].thread = (uint32_t)wpp_get_varint_max(v, n_threads - 1);
        list[i].first = wpp_get_varint(v);
        list[i].time = time += (uint64_t)wpp_get_svarint(v);
    }
    return !v->failed;
}
