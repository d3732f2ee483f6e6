/* SPDX-License-Identifier: MIT */
/* columns.h - a table by columns: all values of one field, then all of the next.
 *
 *      | n | bytes of column 0, 1 ... n-1 | column 0 | column 1 | ... |
 *
 * Values of one field resemble each other, so zstd packs them better than whole records.
 */
#ifndef WPP_COLUMNS_H
#define WPP_COLUMNS_H

#include "wpp/base/bytes.h"

/* Appends the n columns, without empty ones at the end, and frees them.  A failure of one of them is
 * passed on. */
void wpp_put_columns(struct wpp_bytes *b, struct wpp_bytes *columns, unsigned n);

/* The first n columns; those behind the last are empty, and more than n are skipped.  False:
 * malformed. */
bool wpp_get_columns(struct wpp_view *v, struct wpp_view *columns, unsigned n);

#endif
