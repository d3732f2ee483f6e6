/* SPDX-License-Identifier: MIT */
/* frame-kinds.h - numbers for the frames of a machine (events.h) that differ.
 *
 * A run has millions of activations, and few kinds of frame: one for each path behind which an
 * activation waits, at most.  Kept once and named by number, they stay in the processor's cache.
 */
#ifndef WPP_FRAME_KINDS_H
#define WPP_FRAME_KINDS_H

#include "wpp/replay/events.h"

/* No kind: any frame. */
#define FRAME_KIND_ANY (UINT32_MAX - 1)

/* All zero is empty.  Invariants: no two frames are the same to events_same_frame(); slot[] is a hash
 * table, a power of two, less than half full, of 1 + number or 0. */
struct frame_kinds {
    struct events_frame *frame;    /* by number */
    uint32_t n, capacity;
    uint32_t *slot;
    uint32_t n_slots;
};

/* The number of the kind, a new one if it is new.  False: no memory, or more kinds than numbers. */
bool frame_kinds_find(struct frame_kinds *k, const struct events_frame *frame, uint32_t *number);
void frame_kinds_free(struct frame_kinds *k);

#endif
