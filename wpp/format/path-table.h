/* SPDX-License-Identifier: MIT */
/* path-table.h - routines in the encoding of docs/path-table-format.md.
 *
 * The plugin's tables (section `.wpp` of a module) and the tables inside a WPP file share one
 * encoding of a routine; only the data around it differ.  Everything that is decoded is checked:
 * each decoded routine is an acyclic graph whose edges' values number its paths densely.
 */
#ifndef WPP_PATH_TABLE_H
#define WPP_PATH_TABLE_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/base/intern.h"
#include "wpp/wpp.h"

struct wpp_string_table {
    uint32_t n;
    const char **text;
};

/* varint n and n strings, copied into the arena.  False: malformed, or no
 * memory (arena->failed). */
bool wpp_parse_strings(struct wpp_view *v, struct wpp_arena *arena, struct wpp_string_table *out);

/* Parses one routine with the size in front; strings and arrays go to the arena.  Does not set
 * module and directory.  False as above. */
bool wpp_parse_routine(struct wpp_view *v, const struct wpp_string_table *strings,
                       struct wpp_arena *arena, struct wpp_routine *out);

/* The same, and of a routine whose edges were counted the paths without a counter: their counts
 * follow in this order, each from the flow at a vertex (docs/path-table-format.md). */
struct wpp_derived {
    uint32_t path, vertex;
};
struct wpp_derived_list {
    uint32_t n;
    struct wpp_derived *list;      /* the arena's */
};

/* Of a routine of which a copy of a partitioned profile counts some paths: their edges, ascending,
 * and what each adds to a path's identifier. */
struct wpp_selected {
    uint32_t edge;
    uint64_t val;
};
struct wpp_selection {
    bool partial;                  /* false: all paths are counted, by their numbers */
    uint32_t n;
    struct wpp_selected *list;     /* the arena's */
};

bool wpp_parse_counted_routine(struct wpp_view *v, const struct wpp_string_table *strings,
                               struct wpp_arena *arena, struct wpp_routine *out,
                               struct wpp_derived_list *derived, struct wpp_selection *selection);

/* The number of the path that has this identifier.  False: only paths have it that are not counted.
 * With `left`, of the first path that has the same edges until it is in that block; false also if
 * the path is never there.  The selection is partial. */
bool wpp_selected_path(const struct wpp_routine *routine, const struct wpp_selection *selection,
                       uint64_t identifier, uint32_t left, uint64_t *number);

/* Gives the edges of a routine, whose sources ascend, their values, and sets num_paths.  Edges that
 * no path goes through keep theirs.  False: there is a cycle or a path that ends nowhere, there are
 * more than 2^32 - 1 paths, or no memory (arena->failed). */
bool wpp_number_routine(struct wpp_routine *routine, struct wpp_arena *arena);

void wpp_put_routine(struct wpp_bytes *b, struct wpp_intern *strings,
                     const struct wpp_routine *routine);

/* Of a number within the routine or a WPP_LEFT_PATH(): the path's number; *left: the block, or 0. */
uint64_t wpp_path_until(const struct wpp_routine *routine, uint64_t number, uint32_t *left);

/* Stores the edges of path `number` in out, or those of a WPP_LEFT_PATH() up to its block; returns
 * how many, at most n_blocks.  0: that path does not go through the block.  Only for routines that
 * were checked. */
uint32_t wpp_path_edges(const struct wpp_routine *routine, uint64_t number, uint32_t *out);

/* Parses a routine that is not instrumented; does not set its module.  False: malformed. */
bool wpp_parse_left_out(struct wpp_view *v, const struct wpp_string_table *strings,
                        struct wpp_left_out *out);

/* Parses a source file's hash; with `directory`, the directory's number is in front, else that
 * field is not set.  False: malformed. */
bool wpp_parse_source(struct wpp_view *v, const struct wpp_string_table *strings, bool directory,
                      struct wpp_source *out);

/* Reads which part of a partitioned profile it is.  False: malformed. */
bool wpp_get_part(struct wpp_view *v, struct wpp_part_of_profile *out);

/* ---- Unit tables, one per object in a module's section `.wpp` --------------- */

struct wpp_unit_routine {
    uint64_t first_path;           /* sum of num_paths of the routines before it */
    uint64_t num_paths;
    struct wpp_view encoded;       /* input of wpp_parse_routine */
};

/* What a unit's code does at the end of a path.  ORDER MODE: gcc-plugin/table/unit-table.h; others
 * than WPP_MODE_TRACED are enum wpp_profile_kind. */
enum { WPP_MODE_TRACED = 0 };

struct wpp_unit_table {
    uint64_t id;
    struct wpp_string_table strings;
    const char *compiler, *source, *directory;
    uint32_t stage, level;
    uint32_t mode;
    struct wpp_part_of_profile part;   /* of a partitioned profile */
    uint64_t paths;
    uint32_t n_routines, n_left_out;
    struct wpp_unit_routine *routines;
    struct wpp_left_out *left_out;     /* module is not set */
    uint32_t n_sources;
    struct wpp_source *sources;        /* directory is the unit's */
};

struct wpp_unit_body {
    uint64_t id;                   /* a checksum of the body */
    struct wpp_view body;
};

/* Takes the next table of a section.  1: there was one, 0: the end, -1: malformed. */
int wpp_next_unit(struct wpp_view *section, struct wpp_unit_body *unit);

/* Whether each id is its body's checksum. */
bool wpp_check_units(const struct wpp_unit_body *units, size_t n);

/* Decodes a body, but not the insides of its routines.  False as above. */
bool wpp_parse_unit(struct wpp_view body, struct wpp_arena *arena, struct wpp_unit_table *out);

#endif
