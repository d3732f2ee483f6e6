/* SPDX-License-Identifier: MIT */
/* piece-coder.h - writes the code of one grammar of all pieces, while later pieces are still built.
 *
 *      pieces      0     1     2     3 ...     as they come
 *      stream 0    ----> ----> ----> ---->     coded by a thread, if there is one
 *      stream 1    ----> ----> ----> ---->     at the end
 *
 * The code has the start rules of threads one behind the other.  So what the first stream does in a
 * piece can be coded at once, and what others do only at the end.  The bytes are the same with and
 * without the thread.
 */
#ifndef WPP_PIECE_CODER_H
#define WPP_PIECE_CODER_H

#include "sequitur/sequitur.h"
#include "wpp/base/bytes.h"

struct wpp_piece_coder;

/* The base and the pieces must live as long.  NULL: no memory. */
struct wpp_piece_coder *wpp_piece_coder_new(const seq *base);
void wpp_piece_coder_free(struct wpp_piece_coder *c);

/* The next piece; the first is the base's. */
bool wpp_piece_coder_add(struct wpp_piece_coder *c, const seq_piece *piece);
/* Codes from now on in a thread of its own, which a fork does not have.  Does nothing where there is one,
 * or none can be had. */
void wpp_piece_coder_start(struct wpp_piece_coder *c);

/* All pieces have been added; `streams` is the number of start rules in them.  Writes the code, and
 * order[new] = old of the terminals, whose number comes in *n; `order` has room for *n, and there are
 * no more.  Waits for the thread.  False: no memory. */
bool wpp_piece_coder_finish(struct wpp_piece_coder *c, uint32_t streams, struct wpp_bytes *out,
                            uint32_t *order, uint32_t *n);
/* Afterwards, if the code has lanes: as wpp_grammar_coder_counts(). */
bool wpp_piece_coder_counts(const struct wpp_piece_coder *c, uint64_t *counts, uint64_t *longest);

#endif
