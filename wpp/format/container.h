/* SPDX-License-Identifier: MIT */
/* container.h - the outer structure of a WPP file: header, section table, sections.
 *
 *   | magic | version, n | file size | checksum | n entries | section | section | ... |
 *   0       8            16          24         32          32 + 40 n               file size
 *
 * Sections lie end to end in the order of the table and reach to the end of the file.  One of the
 * checksums covers each byte: docs/wpp-format.md.
 */
#ifndef WPP_CONTAINER_H
#define WPP_CONTAINER_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* In a file it is WPP_FILE_VERSION_COLUMNS more, but for files from before. */
#define WPP_FILE_VERSION 6u
#define WPP_FILE_VERSION_SEGMENTS 7u /* has segments instead of a grammar */
#define WPP_FILE_VERSION_EVEN 2u     /* added to either: a grammar has an even code */
#define WPP_FILE_VERSION_PROFILE 10u /* has counts instead of threads, grammar and chunks */
#define WPP_FILE_VERSION_SEGMENT_LANES 11u   /* has segments; the code of one has lanes */
#define WPP_FILE_VERSION_LANES 12u   /* has a grammar whose code has lanes */
#define WPP_FILE_VERSION_LAST WPP_FILE_VERSION_LANES
#define WPP_FILE_VERSION_COLUMNS 8u  /* routines and chunks stand by columns */

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
    WPP_SECTION_SEGMENTS = 10,   /* instead of a grammar; the last in the file */
    WPP_SECTION_SEGMENT_LIST = 11,
    WPP_SECTION_COUNTS = 12,     /* of a path profile, instead of 5, 6 and 7; the last */
    WPP_SECTION_DEATHS = 13,     /* where threads were; may be missing */
    WPP_SECTION_LAST = WPP_SECTION_DEATHS
};

enum { WPP_MAX_SECTIONS = 64 };

/* A section in memory, as input of the writer and output of the reader. */
struct wpp_section {
    uint32_t kind;
    uint64_t stored;             /* bytes in the file (set by the writer too) */
    bool dense;                  /* already a code: the writer stores it as it is */
    unsigned forms;              /* of the codes of grammars in it (grammar-code.h) */
    bool elsewhere;              /* only for the last one: the caller writes its bytes behind
                                    those in memory; `stored` and `check` are known */
    uint64_t check;
    struct wpp_bytes content;
};

/* Compresses the sections into a whole file, apart from one that is `elsewhere`.  WPP_E_MEMORY. */
bool wpp_container_write(struct wpp_section *sections, uint32_t n, struct wpp_bytes *out,
                         struct wpp_error *error);

enum wpp_entry_state {
    WPP_ENTRY_INTACT,
    WPP_ENTRY_DAMAGED,           /* wrong checksum */
    WPP_ENTRY_CUT                /* the file ends before the section does */
};

/* The section table's entry for a section, and the section's state. */
struct wpp_entry {
    uint32_t kind, packing;
    uint64_t offset, stored, raw, check;
    enum wpp_entry_state state;
    bool mended;                 /* intact except for one byte, which is known: */
    uint8_t byte;
    uint64_t mended_at;          /* within the section */
};

enum wpp_head_state {
    WPP_HEAD_RIGHT,
    WPP_HEAD_MENDED,             /* right except for one byte, which is known */
    WPP_HEAD_LOST                /* entries are used if a section confirms them */
};

struct wpp_container {
    const uint8_t *file;
    uint64_t size;               /* bytes that the file has */
    uint64_t whole;              /* bytes that it should have; `size` if that is not known */
    enum wpp_head_state head;
    uint64_t head_mended_at;
    bool misfit;                 /* the sections do not lie end to end, or do not fill the file */
    uint32_t version;            /* WPP_FILE_VERSION to WPP_FILE_VERSION_LAST */
    bool columns;                /* routines and chunks stand by columns, not by rows */
    uint32_t n;
    struct wpp_entry entries[WPP_MAX_SECTIONS];
};

/* Whether a file with these first 8 bytes may be a WPP. */
bool wpp_container_knows(const void *begin);

/* Verifies the header and all checksums of a whole file in memory, which must
 * outlive the container.  `path` is for messages.  WPP_E_FORMAT, _VERSION,
 * _DAMAGED, _INCOMPLETE. */
bool wpp_container_open(struct wpp_container *c, const void *file, size_t size, const char *path,
                        struct wpp_error *error);

/* The same, but for a damaged or cut file the entries tell what is intact.  False as above if
 * nothing is. */
bool wpp_container_salvage(struct wpp_container *c, const void *file, size_t size,
                           const char *path, struct wpp_error *error);

/* Whether the file is of the version with segments. */
bool wpp_container_is_cut(const struct wpp_container *c);
/* Whether the file is of the version of path profiles. */
bool wpp_container_is_profile(const struct wpp_container *c);
bool wpp_container_has(const struct wpp_container *c, uint32_t kind);
/* The first section of this kind or NULL; *n is how many there are. */
const struct wpp_entry *wpp_container_find(const struct wpp_container *c, uint32_t kind,
                                           unsigned *n);

/* Decompresses the section of out->kind, which must be there exactly once and intact.
 * WPP_E_DAMAGED, WPP_E_MEMORY. */
bool wpp_container_load(const struct wpp_container *c, struct wpp_section *out, const char *path,
                        struct wpp_error *error);
/* The same, but a section that is stored as it is is not copied: then out->content is empty.  *view
 * points into the file or to out->content. */
bool wpp_container_view(const struct wpp_container *c, struct wpp_section *out,
                        struct wpp_view *view, const char *path, struct wpp_error *error);

#endif
