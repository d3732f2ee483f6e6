/* SPDX-License-Identifier: MIT */
/* container.h - the outside of a WPP file: header, section table, sections.
 *
 *   | magic | version, n | file size | checksum | n entries | section | section | ... |
 *   0       8            16          24         32          32 + 40 n               file size
 *
 * Sections lie end to end in the order of the table and reach to the end of the
 * file, and every byte is under one of the checksums: docs/wpp-format.md.
 */
#ifndef WPP_CONTAINER_H
#define WPP_CONTAINER_H

#include "wpp/bytes.h"
#include "wpp/wpp.h"

#define WPP_FILE_VERSION 2u
#define WPP_FILE_VERSION_SEGMENTS 3u /* has segments instead of a grammar */

enum wpp_section_kind {
    WPP_SECTION_SUMMARY = 1,
    WPP_SECTION_MODULES = 2,
    WPP_SECTION_ROUTINES = 3,
    WPP_SECTION_TERMINALS = 4,
    WPP_SECTION_THREADS = 5,
    WPP_SECTION_GRAMMAR = 6,
    WPP_SECTION_CHUNKS = 7,
    WPP_SECTION_LEFT_OUT = 8,    /* these two may be missing */
    WPP_SECTION_TIMES = 9,
    WPP_SECTION_SEGMENTS = 10    /* in the place of a grammar */
};

enum { WPP_MAX_SECTIONS = 64 };

/* A section in memory, as it is given to the writer and handed out by the reader. */
struct wpp_section {
    uint32_t kind;
    uint64_t stored;             /* bytes in the file (set by the writer too) */
    bool dense;                  /* a code already: the writer stores it as it is */
    bool elsewhere;              /* the last one: who writes the file puts it behind what is
                                    in memory; `stored` and `check` are known */
    uint64_t check;
    struct wpp_bytes content;
};

/* Compresses the sections into a whole file, but for what lies elsewhere.  WPP_E_MEMORY. */
bool wpp_container_write(struct wpp_section *sections, uint32_t n, struct wpp_bytes *out,
                         struct wpp_error *error);

struct wpp_container {
    const uint8_t *file;
    uint64_t size;
    uint32_t n;
};

/* Verifies the header and all checksums of a whole file in memory, which must
 * outlive the container.  `path` is for messages.  WPP_E_FORMAT, _VERSION,
 * _DAMAGED, _INCOMPLETE. */
bool wpp_container_open(struct wpp_container *c, const void *file, size_t size, const char *path,
                        struct wpp_error *error);

/* Whether it is of the version that has segments. */
bool wpp_container_is_cut(const struct wpp_container *c);
bool wpp_container_has(const struct wpp_container *c, uint32_t kind);

/* Decompresses the section of out->kind, which must be there exactly once.
 * WPP_E_DAMAGED, WPP_E_MEMORY. */
bool wpp_container_load(const struct wpp_container *c, struct wpp_section *out, const char *path,
                        struct wpp_error *error);

#endif
