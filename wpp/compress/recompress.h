/* SPDX-License-Identifier: MIT */
/* recompress.h - a WPP file as a smaller one that says the same.
 *
 *      | summary ... | grammar |   ->   | summary ... | parsed anew |
 *
 * Its grammar is parsed anew (seq_reparse), or that of each of its segments; all else stays as it
 * is. */
#ifndef WPP_RECOMPRESS_H
#define WPP_RECOMPRESS_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* Whether it begins as a WPP file does. */
bool wpp_recompress_knows(const void *bytes, size_t n);
enum { WPP_IMPROVE_KNOWS = 8 };      /* bytes that it needs for that */

/* `file` is a whole file, `path` its name in messages.  The file that wpp_compress_best() would
 * have made of the same trace, where that has one thread and is one piece, and its grammar was not
 * so small as to be parsed anew already.  WPP_E_FORMAT, _VERSION, _DAMAGED, _INCOMPLETE, _MEMORY. */
bool wpp_recompress(struct wpp_view file, const char *path, struct wpp_bytes *out,
                    struct wpp_error *error);

#endif
