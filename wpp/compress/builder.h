/* SPDX-License-Identifier: MIT */
/* builder.h - the grammar of a segment, built by a thread of its own.
 *
 *      wpp_builder_new -> wpp_builder_append ... -> wpp_builder_end -> wpp_builder_take
 *
 *      caller:  | piece |  first -> | piece | -> | piece | <- last     the thread
 *               terminals of one stream                                appends, encodes
 *
 * Appended terminals wait in a queue.  So several segments are built at the same time, while the
 * caller reads the next one.  The grammar is the same as without the thread, because the engine
 * gives the same result for any division of its input into pieces.
 */
#ifndef WPP_BUILDER_H
#define WPP_BUILDER_H

#include "sequitur/sequitur.h"
#include "wpp/compress/finish-grammar.h"
#include "wpp/format/segments.h"

struct wpp_builder;

/* Takes the grammar; terminals are then appended through the builder.  `bounded`: append waits
 * while a few million terminals are in the queue.  NULL: there is no memory or no thread, and
 * the caller keeps the grammar. */
struct wpp_builder *wpp_builder_new(seq *grammar, bool bounded);
/* Drops the grammar; the thread may still be working. */
void wpp_builder_free(struct wpp_builder *b);

/* As seq_append: SEQ_OK, SEQ_E_NOMEM, or the engine's error for earlier terminals, as soon as it
 * is known. */
int wpp_builder_append(struct wpp_builder *b, uint32_t stream, const uint32_t *terminals,
                       size_t n);

/* No more terminals will come.  All streams below `streams` have start rules, and the alphabet
 * has `terminals` terminals.  `anew` and `enough` are for wpp_finish_grammar(). */
void wpp_builder_end(struct wpp_builder *b, uint32_t streams, uint32_t terminals,
                     enum wpp_anew anew, const bool *enough);
/* After wpp_builder_end(): whether the thread has finished. */
bool wpp_builder_is_done(struct wpp_builder *b);
/* Waits for that, and frees the builder.  Returns the engine's status. */
int wpp_builder_take(struct wpp_builder *b, struct wpp_segment *out);

/* Instead of wpp_builder_end(): waits until everything is appended, and frees the builder.
 * Returns the engine's status; the caller has the grammar again, also after an error. */
int wpp_builder_give_back(struct wpp_builder *b, seq **grammar);

/* The figures of a moment ago. */
struct seq_stats wpp_builder_stats(struct wpp_builder *b);

#endif
