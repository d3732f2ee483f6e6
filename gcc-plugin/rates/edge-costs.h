/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edge-costs.h - the costs of increments and path ends, which decide where chords go.
 *
 * The number of chords is the same wherever they are (numbering.h), but their cost is not.  In
 * code that runs often time counts; elsewhere, and where GCC optimises for size, bytes count:
 *
 *      an edge in hot code             how often it is taken; twice as often with a block of
 *                                      its own, whose jump is taken as well
 *      .. elsewhere, with such a block an addition and a jump     5 to 8 bytes
 *      a path's end, event elsewhere   what is added to the number in the register for the
 *                                      token, 5 bytes; nothing if it is the token
 *      an edge elsewhere               an addition                3 bytes
 *      a path's end, event inline      nothing: it goes into the instruction that adds the
 *                                      unit's base
 *      a path's start                  nothing: the register is set anyway
 *
 * The list is in this order: the more expensive edges are on the spanning tree first.
 */
#ifndef WPP_EDGE_COSTS_H
#define WPP_EDGE_COSTS_H

#include "gcc-plugin/graph/routine-graph.h"
#include "gcc-plugin/rates/hot-blocks.h"

/* Sets the weights of the edges of a graph that is not numbered yet.  `forms`: of events, by the
 * index of their block. */
void weigh_edges(routine_graph &r, const std::vector<event_form> &forms);

/* The same where paths are counted: a counter's address contains any constant, so that only
 * increments cost something.  Where edges are counted the weight is how often an edge is taken. */
void weigh_counted_edges(routine_graph &r);

/* Whether some event of a numbered graph is out of line or in a thunk. */
bool some_event_calls(const routine_graph &r, const std::vector<event_form> &forms);

#endif
