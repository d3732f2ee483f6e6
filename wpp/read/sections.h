/* SPDX-License-Identifier: MIT */
/* sections.h - reads the content of each section of a WPP file.  Internal to libwpp. */
#ifndef WPP_SECTIONS_H
#define WPP_SECTIONS_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/format/container.h"
#include "wpp/read/reader.h"

/* State of the reading that the open file need not keep. */
struct loading {
    struct wpp *w;
    struct wpp_arena *arena;
    const char *path;
    struct wpp_error *error;
    bool intact_only;                   /* leave out what is not intact: wpp_open_intact() */
    bool figures_only;                  /* wpp_open_figures() */
    bool unread;                        /* wpp_open_unread() */
    bool columns;                       /* routines and chunks stand by columns */
    bool has_executed;                  /* the terminals say how often they were executed */
};

/* Whether one of these parts is missing in the sections read so far. */
bool section_lacks(const struct loading *l, unsigned parts);

/* The readers, in the order of reading.  `get` fails with l->error, or without an error if the
 * content makes no sense. */
struct section_reader {
    uint32_t kind;
    const char *name;
    bool (*get)(struct loading *, struct wpp_view *);
    enum presence { ALWAYS, AT_TIMES, IF_THERE, ONE_PIECE, IN_SEGMENTS, IN_ORDER,
                    IN_PROFILE } presence;
    unsigned part;
    unsigned needs;                     /* the section is useless when all of these are missing */
};

enum { N_SECTION_READERS = 12 };
extern const struct section_reader section_readers[N_SECTION_READERS];

/* death-section.c */
bool section_get_deaths(struct loading *l, struct wpp_view *v);

/* For sections that name modules and describe routines. */
bool section_get_module(struct loading *l, struct wpp_view *v, uint32_t *module);
const char *section_module_path(const struct loading *l, uint32_t module);
bool section_show_names(struct loading *l, struct wpp_routine *r);     /* false: no memory */

/* A file has a grammar or segments, or is a path profile.  A file whose table is lost may have had
 * any of these. */
bool section_is_expected(const struct section_reader *reader, const struct wpp_container *c);

#endif
