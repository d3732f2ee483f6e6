/* SPDX-License-Identifier: MIT */
/* finish-grammar.h - the last steps of building a grammar, whoever builds it. */
#ifndef WPP_FINISH_GRAMMAR_H
#define WPP_FINISH_GRAMMAR_H

#include "sequitur/sequitur.h"

/* Which finished grammars are parsed anew (seq_reparse). */
enum wpp_anew {
    WPP_ANEW_SMALL,    /* once, those that take no time worth the name */
    WPP_ANEW_ALL,      /* WPP_ANEW_ROUNDS times each */
    WPP_ANEW_NEVER
};
/* The third still saves a third of a percent, a fourth half of that. */
enum { WPP_ANEW_ROUNDS = 3 };

/* Nothing more is to come, and all streams below `streams` have start rules, also those without
 * events: finishes the grammar.  `enough` is for seq_reparse().  The engine's status. */
int wpp_finish_grammar(seq *grammar, uint32_t streams, enum wpp_anew anew, const bool *enough);

#endif
