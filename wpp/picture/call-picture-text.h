/* SPDX-License-Identifier: MIT */
/* call-picture-text.h - a call graph in Graphviz' language.  Does not use Graphviz' libraries. */
#ifndef WPP_CALL_PICTURE_TEXT_H
#define WPP_CALL_PICTURE_TEXT_H

#include <stdio.h>

#include "wpp/picture/call-picture.h"

/* Writes a digraph: routines with their shares of the cost, inclusive and own, and calls; edges with
 * how often they were called and as wide as that cost; what was folded; a legend. */
void call_picture_text_write(FILE *out, const wpp *w, const struct call_picture *g);

#endif
