/* SPDX-License-Identifier: MIT */
/* dap-sources.h - the source files of a run, as the compiler was given them and as an editor knows them.
 *
 *      directory         file          path                 path after a map of /build to /home/ann
 *      /build/src        ../inc/a.h    /build/inc/a.h       /home/ann/inc/a.h
 */
#ifndef WPP_DAP_SOURCES_H
#define WPP_DAP_SOURCES_H

#include "wpp/replay/source-changes.h"
#include "wpp/wpp.h"

struct dap_source {
    const char *directory, *file;  /* struct wpp_routine and wpp_line; they belong to the wpp */
    char *path;
    bool there, changed;
    bool told;                     /* what is wrong with it has been said */
};

/* Replaces the beginning of paths. */
struct dap_map {
    char *from, *to;
};

struct dap_sources {
    struct dap_source *each;       /* by directory and file */
    size_t n;
};

/* All files of executed routines.  False: no memory.  Cost: O(lines of all blocks). */
bool dap_sources_find(struct dap_sources *out, const wpp *w, const struct source_changes *changes,
                      const struct dap_map *maps, size_t n_maps);
void dap_sources_free(struct dap_sources *s);

/* NULL: there is none. */
struct dap_source *dap_source_of(const struct dap_sources *s, const char *directory, const char *file);

/* The files that an editor's path means: those that have it, or else those whose last parts are most like its
 * own.  Writes their places up to `room`, and returns how many there are.  0: none has its name, or (*several)
 * different ones are equally like it. */
size_t dap_sources_like(const struct dap_sources *s, const char *path, size_t *out, size_t room, bool *several);

/* A path without `.`, `..` and double slashes.  NULL: no memory. */
char *dap_normal_path(const char *directory, const char *file);

#endif
