/* SPDX-License-Identifier: MIT */
/* profile-merge.h - the sum of several path profiles of one program, as a file.
 *
 * A routine of one input is a routine of another if both are the same (same-routine.h), begin at the
 * same line, and are of the same source of a module of the same name: then the counts of their paths
 * are added.  Routines that only have the same name are kept apart.
 *
 *      inputs   main of prog (build 1)   main of prog (build 1)   main of prog (build 2, changed)
 *      output   main: the first two added                         main, again
 */
#ifndef WPP_PROFILE_MERGE_H
#define WPP_PROFILE_MERGE_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct profile_input {
    const wpp *w;              /* a WPP or a path profile, all of whose tables are there */
    const char *path;          /* for messages */
};

/* What the sum does not say. */
struct profile_merged {
    uint32_t n_routines;       /* of the output */
    uint32_t n_apart;          /* routines that differ from one of the same name, and: */
    const struct wpp_routine *apart;     /* the first of them, an input's; NULL: there is none */
    uint64_t unread;           /* executions in modules that could not be read: they are left out */
};

/* WPP_E_ARGUMENT if the inputs count different things, are of different copies of a partitioned
 * profile, or have too many paths for one file; WPP_E_MEMORY.  n is at least 1. */
bool profile_merge(const struct profile_input *inputs, uint32_t n, struct wpp_bytes *out,
                   struct profile_merged *merged, struct wpp_error *error);

/* The same for the copies of one program (wpp-p3), which are differently instrumented and had one
 * run each: one input for each copy.  left_out: of each input, by terminal, whether its executions
 * do not count; of each path, those of all copies but one do not.  Modules of one name are one, and
 * the output is one run. */
bool profile_unite(const struct profile_input *inputs, const bool *const *left_out, uint32_t n,
                   struct wpp_bytes *out, struct profile_merged *merged, struct wpp_error *error);

#endif
