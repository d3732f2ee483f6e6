/* SPDX-License-Identifier: MIT */
/* same-routine.h - whether two files describe the same routine, so that their path numbers mean the
 * same paths.
 *
 * Same: name, file, number of paths, blocks with their costs and lines, and the edges of the DAG.
 * Lines count from the routine's own, so a routine may have moved within its file.
 */
#ifndef WPP_SAME_ROUTINE_H
#define WPP_SAME_ROUTINE_H

#include "wpp/wpp.h"

bool routine_same(const struct wpp_routine *a, const struct wpp_routine *b);

/* Whether routines a and b may be the same, by what the caller knows of them. */
typedef bool routine_may(const void *context, uint32_t a, uint32_t b);

/* For each of n routines, same[i] is the number of the first that it is the same as: i or less.
 * `may` NULL: all may.  False without memory.  Cost: O(n log n) for names that differ. */
bool routine_find_same(const struct wpp_routine *const *routine, uint32_t n, routine_may *may,
                       const void *context, uint32_t *same);

/* The last part of a file's name. */
const char *routine_base_name(const char *path);

#endif
