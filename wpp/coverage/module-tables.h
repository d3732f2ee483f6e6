/* SPDX-License-Identifier: MIT */
/* module-tables.h - all instrumented routines of a module, from its file on disk. */
#ifndef WPP_MODULE_TABLES_H
#define WPP_MODULE_TABLES_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/trace/moved.h"
#include "wpp/wpp.h"

struct module_routine {
    struct wpp_routine routine;
    const char *source;        /* main source file of its unit */
    bool optimised;            /* its graph was taken late, above -O0 */
};

struct module_tables {
    uint32_t n;
    struct module_routine *routine;    /* the arena's */
};

/* Reads the path tables of the module at `path`, or where `moved` says, if it has this build id; no
 * bytes: if it has none.  WPP_E_MISMATCH: no file there is the module; WPP_E_SYSTEM, WPP_E_FORMAT,
 * WPP_E_NOT_TRACED: its path tables are gone; WPP_E_MEMORY. */
bool module_tables_read(const char *path, const uint8_t *build_id, size_t n_build_id,
                        const struct wpp_moved *moved, struct wpp_arena *arena,
                        struct module_tables *out, struct wpp_error *error);

#endif
