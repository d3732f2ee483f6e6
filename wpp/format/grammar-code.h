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

/* g must be numbered as wpp.h says, its terminals by first occurrence.  False:
 * no memory. */
bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out);
/* Whether wpp_grammar_encode() has written an even code. */
bool wpp_grammar_is_even(const struct wpp_bytes *code);

/* Arrays from malloc, to be freed by wpp_grammar_release.  WPP_E_MEMORY, or WPP_E_DAMAGED with a
 * text about the error (without a file name). */
bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error);
void wpp_grammar_release(struct wpp_grammar *g);

#endif
