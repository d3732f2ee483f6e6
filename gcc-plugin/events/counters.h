/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.h - writes the counters of a routine whose paths are counted, not traced.
 *
 * The end of a path is one instruction (tracer/trace-abi.h, COUNTERS):
 *
 *      gs incq  __wpp_counts + 8 * number(%rip)                the number is a constant
 *      gs incq  __wpp_counts + 8 * constant + 8 * %r           a part of it is in a register
 *      gs incq  8 * number(%at)                                in code for shared libraries
 *
 * The segment register holds the distance from the unit's own counters to the thread's, so
 * threads never share a counter.  One instruction also means that a signal handler cannot
 * interrupt an increment.
 *
 * THREADS.  A new thread has its creator's distance.  So each routine that a thread may begin
 * with looks at the thread-local __wpp_counting first; as long as that is 0, it calls the runtime.
 * Looks cost up to a tenth of the time of a program with many small routines.  In a unit that is
 * compiled for threads (-pthread, -fopenmp) each routine looks that another unit may call; in
 * others those whose address the unit takes.  A thread may still begin with another one; the
 * runtime says so if there have been threads at all.
 */
#ifndef WPP_COUNTERS_H
#define WPP_COUNTERS_H

#include <functional>

#include "gcc-plugin/gcc-compat.h"
#include "gcc-plugin/events/cursor.h"

struct counter_style {
    bool shared;          /* the code may become part of a shared library */
    bool atomic;          /* threads share counters, and increments are locked */
    bool threaded;        /* the unit is compiled for threads */
    bool raised;          /* counters stand where their numbers are constants (risen-counters.h) */
    bool loops;           /* innermost loops count in registers */
    bool all_look;        /* code of the unit that is not instrumented may call any routine */
};

/* By number in the unit: whether a path has a counter; empty: all have. */
typedef std::function<bool(int64_t)> counted_numbers;

/* Writes the plan's counters into `fun`, but those whose numbers are constants and not wanted. */
void write_counters(function *fun, event_plan &plan, const runtime_decls &decls,
                    const counter_style &style, const counted_numbers &wanted);

#endif
