/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instrument.h - puts the events into a numbered routine. */
#ifndef WPP_INSTRUMENT_H
#define WPP_INSTRUMENT_H

#include <functional>

#include "gcc-plugin/events/counters.h"
#include "gcc-plugin/events/cursor.h"
#include "gcc-plugin/graph/routine-graph.h"

/* Declares callees that are const or pure to be ordinary functions, until the caller is
 * expanded.  Across calls to const and pure functions the compiler may keep memory in registers,
 * also the cursor, and it may move such calls past events.  But a function that emits events is
 * neither const nor pure. */
struct honest_callees {
    struct flags { tree decl; bool constant, pure, looping; };
    std::vector<flags> changed;

    /* Returns whether virtual operands need renaming. */
    bool declare(function *fun);
    void restore();

private:
    bool plain_callee(tree callee);
};

/* Makes the declarations. */
void make_runtime_decls(runtime_decls &decls);

/* Inserts increments and events.  `first` is the number of the routine's first path within its
 * unit.  The path register starts from it if `from_first`, else from 0.  Afterwards virtual
 * operands need renaming. */
void instrument(routine_graph &r, uint64_t first, bool from_first, const runtime_decls &decls,
                const event_style &style);

/* Which paths have a counter; a function that is empty says: all. */
struct counted_paths {
    bool none = false;
    std::function<bool(uint32_t)> end;        /* by DAG edge: some paths that end on it have */
    std::function<bool(uint64_t)> number;     /* by number in the routine */
    std::function<uint32_t(uint32_t)> onward; /* by vertex: the DAG edge on which the first counted
                                                 path goes on from there; PN_NONE: none does */
};

/* Inserts increments and counters instead. */
void instrument_counts(routine_graph &r, uint64_t first, const counted_paths &counted,
                       const runtime_decls &decls, const counter_style &style);

#endif
