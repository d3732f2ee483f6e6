/* SPDX-License-Identifier: MIT */
/* page-sources.h - what a page holds beside the WPP: source text, and C++ names as people read them.
 *
 * One block, compressed by zstd.  Unpacked it is, with the numbers of wpp/base/bytes.h:
 *
 *      block      version 1, n_names, name..., n_files, file...
 *      name       assembler name, shown name
 *      file       directory, name (as in struct wpp_source), changed (u8), n_pieces, piece...
 *      piece      first line, text          ascending; a whole file is one piece that begins at line 1
 */
#ifndef WPP_PAGE_SOURCES_H
#define WPP_PAGE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

enum { PAGE_SOURCES_VERSION = 1 };

struct page_name { const char *name, *shown; };

struct page_piece {
    uint32_t first, n;         /* lines */
    const char *text;
    uint32_t *start;           /* n + 1: where each line begins */
};

struct page_file {
    const char *directory, *name;
    bool changed;              /* since it was compiled */
    uint32_t n_pieces;
    struct page_piece *piece;
};

/* All zero is empty. */
struct page_sources {
    char *strings;             /* all texts */
    uint32_t n_names, n_files;
    struct page_name *name;    /* by name (strcmp) */
    struct page_file *file;
};

/* Reads a block; *error: WPP_E_DAMAGED, WPP_E_MEMORY.  A block of size 0 is empty. */
bool page_sources_read(struct page_sources *s, const void *block, size_t size,
                       struct wpp_error *error);
void page_sources_free(struct page_sources *s);

/* The shown name, or `name` itself. */
const char *page_sources_shown(const struct page_sources *s, const char *name);

/* The file's number, or UINT32_MAX. */
uint32_t page_sources_find(const struct page_sources *s, const char *directory, const char *name);
/* Line `line` without its newline, *length bytes; NULL: it is not there. */
const char *page_sources_line(const struct page_sources *s, uint32_t file, uint32_t line,
                              size_t *length);

#endif
