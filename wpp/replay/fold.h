/* SPDX-License-Identifier: MIT */
/* fold.h - a stream that writes lines that repeat once, with their number.
 *
 *      a                 a
 *      b                 x 3 {
 *      c                   b
 *      b                   c  x 2
 *      ...               }
 *
 * What has come is a list of items: a line, or a group of items and how often it stands there.  After
 * each line the end of the list is looked at: if the last items equal those before them, or the group
 * before them, they become one group.  So loops in loops become groups in groups.  Equal lines and
 * equal groups have equal numbers (each is kept once), so that comparing takes one step an item.
 */
#ifndef WPP_FOLD_H
#define WPP_FOLD_H

#include <stdio.h>

/* A stream whose complete lines go to `out`, folded.  Closing it writes the rest; `out` stays open.
 * NULL: no memory.  Writing fails with ENOMEM, or as writing to `out` does.
 * Cost: O(1) a line for each length of a group that is tried, at most 64. */
FILE *fold_open(FILE *out);

#endif
