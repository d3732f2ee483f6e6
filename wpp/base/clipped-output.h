/* SPDX-License-Identifier: MIT */
/* clipped-output.h - a stream whose lines are cut at the terminal's right edge.
 *
 * The layout of a report tries to fit; this makes sure.  Escape sequences take no column and are
 * never cut, so that colours end where they should.  Wide characters (East Asian, emoji) take two
 * columns, combining ones none.
 */
#ifndef WPP_CLIPPED_OUTPUT_H
#define WPP_CLIPPED_OUTPUT_H

#include <stdio.h>

/* Lines of at most `columns` (> 0) go on to `to`, which stays open when this stream is closed.
 * NULL: no memory. */
FILE *clipped_open(FILE *to, unsigned columns);

/* Columns that UTF-8 text of `n` bytes takes; no escape sequences, no tabs. */
unsigned clipped_width(const char *text, size_t n);

#endif
