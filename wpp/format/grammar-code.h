/* SPDX-License-Identifier: MIT */
/* grammar-code.h - the grammar as the steps that build it.
 *
 * docs/wpp-format.md, section "Grammar", defines the steps; in short, a stack
 * machine whose program is the start rules in postfix:
 *
 *      new terminal            pushes the next terminal
 *      symbol                  pushes a known symbol, which is named by its first terminal and
 *                              its number among the symbols with that first terminal
 *      reduce n                makes the top n symbols the next rule's body and replaces them
 *                              by the rule
 *      end                     makes the symbols on the stack a thread's start rule
 *
 * grammar-model.h gives the probability of each; bit-coder.h makes bytes of them.  If nothing can
 * be predicted, as with random words, the code is an even one: its first number is larger by
 * WPP_GRAMMAR_EVEN.
 *
 * So a rule is written at its first use and needs no number there.  No program can describe a rule
 * that uses itself.
 */
#ifndef WPP_GRAMMAR_CODE_H
#define WPP_GRAMMAR_CODE_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* There are fewer terminals than this. */
#define WPP_GRAMMAR_EVEN (UINT32_C(1) << 30)
#define WPP_GRAMMAR_LANES (UINT32_C(1) << 31)

/* g must be numbered as wpp.h says, its terminals by first occurrence.  False:
 * no memory. */
bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out);
/* The same, but a large grammar is written in lanes (lane-code.h): these take a few per cent more,
 * and are read several times as fast. */
bool wpp_grammar_encode_fast(const struct wpp_grammar *g, struct wpp_bytes *out);

/* The forms of codes that older readers do not know. */
enum { WPP_FORM_EVEN = 1, WPP_FORM_LANES = 2 };
/* Which one that is, or 0. */
unsigned wpp_grammar_forms(const struct wpp_bytes *code);

/* The code, in lanes, of a grammar that comes step by step, as struct seq_steps has them.  Terminals may have
 * any numbers below 2^30; they get those of their first occurrence. */
struct wpp_grammar_coder;

/* even: the even code.  NULL: no memory. */
struct wpp_grammar_coder *wpp_grammar_coder_new(bool even);
void wpp_grammar_coder_free(struct wpp_grammar_coder *coder);
/* The steps: false: no memory, or wpp_grammar_coder_gives_up(). */
bool wpp_grammar_coder_symbol(void *coder, uint32_t symbol);
bool wpp_grammar_coder_reduce(void *coder, uint64_t n, uint32_t begin);
/* The thread's start rule ends. */
bool wpp_grammar_coder_end(struct wpp_grammar_coder *coder);
/* Whether the even code is to be used instead: another coder must begin again. */
bool wpp_grammar_coder_gives_up(const struct wpp_grammar_coder *coder);
/* Terminals so far. */
uint32_t wpp_grammar_coder_terminals(const struct wpp_grammar_coder *coder);
/* All threads have ended.  Writes the code, and order[new] = old, room for n, for all terminals, which
 * must be n.  False: no memory, or it gives up. */
bool wpp_grammar_coder_finish(struct wpp_grammar_coder *coder, struct wpp_bytes *out, uint32_t *order,
                              uint32_t n);

/* Behind a code in lanes: how often each terminal, by its new number, is derived; *longest: events of
 * the longest rule.  False: no memory. */
bool wpp_grammar_coder_counts(const struct wpp_grammar_coder *coder, uint64_t *counts,
                              uint64_t *longest);

/* Only the numbers with which a code begins; the arrays are NULL.  False: they make no sense. */
bool wpp_grammar_totals(struct wpp_view code, struct wpp_grammar *out, uint64_t *n_symbols);

/* Reads all of a code (grammar-reader.h reads parts).  Arrays from malloc, to be freed by wpp_grammar_release.  WPP_E_MEMORY, or WPP_E_DAMAGED with a
 * text about the error (without a file name). */
bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error);
void wpp_grammar_release(struct wpp_grammar *g);

#endif
