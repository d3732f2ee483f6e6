/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instrument.h - puts the events into a numbered routine. */
#ifndef WPP_INSTRUMENT_H
#define WPP_INSTRUMENT_H

#include "routine-graph.h"

/* The two variables the emitted code uses, as GCC declarations. */
struct runtime_decls {
    tree cursor;          /* extern __thread uint32_t *__wpp_cursor */
    tree unit;            /* extern const uint32_t __wpp_unit: the unit's base */
    tree token_type;      /* uint32_t with an alias set of its own */
};

/* Makes the declarations. */
void make_runtime_decls(runtime_decls &decls);

/* Inserts increments and events.  `first` is the number of the routine's first
 * path within its unit.  Afterwards virtual operands need renaming. */
void instrument(routine_graph &r, uint64_t first, const runtime_decls &decls);

#endif
