/* SPDX-License-Identifier: MIT */
#include "wpp/trace/chunk-times.h"

#include <stdlib.h>

#ifdef WPP_HOSTILE
enum { MOST = 4 };
#else
enum { MOST = 1 << 14 };
#endif

void wpp_chunk_times_free(struct wpp_chunk_times *w)
{
    free(w->list);
    *w = (struct wpp_chunk_times){0};
}

static bool add_room(struct wpp_chunk_times *w)
{
    uint64_t capacity = w->capacity ? 2 * w->capacity : 256;
    struct wpp_chunk *larger;

    if (w->n < w->capacity)
        return true;
    larger = realloc(w->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    w->list = larger;
    w->capacity = capacity;
    return true;
}

/* Keeps every second chunk of each thread: its records 0, every, 2 * every, ...  With many
 * threads this removes little; then `most` grows. */
static void thin(struct wpp_chunk_times *w, struct wpp_streams *streams)
{
    uint64_t kept = 0;

    for (uint32_t i = 0; i < streams->n; i++)
        streams->list[i].chunks = 0;
    for (uint64_t i = 0; i < w->n; i++)
        if (streams->list[w->list[i].thread].chunks++ % 2 == 0)
            w->list[kept++] = w->list[i];
    w->n = kept;
    w->every *= 2;
    if (kept > w->most / 4 * 3)
        w->most *= 2;
}

bool wpp_chunk_times_add(struct wpp_chunk_times *w, struct wpp_streams *streams, uint32_t stream,
                         uint64_t time)
{
    struct wpp_stream *s = &streams->list[stream];

    if (w->most == 0)
        *w = (struct wpp_chunk_times){.most = MOST, .every = 1};
    if (s->records++ % w->every != 0)
        return true;
    if (w->n == w->most) {
        thin(w, streams);
        if ((s->records - 1) % w->every != 0)
            return true;
    }
    if (!add_room(w))
        return false;
    w->list[w->n++] = (struct wpp_chunk){stream, s->tokens, time};
    return true;
}
