/* SPDX-License-Identifier: MIT */
/* chunk-columns.h - the section `chunks`: when pieces of the trace were recorded.
 *
 * By columns, times are in units of 2^k nanoseconds.  k is the largest with 128 units in the mean
 * distance of a thread's chunks: what lies between two chunks is interpolated anyway.
 */
#ifndef WPP_CHUNK_COLUMNS_H
#define WPP_CHUNK_COLUMNS_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct wpp_chunk_list {
    uint64_t n;
    const struct wpp_chunk *list;
};

/* A failure is in b->failed. */
void wpp_put_chunk_columns(struct wpp_bytes *b, const struct wpp_chunk_list *chunks,
                           uint32_t n_threads);

/* k: times are rounded down to a multiple of 2^k. */
unsigned wpp_chunk_unit(const struct wpp_chunk_list *chunks, uint32_t n_threads);

/* Reads the section by columns, or by rows, as files from before had it.  Checks threads against
 * n_threads.  False: malformed, or no memory (arena->failed). */
bool wpp_get_chunk_columns(struct wpp_view *v, uint32_t n_threads, struct wpp_arena *arena,
                           struct wpp_chunk_list *out);
bool wpp_get_chunk_rows(struct wpp_view *v, uint32_t n_threads, struct wpp_arena *arena,
                        struct wpp_chunk_list *out);

#endif
