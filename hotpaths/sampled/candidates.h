/* SPDX-License-Identifier: MIT */
/* candidates.h - the strings that the points of a sample hit often.
 *
 *      window   . . . a b c d t e f . . .         t: the terminal with the point
 *                     |->  begins at distance 4: `a b c d t` and longer ones are hit
 *
 *      beginnings, by their first k terminals --> groups of equal strings, one more terminal at
 *                                                 a time, depth first
 *
 * A group of depth d is a string of d terminals and all its places that begin at a point's terminal
 * or before it, at most max_length - 1 terminals before.  Places at a distance below d are hit;
 * several of one window if they overlap.  The others may be hit by an extension of the string.  So
 * no extension has more hits than the group has places; a group with too few places is dropped.
 */
#ifndef WPP_CANDIDATES_H
#define WPP_CANDIDATES_H

#include "hotpaths/sampled/sample.h"

/* The reliable part of `hits` hits by `points` points: one for each point; if there are several
 * points, at least a fourth of all (6 times as many hits as expected, for each of several points,
 * have a probability below 10^-10, for any number of places that a point hits). */
static inline uint64_t candidate_weight(uint64_t hits, uint64_t points)
{
    enum { NOT_FEW = 24, PART = 4 };

    return points >= NOT_FEW && hits / PART > points ? hits / PART : points;
}

/* Appends strings of min_length to max_length terminals to `out` (by subpath_set_append; frequency
 * is the weight of the hits, unit_cost the sample's unit).  Each string that is hit at least `need`
 * times (at least 1) and begins with no shorter one whose hits weigh `enough` (at least `need`) is
 * the beginning of one of them.  HOT_OK, HOT_E_MEMORY or SAMPLE_TOO_MUCH. */
int candidates_find(const struct sample *s, const struct analysis *a, uint64_t need,
                    uint64_t enough, struct subpath_set *out);

#endif
