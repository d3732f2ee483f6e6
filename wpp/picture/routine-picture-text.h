/* SPDX-License-Identifier: MIT */
/* routine-picture-text.h - a routine's flow graph in Graphviz' language.  Does not use Graphviz' libraries. */
#ifndef WPP_ROUTINE_PICTURE_TEXT_H
#define WPP_ROUTINE_PICTURE_TEXT_H

#include <stdio.h>

#include "wpp/picture/routine-picture.h"

/* Writes a digraph: blocks with their lines, as the source has them if it is there, and executions; edges
 * with counts, dashed where they were missed, and with a stripe for each of the dearest paths; a
 * legend.  False: no memory. */
bool routine_picture_text_write(FILE *out, const struct path_profile *p, const struct routine_picture *g);

#endif
