/* SPDX-License-Identifier: MIT */
/* string-finder.h - where in a run a string of terminals occurs, such as a hot subpath.
 *
 * The grammar is read as an automaton reads a text (Knuth, Morris, Pratt): its state says how much of the string the
 * last events are.  What a rule does depends on the state in which it begins:
 *
 *      (rule, state before)  ->  state behind, occurrences that end in it
 *
 * Only the pairs that the run has are made, each once.  Occurrences may overlap.
 */
#ifndef WPP_STRING_FINDER_H
#define WPP_STRING_FINDER_H

#include "wpp/wpp.h"

struct string_finder;

enum string_state { STRING_MORE, STRING_READY, STRING_NO_MEMORY };

/* n > 0; the terminals are copied.  NULL: no memory, or the grammar is missing.  `w` must live on.  It can answer when
 * string_finder_go_on() has said that it is ready. */
struct string_finder *string_finder_begin(const wpp *w, const uint32_t *terminals, uint32_t n,
                                          struct wpp_error *error);
/* Goes on by so many symbols.  Cost of all parts: O(grammar * the states in which rules begin), mostly one or two. */
enum string_state string_finder_go_on(struct string_finder *f, uint64_t symbols);
void string_finder_free(struct string_finder *f);

/* How many occurrences begin in the first `event` events of a thread; event <= tokens.  Cost: O(d * the longest
 * right-hand side of a rule that is no start rule). */
uint64_t string_finder_count(const struct string_finder *f, uint32_t thread, uint64_t event);
/* The event at which occurrence k of the thread begins, from 0.  False: there are no more than k.  Likewise. */
bool string_finder_nth(const struct string_finder *f, uint32_t thread, uint64_t k, uint64_t *event);

#endif
