/* SPDX-License-Identifier: MIT */
/* grammar-join.h - the grammars of a trace's segments as one.
 *
 *      rules       those of the first segment, of the second, ...
 *      start k     the start rules k of all segments, one after the other
 */
#ifndef WPP_GRAMMAR_JOIN_H
#define WPP_GRAMMAR_JOIN_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

#define WPP_ANY UINT32_MAX           /* terminals or threads: as many as the segments have */

/* `code` is the content of the section `segments`; arrays as from wpp_grammar_decode().
 * WPP_E_MEMORY, or WPP_E_DAMAGED with a text about the error (without a file name). */
bool wpp_grammar_join(struct wpp_view code, uint32_t n_terminals, uint32_t n_threads,
                      struct wpp_grammar *out, uint32_t *n_segments, struct wpp_error *error);

/* A segment of a damaged file, as in the section `list of segments`. */
struct wpp_segment_piece {
    struct wpp_view code;            /* with the size in front; p NULL: the piece is lost */
    uint64_t size;                   /* in bytes, also of a lost piece */
    uint32_t n_threads;
    const uint64_t *events;          /* of each thread, also of a lost piece */
};

/* The same for pieces, some of which are lost.  If a thread had events in lost pieces, its start
 * rule has one terminal `gap` for each sequence of lost pieces.  gap is at most n_terminals; if it
 * is equal, there is one terminal more.  WPP_ANY stands for that, too. */
bool wpp_grammar_join_pieces(const struct wpp_segment_piece *pieces, uint32_t n,
                             uint32_t n_terminals, uint32_t n_threads, uint32_t gap,
                             struct wpp_grammar *out, struct wpp_error *error);

#endif
