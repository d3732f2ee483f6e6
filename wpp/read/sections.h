/* SPDX-License-Identifier: MIT */
/* sections.h - reading what stands in each section of a WPP file.  Internal to libwpp. */
#ifndef WPP_SECTIONS_H
#define WPP_SECTIONS_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/format/container.h"
#include "wpp/read/reader.h"

/* What reading knows and the open file need not keep. */
struct loading {
    struct wpp *w;
    struct wpp_arena *arena;
    const char *path;
    struct wpp_error *error;
    bool intact_only;                   /* what is not intact is left out: wpp_open_intact() */
};

/* Whether one of these parts is missing in what has been read so far. */
bool section_lacks(const struct loading *l, unsigned parts);

/* In the order in which they are read.  `get` fails with l->error, or with none if the content
 * makes no sense. */
struct section_reader {
    uint32_t kind;
    const char *name;
    bool (*get)(struct loading *, struct wpp_view *);
    enum presence { ALWAYS, AT_TIMES, ONE_PIECE, IN_SEGMENTS, IN_ORDER, IN_PROFILE } presence;
    unsigned part;
    unsigned needs;                     /* says nothing when all of these are missing */
};

enum { N_SECTION_READERS = 11 };
extern const struct section_reader section_readers[N_SECTION_READERS];

/* A file has a grammar, or segments, or is a path profile; a file whose table is lost may have had anything. */
bool section_is_expected(const struct section_reader *reader, const struct wpp_container *c);

#endif
