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

/* `code` is the content of the section `segments`; arrays as of wpp_grammar_decode().
 * WPP_E_MEMORY, or WPP_E_DAMAGED with the text saying what is wrong (no file name). */
bool wpp_grammar_join(struct wpp_view code, uint32_t n_terminals, uint32_t n_threads,
                      struct wpp_grammar *out, uint32_t *n_segments, struct wpp_error *error);

/* A segment of a damaged file, as the section `list of segments` says. */
struct wpp_segment_piece {
    struct wpp_view code;            /* with the size in front; p NULL: it is lost */
    uint64_t size;                   /* in bytes, also of what is lost */
    uint32_t n_threads;
    const uint64_t *events;          /* of each thread, also of what is lost */
};

/* The same of pieces, some of which are lost: where a thread had events in these, its start rule
 * has one terminal `gap` in the place of all that are lost one after the other.  gap is at most
 * n_terminals, and if it is that, there is one terminal more.  WPP_ANY: as if it were that. */
bool wpp_grammar_join_pieces(const struct wpp_segment_piece *pieces, uint32_t n,
                             uint32_t n_terminals, uint32_t n_threads, uint32_t gap,
                             struct wpp_grammar *out, struct wpp_error *error);

#endif
