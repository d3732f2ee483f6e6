/* SPDX-License-Identifier: MIT */
#include "wpp/replay/frame-kinds.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t hash_of(const struct events_frame *f)
{
    uint64_t hash = ((uint64_t)f->routine << 32 | f->resume) * UINT64_C(0x9E3779B97F4A7C15);

    hash = (hash ^ hash >> 29 ^ ((uint64_t)f->label << 32 | f->at)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(hash >> 32);
}

/* The frame's slot, or the free one where it would be. */
static uint32_t slot_of(const struct frame_kinds *k, const struct events_frame *frame)
{
    uint32_t i = hash_of(frame) & (k->n_slots - 1);

    assert((k->n_slots & (k->n_slots - 1)) == 0 && k->n < k->n_slots);     /* so a search ends */
    while (k->slot[i] && !events_same_frame(&k->frame[k->slot[i] - 1], frame))
        i = (i + 1) & (k->n_slots - 1);
    return i;
}

static bool grow_slots(struct frame_kinds *k)
{
    uint32_t n_slots = k->n_slots ? 2 * k->n_slots : 64;
    uint32_t *slot = calloc(n_slots, sizeof *slot);

    if (!slot)
        return false;
    free(k->slot);
    k->slot = slot;
    k->n_slots = n_slots;
    for (uint32_t number = 0; number < k->n; number++)
        slot[slot_of(k, &k->frame[number])] = number + 1;
    return true;
}

static bool grow_frames(struct frame_kinds *k)
{
    uint32_t capacity = k->capacity ? 2 * k->capacity : 32;
    struct events_frame *frame = realloc(k->frame, capacity * sizeof *frame);

    if (!frame)
        return false;
    k->frame = frame;
    k->capacity = capacity;
    return true;
}

bool frame_kinds_find(struct frame_kinds *k, const struct events_frame *frame, uint32_t *number)
{
    uint32_t i;

    if (k->n >= UINT32_C(1) << 30 || (2 * (k->n + 1) > k->n_slots && !grow_slots(k)))
        return false;
    i = slot_of(k, frame);
    if (!k->slot[i]) {
        if (k->n == k->capacity && !grow_frames(k))
            return false;
        k->frame[k->n++] = *frame;
        k->slot[i] = k->n;
    }
    *number = k->slot[i] - 1;
    return true;
}

void frame_kinds_free(struct frame_kinds *k)
{
    free(k->frame);
    free(k->slot);
    *k = (struct frame_kinds){0};
}
