/* SPDX-License-Identifier: MIT */
/* ring.h - the flight recorder: it keeps the last tokens of each thread of a process.
 *
 * It takes the records of a trace as they come.  Of each stream it keeps the last TOKENS that
 * together hold at least the limit.  At the end it gives them back as a trace in which a LOST
 * record stands for the dropped ones.  Other records are all kept.
 */
#ifndef WPP_RING_H
#define WPP_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_ring;

/* NULL without memory. */
struct wpp_ring *wpp_ring_new(uint64_t bytes_per_thread);
void wpp_ring_free(struct wpp_ring *ring);

/* Takes whole records.  False: no memory, or these are no records. */
bool wpp_ring_push(struct wpp_ring *ring, const void *records, size_t n);

/* Gives all records back, in order; false as soon as `take` returns false.  The ring keeps them. */
bool wpp_ring_flush(struct wpp_ring *ring, bool (*take)(void *ctx, const void *bytes, size_t n),
                    void *ctx);

/* Tokens so far, dropped ones included. */
uint64_t wpp_ring_tokens(const struct wpp_ring *ring);
uint64_t wpp_ring_dropped(const struct wpp_ring *ring);
/* Bytes of memory. */
uint64_t wpp_ring_memory(const struct wpp_ring *ring);

#endif
