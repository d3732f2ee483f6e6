/* SPDX-License-Identifier: MIT */
/* grammar-join.h - the grammars of a trace's segments as one.
 *
 *      rules       those of the first segment, of the second, ...
 *      start k     the start rules k of all segments, one after the other
 */
#ifndef WPP_GRAMMAR_JOIN_H
#define WPP_GRAMMAR_JOIN_H

#include "wpp/bytes.h"
#include "wpp/wpp.h"

#define WPP_ANY UINT32_MAX           /* terminals or threads: as many as the segments have */

/* `code` is the content of the section `segments`; arrays as of wpp_grammar_decode().
 * WPP_E_MEMORY, or WPP_E_DAMAGED with the text saying what is wrong (no file name). */
bool wpp_grammar_join(struct wpp_view code, uint32_t n_terminals, uint32_t n_threads,
                      struct wpp_grammar *out, uint32_t *n_segments, struct wpp_error *error);

#endif
