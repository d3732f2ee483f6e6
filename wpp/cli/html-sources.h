/* SPDX-License-Identifier: MIT */
/* html-sources.h - packs what a page holds beside a WPP: C++ names, and sources of executed routines as
 * report/page-sources.h reads them.
 *
 * A file of up to HTML_WHOLE_FILE bytes is there as a whole; of a longer one, the lines of executed routines.
 */
#ifndef WPP_HTML_SOURCES_H
#define WPP_HTML_SOURCES_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

enum { HTML_WHOLE_FILE = 256 << 10, HTML_ALL_SOURCES = 8 << 20 };

/* Adds the block, compressed.  *left_out: files that were found, but not packed since there are
 * HTML_ALL_SOURCES bytes already.  `texts`: without it there are names alone.  False: no memory.
 * Cost: the sources are read. */
bool html_sources_pack(struct wpp_bytes *out, const wpp *w, bool texts, uint32_t *left_out);

#endif
