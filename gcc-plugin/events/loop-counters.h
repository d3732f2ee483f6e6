/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop-counters.h - counters of innermost loops, in registers.
 *
 * A turn of a small loop takes one or two cycles, an addition to memory five.  So a loop that calls
 * nothing and has no loop in it counts in registers, and adds to the counters where it is left:
 *
 *      n = 0;  loop { ... n = n + 1; ... }  gs addq n, counter
 *
 * The first turn's path often begins before the loop, and so it has another number than those of the
 * other turns.  If all turns end at one edge, that counter gets 1 of n, if n is not 0.
 *
 * If the process is killed within the loop, the counts of these turns are lost.
 */
#ifndef WPP_LOOP_COUNTERS_H
#define WPP_LOOP_COUNTERS_H

#include "gcc-plugin/gcc-compat.h"
#include "gcc-plugin/events/cursor.h"

#include <vector>

/* A counter that a loop has in a register. */
struct loop_counter {
    int64_t number;
    tree first;                                  /* the register in the first turn: its path is
                                                    first + first_number; NULL_TREE: it is like others */
    int64_t first_number;
    std::vector<std::pair<edge, tree>> sums;     /* by edge out of the loop: what is to be added */
};

/* Moves counters of innermost loops into registers: takes them out of the plan and writes the
 * additions within the loops. */
std::vector<loop_counter> count_in_registers(function *fun, event_plan &plan);

#endif
