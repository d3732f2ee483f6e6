/* SPDX-License-Identifier: GPL-3.0-or-later */
/* routines.h - the routines that a plan is made of: those of programs' path tables, or those of a
 * profile with their counts.
 */
#ifndef WPP_P3_ROUTINES_H
#define WPP_P3_ROUTINES_H

#include "gcc-plugin/partition/plan.h"
#include "wpp/base/arena.h"
#include "wpp/wpp.h"

struct routine_list {
    uint32_t n, capacity;
    struct p3_routine *routine;
    uint32_t kind;                       /* enum wpp_profile_kind of all; 0: there is none yet */
    struct wpp_part_of_profile part;     /* what the programs' code counts of these paths */
    bool mixed;                          /* not all of it does the same */
    uint32_t n_modules;                  /* programs and libraries with a path table */
    struct wpp_arena arena;              /* names, counts */
};

void routine_list_free(struct routine_list *l);

/* The DAG of a description; NULL without memory.  It was checked when it was read. */
struct pn_graph *graph_of_routine(const struct wpp_routine *r);

/* Adds the routines of a program's or library's path table, without counts.  A file that is none, or
 * has no path table, adds nothing.  False with an error: the table is broken, or out of memory. */
bool routine_list_add_module(struct routine_list *l, const char *path, struct wpp_error *error);

/* Adds the routines of a profile or WPP, with counts.  False without memory. */
bool routine_list_add_profile(struct routine_list *l, const wpp *w);

/* Adds the programs and libraries of a folder and those in it. */
bool routine_list_add_folder(struct routine_list *l, const char *folder, struct wpp_error *error);

#endif
