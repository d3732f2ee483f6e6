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

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

#define WPP_FILE_VERSION 6u
#define WPP_FILE_VERSION_SEGMENTS 7u /* has segments instead of a grammar */
#define WPP_FILE_VERSION_EVEN 2u     /* more than either: a grammar has an even code */
#define WPP_FILE_VERSION_PROFILE 10u /* has counts instead of threads, grammar and chunks */
#define WPP_FILE_VERSION_LAST WPP_FILE_VERSION_PROFILE

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
    WPP_SECTION_SEGMENTS = 10,   /* in the place of a grammar; the last in the file */
    WPP_SECTION_SEGMENT_LIST = 11,
    WPP_SECTION_COUNTS = 12,     /* of a path profile, in the place of 5, 6 and 7; the last */
    WPP_SECTION_LAST = WPP_SECTION_COUNTS
};

enum { WPP_MAX_SECTIONS = 64 };

/* A section in memory, as it is given to the writer and handed out by the reader. */
struct wpp_section {
    uint32_t kind;
    uint64_t stored;             /* bytes in the file (set by the writer too) */
    bool dense;                  /* a code already: the writer stores it as it is */
    bool even;                   /* a grammar's code in it is even (grammar-code.h) */
    bool elsewhere;              /* the last one: who writes the file puts it behind what is
                                    in memory; `stored` and `check` are known */
    uint64_t check;
    struct wpp_bytes content;
};

/* Compresses the sections into a whole file, but for what lies elsewhere.  WPP_E_MEMORY. */
bool wpp_container_write(struct wpp_section *sections, uint32_t n, struct wpp_bytes *out,
                         struct wpp_error *error);

enum wpp_entry_state {
    WPP_ENTRY_INTACT,
    WPP_ENTRY_DAMAGED,           /* wrong checksum */
    WPP_ENTRY_CUT                /* the file ends before it does */
};

/* What the section table says of a section, and what has become of it. */
struct wpp_entry {
    uint32_t kind, packing;
    uint64_t offset, stored, raw, check;
    enum wpp_entry_state state;
    bool mended;                 /* intact but for one byte, which is known: */
    uint8_t byte;
    uint64_t mended_at;          /* within the section */
};

enum wpp_head_state {
    WPP_HEAD_RIGHT,
    WPP_HEAD_MENDED,             /* right but for one byte, which is known */
    WPP_HEAD_LOST                /* entries are believed that a section speaks for */
};

struct wpp_container {
    const uint8_t *file;
    uint64_t size;               /* bytes that are there */
    uint64_t whole;              /* bytes that there should be; `size` where that is not known */
    enum wpp_head_state head;
    uint64_t head_mended_at;
    bool misfit;                 /* the sections do not lie end to end, or do not fill the file */
    uint32_t version, n;
    struct wpp_entry entries[WPP_MAX_SECTIONS];
};

/* Whether a file begins as one of ours does; of its first 8 bytes. */
bool wpp_container_knows(const void *begin);

/* Verifies the header and all checksums of a whole file in memory, which must
 * outlive the container.  `path` is for messages.  WPP_E_FORMAT, _VERSION,
 * _DAMAGED, _INCOMPLETE. */
bool wpp_container_open(struct wpp_container *c, const void *file, size_t size, const char *path,
                        struct wpp_error *error);

/* The same, but of a file that is damaged or cut the entries say what is intact.  False as
 * above when nothing is. */
bool wpp_container_salvage(struct wpp_container *c, const void *file, size_t size,
                           const char *path, struct wpp_error *error);

/* Whether it is of the version that has segments. */
bool wpp_container_is_cut(const struct wpp_container *c);
/* Whether it is of the version of path profiles. */
bool wpp_container_is_profile(const struct wpp_container *c);
bool wpp_container_has(const struct wpp_container *c, uint32_t kind);
/* The first section of this kind or NULL; how many there are to *n. */
const struct wpp_entry *wpp_container_find(const struct wpp_container *c, uint32_t kind,
                                           unsigned *n);

/* Decompresses the section of out->kind, which must be there exactly once and intact.
 * WPP_E_DAMAGED, WPP_E_MEMORY. */
bool wpp_container_load(const struct wpp_container *c, struct wpp_section *out, const char *path,
                        struct wpp_error *error);
/* The same, but what lies in the file as it is is not copied: out->content is empty then.  *view
 * is of the file or of out->content. */
bool wpp_container_view(const struct wpp_container *c, struct wpp_section *out,
                        struct wpp_view *view, const char *path, struct wpp_error *error);

#endif
