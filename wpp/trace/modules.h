/* SPDX-License-Identifier: MIT */
/* modules.h - the program's files behind the tokens of a trace.
 *
 * When the trace announces a module, its file is looked up on disk once, and checked to be the
 * traced one.  The module's tokens then lead to a unit (object file) and a routine:
 *
 *      token - base(unit) = first path(routine) + path number
 */
#ifndef WPP_MODULES_H
#define WPP_MODULES_H

#include "tracer/trace-abi.h"
#include "wpp/base/arena.h"
#include "wpp/format/path-table.h"
#include "wpp/trace/elf.h"
#include "wpp/trace/module-files.h"
#include "wpp/trace/moved.h"
#include "wpp/wpp.h"

struct wpp_module_unit {
    uint32_t base, count;
    struct wpp_unit_table table;
};

struct wpp_loaded_module {
    uint32_t base, count;
    struct wpp_load load;              /* as the trace has it */
    const char *path;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    uint32_t n_units;
    struct wpp_module_unit *units;     /* by base; bases and counts are contiguous */
    uint32_t n_routines, n_limited, n_left_out;
    struct wpp_left_out *left_out;     /* each once, ordered by file, line and name */
    struct wpp_bytes tables;           /* section .wpp; the units' tables point into it */
};

struct wpp_modules {
    uint32_t n, capacity;
    struct wpp_loaded_module *loaded;  /* in the order of the trace */
    uint32_t n_unread;
    struct wpp_unread_module *unread;  /* in the same order: modules whose files are not the
                                          traced ones */
    struct wpp_error first_unread;     /* the error of the first of these */
    struct wpp_arena arena;            /* owns everything else that they point to */
};

void wpp_modules_free(struct wpp_modules *m);

/* Adds the module of a MODULE_LOAD record with this payload.  Its file is looked for where
 * `moved` says, then in `held`; both may be NULL.  If no file is the traced one, the module is
 * `unread`, with an error: WPP_E_MISMATCH, WPP_E_NOT_TRACED, WPP_E_SYSTEM, WPP_E_FORMAT,
 * WPP_E_VERSION.  False: WPP_E_DAMAGED (the record), WPP_E_MEMORY. */
bool wpp_modules_add(struct wpp_modules *m, const uint8_t *payload, size_t size,
                     const struct wpp_moved *moved, const struct wpp_module_files *held,
                     struct wpp_error *error);

/* Bytes of memory of what is known of them. */
uint64_t wpp_modules_bytes(const struct wpp_modules *m);
/* Opens the module's file again, if it is still the traced one, where wpp_modules_add() looks for
 * it.  False: it is gone.  After success call wpp_elf_close(). */
bool wpp_modules_open(const struct wpp_loaded_module *module, const struct wpp_moved *moved,
                      const struct wpp_module_files *held, struct wpp_elf *elf);

/* The routine of a token.  False: it belongs to no module that was read. */
struct wpp_token_place {
    uint32_t module, unit, routine;    /* indices, each within the one before */
    uint32_t routine_base;             /* token of the routine's path 0 */
};
bool wpp_modules_find(const struct wpp_modules *m, uint32_t token, struct wpp_token_place *out);

#endif
