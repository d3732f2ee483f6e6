/* SPDX-License-Identifier: MIT */
/* ring.h - the flight recorder: of each thread of a process, the last tokens.
 *
 * Takes the records of a trace as they come, keeps of each stream the last TOKENS that hold so
 * many bytes or more, and gives them back at the end as a trace in which a LOST record stands
 * for what was dropped.  Other records are all kept.
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

/* Gives everything back, in order; false as soon as `take` says so.  The ring keeps it. */
bool wpp_ring_flush(struct wpp_ring *ring, bool (*take)(void *ctx, const void *bytes, size_t n),
                    void *ctx);

/* Tokens so far, with those that were dropped. */
uint64_t wpp_ring_tokens(const struct wpp_ring *ring);
uint64_t wpp_ring_dropped(const struct wpp_ring *ring);
/* Bytes of memory. */
uint64_t wpp_ring_memory(const struct wpp_ring *ring);

#endif
