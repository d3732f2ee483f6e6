/* SPDX-License-Identifier: GPL-3.0-or-later */
/* risen-counters.h - moves counters up to the last place where their paths differ.
 *
 * Ball and Larus, Efficient Path Profiling, section 3.3: the record step rises to the last chord and
 * merges with its increment.  Where ways meet only to be counted, each way gets a counter of its own,
 * mostly with a constant number:
 *
 *      r = 0   r = 4   r = 9                 count[0]  count[4]  count[9]
 *          \     |     /           ->             \       |      /
 *           count[r + 7]                             7 is in each
 */
#ifndef WPP_RISEN_COUNTERS_H
#define WPP_RISEN_COUNTERS_H

#include "gcc-plugin/gcc-compat.h"
#include "gcc-plugin/events/cursor.h"

/* Changes the plan, and may split edges. */
void raise_counters(function *fun, event_plan &plan);

/* Whether the statement needs all counts before it: other code may run then, see the counters'
 * memory, or end the process. */
bool needs_counts(gimple *statement);

#endif
