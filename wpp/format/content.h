/* SPDX-License-Identifier: MIT */
/* content.h - the content of a WPP file, as input of the writer.
 *
 * The order of things is part of the content:
 *   threads     by their first record in the trace
 *   terminals   by first occurrence, walking the start rules 0, 1, ... in turn;
 *               in a path profile, those with a routine by module and token, then the others
 *               by token
 *   routines    by their first terminal
 *   sources     by directory, file, hash
 *   units, modules: any, but a routine names each unit (modules may be without one)
 */
#ifndef WPP_CONTENT_H
#define WPP_CONTENT_H

#include "wpp/base/bytes.h"
#include "wpp/format/segments.h"
#include "wpp/wpp.h"

struct wpp_module_content {
    const char *path;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    uint32_t n_routines;         /* instrumented */
    uint32_t n_limited;          /* of these, with vertices cut because of the path limit */
    uint32_t n_left_out;         /* not instrumented, in order; their field module is not used */
    const struct wpp_left_out *left_out;
};

/* An object file with executed routines. */
struct wpp_unit_content {
    uint32_t module;
    const char *compiler, *source, *directory;
    uint32_t stage, level;       /* docs/path-table-format.md */
};

struct wpp_routine_content {
    uint32_t unit;
    uint32_t base;               /* token of its path 0 */
    const struct wpp_routine *routine;
};

struct wpp_terminal_content {
    uint32_t token;
    uint32_t routine;            /* or WPP_NO_ROUTINE */
    uint64_t ticks;              /* measured for its paths; all 0 if run.ticks_per_second is */
    uint32_t left;               /* as in struct wpp_terminal; `token` is that of the whole path */
};

/* Where a thread was when a signal killed the process. */
struct wpp_death_content {
    uint32_t thread;
    uint32_t signal;
    int32_t code;
    uint64_t address;            /* that was accessed */
    uint32_t place;              /* enum wpp_death_place; what follows is known if it is not 0 */
    uint32_t module;
    uint64_t offset;
    const char *symbol;          /* assembler name of the function; "" */
    const char *file;            /* "" if the line is 0 */
    uint32_t line;
    uint32_t n;                  /* WPP_NO_ROUTINE: not known, or not traced; below n_routines: an
                                    executed one; n_routines: `routine`, of which no path has ended */
    const struct wpp_routine *routine;
    const char *directory;       /* its unit's, and the stage */
    uint32_t stage;
};

struct wpp_content {
    struct wpp_summary run;      /* program to trace_bytes, complete and ticks_per_second; of a path
                                    profile profile_kind and runs; the rest is derived */
    uint32_t n_modules, n_units, n_routines, n_terminals, n_threads;
    uint64_t n_chunks;
    const struct wpp_module_content *modules;
    uint32_t n_unread_modules;
    const struct wpp_unread_module *unread_modules;
    const struct wpp_unit_content *units;
    const struct wpp_routine_content *routines;
    uint32_t n_sources;
    const struct wpp_source *sources;
    const struct wpp_terminal_content *terminals;
    const struct wpp_thread *threads;
    const struct wpp_chunk *chunks;
    struct wpp_grammar grammar;
    const struct wpp_bytes *grammar_code;    /* its code, in place of it; or NULL */
    bool small;                  /* the shortest code of the grammar; otherwise one read fast */
    const uint64_t *executed;    /* with grammar_code in lanes: how often, by terminal; and */
    uint64_t longest_rule;       /* ... the events of the longest rule */
    const struct wpp_segments *segments;     /* instead of a grammar, or NULL */
    uint32_t n_deaths;
    const struct wpp_death_content *deaths;
    const uint64_t *counts;      /* of a path profile, by terminal, each at least 1: it has neither
                                    threads nor chunks nor a grammar.  Otherwise NULL */
};

/* Puts sources into the order of the format, each once; returns how many are left. */
uint32_t wpp_content_order_sources(struct wpp_source *sources, size_t n);

/* Encodes a whole file, or the part of it before the segments.  Equal content gives equal bytes.
 * WPP_E_MEMORY. */
bool wpp_content_encode(const struct wpp_content *content, struct wpp_bytes *out,
                        struct wpp_error *error);

/* The contents of the sections `routines` and `terminals` alone, the latter without how often they were
 * executed; of c, modules, units, routines, sources and terminals count.  False: no memory. */
bool wpp_content_tables(const struct wpp_content *c, struct wpp_bytes *routines,
                        struct wpp_bytes *terminals);

/* Takes how often terminals were executed out of the content of the section `terminals`. */
void wpp_content_drop_counts(struct wpp_bytes *terminals);

/* In the content of the section `summary`: the grammar is one piece, if it was built in parts.
 * False: no memory. */
bool wpp_content_one_piece(struct wpp_bytes *summary);

#endif
