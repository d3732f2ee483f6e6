/* SPDX-License-Identifier: MIT */
/* finish-grammar.h - the last steps of building a grammar, for all its builders. */
#ifndef WPP_FINISH_GRAMMAR_H
#define WPP_FINISH_GRAMMAR_H

#include "sequitur/sequitur.h"

/* Which finished grammars are parsed anew (seq_reparse). */
enum wpp_anew {
    WPP_ANEW_SMALL,    /* once, if that takes hardly any time */
    WPP_ANEW_ALL,      /* WPP_ANEW_ROUNDS times each */
    WPP_ANEW_NEVER
};
/* The third round still saves a third of a percent, a fourth one half of that. */
enum { WPP_ANEW_ROUNDS = 3 };

/* Finishes the grammar after the last terminal.  All streams below `streams` get start rules,
 * also those without events.  `enough` is for seq_reparse().  Returns the engine's status. */
int wpp_finish_grammar(seq *grammar, uint32_t streams, enum wpp_anew anew, const bool *enough);

/* The same for a grammar on a base, which ends as a piece (seq_end_piece). */
int wpp_finish_piece(seq *grammar, uint32_t streams, seq_piece **out);

#endif
