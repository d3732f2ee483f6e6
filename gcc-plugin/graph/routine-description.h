/* SPDX-License-Identifier: GPL-3.0-or-later */
/* routine-description.h - the description of a routine for the path table. */
#ifndef WPP_ROUTINE_DESCRIPTION_H
#define WPP_ROUTINE_DESCRIPTION_H

#include "gcc-plugin/graph/routine-graph.h"
#include "gcc-plugin/table/unit-table.h"

/* The routine's entry in the path table.  To be called on a numbered graph,
 * before any event is inserted. */
table_routine describe_routine(const routine_graph &r, unit_table &unit);

#endif
