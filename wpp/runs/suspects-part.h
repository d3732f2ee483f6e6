/* SPDX-License-Identifier: MIT */
/* suspects-part.h - what is true of some of a store's runs, as bytes that another process adds to its own.
 *
 *      part process      runs 1 .. 100    suspects_add ...   suspects_put_part ---> file
 *      part process      runs 101 .. 200  ...                                  ---> file
 *      this process                       suspects_take_part, in the order of runs <--'
 *
 * The result is that of adding all runs here, number by number: a part names its predicates in the order in
 * which its runs showed them first.  Routines are named by a process of a run of the store that has them.
 *
 *      u32 "wpr1" | u64 bytes of the tables | u64 their checksum | tables | by run: varint bytes, vector |
 *      u64 checksum of the vectors
 */
#ifndef WPP_SUSPECTS_PART_H
#define WPP_SUSPECTS_PART_H

#include <stdio.h>

#include "wpp/runs/suspects.h"

/* Runs of the part that were left out, and builds of the others. */
struct part_notes {
    uint32_t n_unknown, n_unusable;
    int64_t *builds;           /* each once */
    uint32_t n_builds;
};
void part_notes_free(struct part_notes *n);
/* False: no memory. */
bool part_notes_add_build(struct part_notes *n, int64_t build);

/* Writes all that suspects_add() has added.  Errors of `out` are the caller's to check.  WPP_E_MEMORY,
 * WPP_E_SYSTEM. */
bool suspects_put_part(struct suspects *s, const struct part_notes *notes, FILE *out,
                       struct wpp_error *error);

/* The WPP of a process of a run, or NULL. */
typedef wpp *part_open(void *ctx, int64_t run, uint32_t process, struct wpp_error *error);

/* Adds the runs of a part, `name` for messages, and its notes to *notes.  WPP_E_MEMORY, WPP_E_SYSTEM;
 * WPP_E_DAMAGED: it is no part of this store. */
bool suspects_take_part(struct suspects *s, FILE *in, const char *name, part_open *open, void *ctx,
                        struct part_notes *notes, struct wpp_error *error);

#endif
