/* SPDX-License-Identifier: MIT */
/* call-graph-text.h - a call graph in Graphviz' language.  Does not use Graphviz' libraries. */
#ifndef WPP_CALL_GRAPH_TEXT_H
#define WPP_CALL_GRAPH_TEXT_H

#include <stdio.h>

#include "wpp/picture/call-graph.h"

/* Writes a digraph: routines with their shares of the cost, inclusive and own, and calls; edges with
 * how often they were called and as wide as that cost; what was folded; a legend. */
void call_graph_text_write(FILE *out, const wpp *w, const struct call_graph *g);

#endif
