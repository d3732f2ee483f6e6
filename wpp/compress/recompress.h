/* SPDX-License-Identifier: MIT */
/* recompress.h - makes a smaller WPP file with the same contents.
 *
 *      | summary ... | grammar |   ->   | summary ... | parsed anew |
 *
 * Its grammar, or that of each of its segments, is parsed anew (seq_reparse); everything else
 * stays the same. */
#ifndef WPP_RECOMPRESS_H
#define WPP_RECOMPRESS_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* Whether the bytes begin like a WPP file. */
bool wpp_recompress_knows(const void *bytes, size_t n);
enum { WPP_IMPROVE_KNOWS = 8 };      /* number of bytes needed for that */

/* `file` is a whole file, `path` its name in messages.  The result is the file that
 * wpp_compress_best() would have made of the same trace, under three conditions.  The trace has
 * one thread and one segment, and its grammar was not small enough to be parsed anew already.
 * WPP_E_FORMAT, _VERSION, _DAMAGED, _INCOMPLETE, _MEMORY. */
bool wpp_recompress(struct wpp_view file, const char *path, struct wpp_bytes *out,
                    struct wpp_error *error);

#endif
