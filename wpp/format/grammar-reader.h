/* SPDX-License-Identifier: MIT */
/* grammar-reader.h - reads the code of a grammar (grammar-code.h), from its beginning on as far as is wanted.
 *
 * Rules are written where they are used first.  So wherever the reading pauses, the rules that have come
 * and the symbols on the stack are a grammar of the run's beginning:
 *
 *      code      a b  2 -> R0  R0 R0  c  3 -> R1  R1 a | b c ...
 *                                                      ^ here: R0 = a b, R1 = R0 R0 c, start rule R1 R1 a
 *
 * A code in lanes pauses at the end of a block, other codes at their end alone.
 */
#ifndef WPP_GRAMMAR_READER_H
#define WPP_GRAMMAR_READER_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct wpp_grammar_reader;

/* How far: until the start rules so far derive n of what is counted, in a thread or in all together. */
struct wpp_reading_goal {
    uint32_t thread;             /* or WPP_ALL_THREADS */
    const uint32_t *weights;     /* by terminal: how many one execution of it is; NULL: 1 each */
    uint64_t n;
};

/* Reads the totals with which the code begins.  The code must live as long.  NULL: WPP_E_MEMORY, WPP_E_DAMAGED
 * with a text without a file name. */
struct wpp_grammar_reader *wpp_grammar_reader_new(struct wpp_view code, struct wpp_error *error);
/* Frees the grammar, too. */
void wpp_grammar_reader_free(struct wpp_grammar_reader *r);

/* Reads on to the goal, or to the end of the code if there is less.  False: as above, and nothing more can be
 * read.  Cost: O(symbols read), and O(grammar so far) for a goal with weights. */
bool wpp_grammar_reader_go_on(struct wpp_grammar_reader *r, const struct wpp_reading_goal *goal,
                              struct wpp_error *error);
/* Whether all has been read. */
bool wpp_grammar_reader_is_done(const struct wpp_grammar_reader *r);
/* Threads whose start rules are complete. */
uint32_t wpp_grammar_reader_threads(const struct wpp_grammar_reader *r);

/* The grammar so far: all threads, those that have not begun with empty start rules, and the terminals of the
 * whole one.  Its arrays are valid until the reader goes on.  Cost: O(start rules). */
void wpp_grammar_reader_show(struct wpp_grammar_reader *r, struct wpp_grammar *out);
/* Once all has been read: the grammar, for wpp_grammar_release().  The reader has none then. */
void wpp_grammar_reader_take(struct wpp_grammar_reader *r, struct wpp_grammar *out);
bool wpp_grammar_reader_has_given(const struct wpp_grammar_reader *r);

#endif
