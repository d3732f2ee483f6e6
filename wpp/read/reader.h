/* SPDX-License-Identifier: MIT */
/* reader.h - an open WPP file.  Internal to libwpp: others see wpp.h. */
#ifndef WPP_READER_H
#define WPP_READER_H

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/format/content.h"
#include "wpp/read/damage.h"
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
    /* What the tables say that wpp.h does not show: as-content.h. */
    uint32_t n_modules, n_units;
    struct wpp_module_content *modules; /* left_out is not set; NULL: they are not known */
    struct wpp_unit_content *units;
    uint32_t *unit_of, *bases;          /* of each routine: its unit, and the token of its path 0 */
    uint32_t *left_out_module;          /* of each routine that was left out */
    const uint64_t *counts;             /* of a path profile, by terminal; NULL: they are not known */
    struct wpp_grammar grammar;         /* arrays of its own */
    /* Derived from the grammar once, at opening (frequencies.c). */
    uint64_t *frequencies;              /* n_rules + n_threads: wpp_rule_frequencies() */
    uint64_t *sums;                     /* sums[i]: events of symbols[0 .. i * WPP_SUM_STEP),
                                           modulo 2^64 */
    uint32_t depth;                     /* rules open at once when expanding, start rule included */
    struct wpp_arena arena;             /* everything else */
    struct wpp_findings findings;
    unsigned present;                   /* enum wpp_part */
};

/* A sum every so many symbols: an eighth of a byte each, and a search within a
 * right-hand side looks at no more than two such steps. */
enum { WPP_SUM_STEP = 64 };

bool wpp_derive(struct wpp *w);         /* false: no memory */

/* All of a file, `-`: of the standard input.  WPP_E_SYSTEM, WPP_E_MEMORY; then there may be some of
 * it in `out`. */
bool wpp_read_file(const char *path, struct wpp_bytes *out, struct wpp_error *error);

/* wpp_open() and wpp_open_intact() for a file that is in memory; it is not needed afterwards. */
wpp *wpp_open_memory(const void *file, size_t size, const char *path, struct wpp_error *error);
wpp *wpp_open_memory_intact(const void *file, size_t size, const char *path,
                            struct wpp_error *error);

#endif
