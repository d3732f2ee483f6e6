/* SPDX-License-Identifier: MIT */
/* loop-candidates.h - loops that may be hot only because their places overlap.
 *
 * In a row of t turns stand t - r + 1 places of r turns, so a row costs up to r times as much as a
 * subpath as it does as a part of the run.  What is hot by that is a small part of the run, and few
 * points of a sample lie in it (hotpaths/sampled/sample.h).  But a row of some length has rules that
 * repeat, side by side in some right-hand side:
 *
 *      rule    b ->  a a        c ->  b b        d ->  . . c c . .         a: one turn
 *
 * d tells of rows of 8 turns at least, as many as its frequency.  There are few such pairs in a
 * grammar, as SEQUITUR makes a rule of each digram.  A loop of turns that cost u, with pairs X X in
 * rules of frequency f, each X of s turns and of half of max_length at most, is named when
 *
 *      sum of  f (2 s u)  times  8 s, at most max_length / length of a turn    >=  min_cost / 4
 *
 * which is more, by far, than what is hot needs, unless the grammar repeats less than it could:
 * rows that are hot are at most eight times as long as the X in them, and their pairs make up a
 * quarter of what they cost.
 */
#ifndef WPP_LOOP_CANDIDATES_H
#define WPP_LOOP_CANDIDATES_H

#include "hotpaths/base/rule-walk.h"

/* Appends to `out` (found_append, at no cost) the rows of max_length terminals of these loops,
 * begun anywhere.  `outward` reaches max_length.  HOT_OK, HOT_E_MEMORY or SAMPLE_TOO_MUCH
 * (hotpaths/sampled/sample.h). */
int rows_find(const struct analysis *a, const struct outward *outward, uint64_t min_cost,
              struct found *out);

#endif
