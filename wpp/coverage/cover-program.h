/* SPDX-License-Identifier: MIT */
/* cover-program.h - the routines of a program, executed or not, and what some runs executed of them.
 *
 *      run 1: routines a b    paths a/0 b/2        bodies    a b c d
 *      run 2: routines b c    paths b/2 c/0   -->  paths     a/0 b/2 b/2 c/0, each with its count
 *      path tables of the modules on disk: a b c d
 *
 * A body is a routine as one unit (object file) of a module has it.  Bodies of several runs are one
 * if both are the same (wpp/profile/same-routine.h), begin at one line, and are of the same source
 * of a module of the same name.  An inline function is a body of each unit that has it, though the
 * linker keeps one of them.
 */
#ifndef WPP_COVER_PROGRAM_H
#define WPP_COVER_PROGRAM_H

#include "wpp/base/arena.h"
#include "wpp/trace/moved.h"
#include "wpp/wpp.h"

struct cover_input {
    const wpp *w;              /* a WPP or a path profile, all of whose tables are there */
    const char *path;          /* for messages */
};

struct cover_body {
    const struct wpp_routine *routine;
    const char *module, *source;       /* path of the module; main source file of the unit */
    bool executed;
    bool optimised;            /* its graph is not that of the source: taken late, above -O0 */
};

/* A path that an input executed: terminal number `terminal` of it. */
struct cover_path {
    uint32_t input, terminal;
    uint32_t body;
    uint64_t count;            /* at least 1 */
};

/* A module whose routines that were not executed are not known. */
struct cover_gap { const char *module, *why; };

struct cover_program {
    const struct cover_input *inputs;
    uint32_t n_inputs, n_bodies, n_paths, n_gaps;
    struct cover_body *body;
    struct cover_path *path;
    uint32_t **body_of;        /* of each input: its routines' bodies */
    struct cover_gap *gap;
    uint32_t kind;             /* enum wpp_profile_kind of all inputs */
    uint64_t runs;
    uint64_t unread;           /* executions in modules that could not be read */
    struct wpp_arena arena;    /* owns all of these */
};

/* Modules are looked for on disk where `moved` says, then where they were; they must be the ones that
 * ran.  `executed_only`: they are not looked for.  The inputs must outlive the program.  n is at least
 * 1.  WPP_E_ARGUMENT: the inputs count different things; WPP_E_MEMORY.  A module that is not found is
 * no error: see n_gaps. */
bool cover_program_new(struct cover_program *out, const struct cover_input *inputs, uint32_t n,
                       const struct wpp_moved *moved, bool executed_only, struct wpp_error *error);
void cover_program_free(struct cover_program *p);

#endif
