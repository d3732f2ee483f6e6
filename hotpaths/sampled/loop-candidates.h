/* SPDX-License-Identifier: MIT */
/* loop-candidates.h - loops that may be hot only because their occurrences overlap.
 *
 * A row of t iterations contains t - r + 1 occurrences of r iterations, so it costs up to r times
 * as much as a subpath as it does as a part of the run.  A subpath that is hot because of that is a
 * small part of the run, and few points of a sample lie in it (hotpaths/sampled/sample.h).  But a
 * row of some length has rules that are repeated side by side in some right-hand side:
 *
 *      rule    b ->  a a        c ->  b b        d ->  . . c c . .         a: one iteration
 *
 * d shows rows of at least 8 iterations, as many as its frequency.  There are few such pairs in a
 * grammar, because SEQUITUR makes a rule of each digram.  A loop whose iterations cost u, with
 * pairs X X in rules of frequency f, each X of s iterations and at most half of max_length, is
 * named when
 *
 *      sum of  f (2 s u)  times  8 s, at most max_length / length of an iteration  >=  min_cost / 4
 *
 * That is far more than a hot subpath needs, unless the grammar repeats less than it could: hot
 * rows are at most eight times as long as the X in them, and their pairs make up a quarter of their
 * cost.
 */
#ifndef WPP_LOOP_CANDIDATES_H
#define WPP_LOOP_CANDIDATES_H

#include "hotpaths/base/rule-walk.h"

/* Appends the rows of max_length terminals of these loops, from each rotation, to `out` (by
 * subpath_set_append, without cost).  `walks` reaches max_length.  HOT_OK, HOT_E_MEMORY or
 * SAMPLE_TOO_MUCH (hotpaths/sampled/sample.h). */
int loop_candidates_find(const struct analysis *a, const struct rule_walks *walks,
                         uint64_t min_cost, struct subpath_set *out);

#endif
