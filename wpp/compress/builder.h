/* SPDX-License-Identifier: MIT */
/* builder.h - a grammar, built by a thread of its own: the whole one, that of a part behind a
 * base (sequitur.h, "Grammars on a base"), or those of a part's segments (segment-maker.h).
 *
 *      wpp_builder_new -> wpp_builder_append ... -> wpp_builder_end -> wpp_builder_take
 *
 *      caller:  | piece |  first -> | piece | -> | piece | <- last     the thread
 *               terminals of one stream                                appends
 *
 * Appended terminals wait in a queue.  So several parts are built at the same time, while the
 * caller reads the next one.  The grammar is the same as without the thread, because the engine
 * gives the same result for any division of its input into pieces.
 */
#ifndef WPP_BUILDER_H
#define WPP_BUILDER_H

#include "sequitur/sequitur.h"
#include "wpp/compress/finish-grammar.h"
#include "wpp/compress/segment-maker.h"

enum { WPP_NARROW_TERMINALS = 1 << 16 };
/* Bytes that a terminal takes while it waits, if all are below `alphabet`. */
static inline uint32_t wpp_builder_terminal_bytes(uint32_t alphabet)
{
    return alphabet <= WPP_NARROW_TERMINALS ? 2 : 4;
}

struct wpp_builder;

/* Takes the grammar; terminals are then appended through the builder.  With a base, which must live
 * as long, the grammar is on it; NULL: the thread makes it.  Without one, append waits while a few
 * million terminals are in the queue.  NULL: there is no memory or no thread, and the caller keeps
 * the grammar. */
struct wpp_builder *wpp_builder_new(seq *grammar, const seq *base);
/* Takes the maker; terminals then become its segments.  NULL: likewise. */
struct wpp_builder *wpp_builder_new_segments(struct wpp_segment_maker *maker);
/* Drops the grammar; the thread may still be working. */
void wpp_builder_free(struct wpp_builder *b);

/* As seq_append: SEQ_OK, SEQ_E_NOMEM, or the engine's error for earlier terminals, as soon as it
 * is known.  All terminals so far are below `alphabet`. */
int wpp_builder_append(struct wpp_builder *b, uint32_t stream, const uint32_t *terminals,
                       size_t n, uint32_t alphabet);

/* With a base or a maker: no more terminals will come.  All streams below `streams` get start rules. */
void wpp_builder_end(struct wpp_builder *b, uint32_t streams);
/* After wpp_builder_end(): whether the thread has finished. */
bool wpp_builder_is_done(struct wpp_builder *b);
/* Waits for that, and frees the builder.  Returns the engine's status; *out is
 * NULL after an error. */
int wpp_builder_take(struct wpp_builder *b, seq_piece **out);
/* The same of segments: the caller has the maker again, also after an error. */
int wpp_builder_take_segments(struct wpp_builder *b, struct wpp_segment_maker **maker);

/* Instead of wpp_builder_end(): waits until everything is appended, and frees the builder.
 * Returns the engine's status; the caller has the grammar again, also after an error. */
int wpp_builder_give_back(struct wpp_builder *b, seq **grammar);

/* The figures of a moment ago. */
struct seq_stats wpp_builder_stats(struct wpp_builder *b);

#endif
