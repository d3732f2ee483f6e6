/* SPDX-License-Identifier: MIT */
/* routine-columns.h - the section `routines` of a WPP file.
 *
 *      columns   strings | units, sources | unit of each routine | base of each | name of each | ...
 *                ... | shape of each block | target of each edge | ... | line of each line | ...
 *
 * What follows from the rest is not written: the values of edges, because paths are numbered
 * densely; and mostly the edges from ENTRY to where paths go on, because those that end say where.
 * A line is written as the distance from the line before it of the same code, inlined or not; the
 * first line of an inlined call, as that from where code of the same callee began before.
 *
 * Files from before had rows: routines as in path tables.  Everything that is read is checked.
 */
#ifndef WPP_ROUTINE_COLUMNS_H
#define WPP_ROUTINE_COLUMNS_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/format/content.h"
#include "wpp/wpp.h"

/* Of routines, `shown`, `module`, `directory` and `stage` are not set.  Units are in range; modules
 * are not checked. */
struct wpp_routine_tables {
    uint32_t n_units, n_routines, n_sources;
    struct wpp_unit_content *units;
    struct wpp_routine *routines;
    uint32_t *unit_of, *bases;       /* by routine; base + num_paths - 1 is at most 2^32 - 1 */
    struct wpp_source *sources;
};

/* Writes the units, routines and sources of the content.  A failure is in b->failed. */
void wpp_put_routine_columns(struct wpp_bytes *b, const struct wpp_content *content);

/* Reads the section; strings and arrays go to the arena.  False: malformed, or no memory
 * (arena->failed).  Cost: O(bytes). */
bool wpp_get_routine_columns(struct wpp_view *v, struct wpp_arena *arena,
                             struct wpp_routine_tables *out);
bool wpp_get_routine_rows(struct wpp_view *v, struct wpp_arena *arena,
                          struct wpp_routine_tables *out);

#endif
