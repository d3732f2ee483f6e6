/* SPDX-License-Identifier: MIT */
/* grammar-code.h - the grammar as the steps that build it.
 *
 * docs/wpp-format.md, section "Grammar", defines the steps; in short, a stack
 * machine whose program is the start rules in postfix:
 *
 *      new terminal            pushes the next terminal
 *      symbol                  pushes one that has been there, named by what it begins
 *                              with and its number among those that begin so
 *      reduce n                the top n symbols become the next rule's body,
 *                              the rule is pushed in their place
 *      end                     what is on the stack is a thread's start rule
 *
 * How likely each is, grammar-model.h says; bit-coder.h makes bytes of that.  Where nothing can be
 * foreseen, as of random words, the code is an even one: its first number is larger by
 * WPP_GRAMMAR_EVEN.
 *
 * A rule is thus written where it is first used and needs no number there, and
 * no program can describe a rule that uses itself.
 */
#ifndef WPP_GRAMMAR_CODE_H
#define WPP_GRAMMAR_CODE_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* There are fewer terminals than that. */
#define WPP_GRAMMAR_EVEN (UINT32_C(1) << 30)

/* g must be numbered as wpp.h says, its terminals by first occurrence.  False:
 * no memory. */
bool wpp_grammar_encode(const struct wpp_grammar *g, struct wpp_bytes *out);
/* Whether what it has written is an even code. */
bool wpp_grammar_is_even(const struct wpp_bytes *code);

/* Arrays from malloc, to be freed by wpp_grammar_release.  WPP_E_MEMORY, or
 * WPP_E_DAMAGED with the text saying what is wrong (no file name). */
bool wpp_grammar_decode(struct wpp_view code, struct wpp_grammar *out, struct wpp_error *error);
void wpp_grammar_release(struct wpp_grammar *g);

#endif
