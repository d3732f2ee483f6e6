/* SPDX-License-Identifier: MIT */
/* grammar-text.h - a picture in Graphviz' language.  Does not use Graphviz' libraries. */
#ifndef WPP_GRAMMAR_TEXT_H
#define WPP_GRAMMAR_TEXT_H

#include <stdio.h>

#include "wpp/picture/picture.h"

/* Writes a digraph: start rules on top, rules with executions and share of the cost, terminals as
 * leaves with routine and lines, edges in the order of the right-hand sides, colours by share, and
 * a legend with what was left out. */
void grammar_text_write(FILE *out, const wpp *w, const struct picture *picture);

#endif
