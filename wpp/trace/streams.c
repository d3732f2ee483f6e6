/* SPDX-License-Identifier: MIT */
#include "wpp/trace/streams.h"

#include <assert.h>
#include <stdlib.h>

void wpp_streams_free(struct wpp_streams *s)
{
    free(s->list);
    free(s->slots);
    *s = (struct wpp_streams){0};
}

/* The slot of a tid, or the empty slot where it belongs. */
static uint32_t slot_of(const struct wpp_streams *s, uint32_t tid)
{
    uint32_t i = (uint32_t)(tid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->n_slots - 1);

    while (s->slots[i] != 0 && s->list[s->slots[i] - 1].tid != tid)
        i = (i + 1) & (s->n_slots - 1);
    return i;
}

struct wpp_stream *wpp_streams_find(const struct wpp_streams *s, uint32_t tid)
{
    uint32_t slot;

    /* A thread often writes many records in a row, and is often the only one. */
    if (s->n > 0 && s->list[s->n - 1].tid == tid)
        return &s->list[s->n - 1];
    if (s->n == 0)
        return NULL;
    slot = slot_of(s, tid);
    return s->slots[slot] ? &s->list[s->slots[slot] - 1] : NULL;
}

/* Makes room for one more in both arrays; at most half of the slots are taken. */
static bool add_room(struct wpp_streams *s)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : 16;
    struct wpp_stream *list;
    uint32_t *slots;

    if (s->n < s->capacity)
        return true;
    list = realloc(s->list, capacity * sizeof *list);
    if (!list)
        return false;
    s->list = list;
    slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (!slots)
        return false;
    free(s->slots);
    s->slots = slots;
    s->n_slots = 2 * capacity;
    s->capacity = capacity;
    for (uint32_t i = 0; i < s->n; i++)
        s->slots[slot_of(s, s->list[i].tid)] = i + 1;
    return true;
}

struct wpp_stream *wpp_streams_add(struct wpp_streams *s, uint32_t tid)
{
    if (!add_room(s))
        return NULL;
    assert(s->n < s->n_slots / 2 + 1);
    s->list[s->n] = (struct wpp_stream){.tid = tid};
    s->slots[slot_of(s, tid)] = s->n + 1;
    return &s->list[s->n++];
}
