/* SPDX-License-Identifier: GPL-3.0-or-later */
/* routine-hash.h - a hash of a routine's description, by which counts find the routine that they
 * were counted in.  No GCC type appears here. */
#ifndef WPP_ROUTINE_HASH_H
#define WPP_ROUTINE_HASH_H

#include "gcc-plugin/table/unit-table.h"

/* Of blocks with their costs and lines, which count from the routine's own, and of the DAG's edges.
 * Names and numbers of paths are not in it.  ORDER HASH: compiler_counts_hash() in
 * wpp/profile/compiler-counts.h. */
uint64_t routine_hash(const table_routine &routine);

#endif
