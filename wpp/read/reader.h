/* SPDX-License-Identifier: MIT */
/* reader.h - an open WPP file.  Internal to libwpp: others use wpp.h. */
#ifndef WPP_READER_H
#define WPP_READER_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/format/content.h"
#include "wpp/format/grammar-reader.h"
#include "wpp/read/damage.h"
#include "wpp/read/prefix-sums.h"
#include "wpp/wpp.h"

struct wpp {
    struct wpp_summary summary;
    uint32_t n_routines, n_terminals, n_threads, n_left_out;
    uint64_t n_chunks;
    const struct wpp_routine *routines;
    struct wpp_terminal *terminals;
    const struct wpp_thread *threads;
    const struct wpp_chunk *chunks;
    const struct wpp_left_out *left_out;
    const struct wpp_source *sources;
    const struct wpp_unread_module *unread_modules;
    const struct wpp_death *deaths;
    /* Content of the tables that wpp.h does not show: see as-content.h. */
    uint32_t n_modules, n_units;
    struct wpp_module_content *modules; /* left_out is not set; NULL: unknown */
    struct wpp_unit_content *units;
    uint32_t *unit_of, *bases;          /* of each routine: its unit, and the token of its path 0 */
    uint32_t *left_out_module;          /* of each routine left out */
    const uint64_t *counts;             /* of a path profile, by terminal; NULL: unknown */
    const uint64_t *executed;           /* by terminal, as the file says it; NULL: it does not */
    struct wpp_grammar grammar;         /* its own arrays */
    bool figures_only;                  /* the grammar was not read: it derives nothing */
    /* Of wpp_open_unread(), as long as there is more to read: the grammar's arrays are the reader's. */
    struct wpp_grammar_reader *reading;
    struct wpp_bytes kept_file, kept_content;   /* what it reads: the file, or the unpacked section */
    struct wpp_entry grammar_entry;
    /* Derived from the grammar when the file is opened (frequencies.c). */
    uint64_t *frequencies;              /* n_rules + n_threads; NULL with `executed` */
    uint64_t *sums;                     /* of wpp_event_sums(); room for rhs_symbols */
    uint32_t depth;                     /* the most rules open at once when expanding, start rule
                                           included */
    struct wpp_arena arena;             /* everything else */
    struct wpp_findings findings;
    unsigned present;                   /* enum wpp_part */
};

bool wpp_derive(struct wpp *w);         /* false: no memory */

/* The events that the grammar's symbols derive.  It lives as long as `w`. */
struct prefix_sums wpp_event_sums(const struct wpp *w);

/* Reads a whole file; `-` is the standard input.  WPP_E_SYSTEM, WPP_E_MEMORY; then `out` may hold a
 * part of it. */
bool wpp_read_file(const char *path, struct wpp_bytes *out, struct wpp_error *error);

/* wpp_open() and wpp_open_intact() for a file in memory, which is not needed afterwards. */
wpp *wpp_open_memory(const void *file, size_t size, const char *path, struct wpp_error *error);
wpp *wpp_open_memory_intact(const void *file, size_t size, const char *path,
                            struct wpp_error *error);
/* As wpp_open_figures(). */
wpp *wpp_open_memory_figures(const void *file, size_t size, const char *path,
                             struct wpp_error *error);
/* As wpp_open_unread(); `file` must live as long. */
wpp *wpp_open_memory_unread(const void *file, size_t size, const char *path, struct wpp_error *error);

#endif
