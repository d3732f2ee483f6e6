/* SPDX-License-Identifier: MIT */
/* builder.h - the grammar of a segment, built by a thread of its own.
 *
 *      wpp_builder_new -> wpp_builder_append ... -> wpp_builder_end -> wpp_builder_take
 *
 *      caller:  | piece |  first -> | piece | -> | piece | <- last     the thread
 *               terminals of one stream                                appends, encodes
 *
 * What is appended waits in a queue.  So several segments are built at a time, while the caller
 * reads the next one: the grammar is what it would be without the thread, since the engine does
 * not mind in what pieces its input comes.
 */
#ifndef WPP_BUILDER_H
#define WPP_BUILDER_H

#include "sequitur/sequitur.h"
#include "wpp/compress/finish-grammar.h"
#include "wpp/format/segments.h"

struct wpp_builder;

/* Takes the grammar, to which more is to be appended.  `bounded`: who appends waits where a few
 * million terminals do.  NULL: there is no memory or no thread, and the grammar is still the
 * caller's. */
struct wpp_builder *wpp_builder_new(seq *grammar, bool bounded);
/* Also while the thread works: drops the grammar. */
void wpp_builder_free(struct wpp_builder *b);

/* As seq_append: SEQ_OK, SEQ_E_NOMEM, or as soon as it is known what the engine said of something
 * that was appended before. */
int wpp_builder_append(struct wpp_builder *b, uint32_t stream, const uint32_t *terminals,
                       size_t n);

/* Nothing more is to come: all streams below `streams` have start rules, and the alphabet
 * `terminals` of them.  wpp_finish_grammar() takes `anew` and `enough`. */
void wpp_builder_end(struct wpp_builder *b, uint32_t streams, uint32_t terminals,
                     enum wpp_anew anew, const bool *enough);
/* After that. */
bool wpp_builder_is_done(struct wpp_builder *b);
/* Waits until it is, and frees the builder.  The engine's status. */
int wpp_builder_take(struct wpp_builder *b, struct wpp_segment *out);

/* Instead of wpp_builder_end: waits until all is appended, and frees the builder.  The engine's
 * status; the grammar is the caller's again, also when it has failed. */
int wpp_builder_give_back(struct wpp_builder *b, seq **grammar);

/* As they were a moment ago. */
struct seq_stats wpp_builder_stats(struct wpp_builder *b);

#endif
