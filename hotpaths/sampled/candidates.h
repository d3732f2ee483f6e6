/* SPDX-License-Identifier: MIT */
/* candidates.h - the strings that the points of a sample hit often.
 *
 *      window   . . . a b c d t e f . . .         t: the terminal with the point
 *                     |->  begins at distance 4: `a b c d t` and longer ones are hit
 *
 *      beginnings, by their first k terminals --> groups of equal strings, one more terminal at
 *                                                 a time, depth first
 *
 * A group of depth d is a string of d terminals and all places where it stands that begin at a
 * point's terminal or before it, max_length - 1 terminals at most.  Those at a distance below d are
 * hit, several of one window where they overlap.  All others may be by what it goes on to, so no
 * extension is hit more often than there are places in the group: where these are too few it is
 * dropped.
 */
#ifndef WPP_CANDIDATES_H
#define WPP_CANDIDATES_H

#include "hotpaths/sampled/sample.h"

/* How many hits can be relied upon, of so many by so many points: one of each point; and where
 * these are not few, a fourth of all (6 times as many as expected, for each of several points, come
 * with a probability below 10^-10, however many places a point hits). */
static inline uint64_t candidate_weight(uint64_t hits, uint64_t points)
{
    enum { NOT_FEW = 24, PART = 4 };

    return points >= NOT_FEW && hits / PART > points ? hits / PART : points;
}

/* Appends to `out` (found_append; its frequency is the weight of its hits, its unit_cost the
 * sample's unit) strings of min_length to max_length terminals, such that each that is hit `need`
 * times (at least 1) or more, and begins with no shorter one whose hits weigh `enough` (at least
 * `need`), is the beginning of one of them.  HOT_OK, HOT_E_MEMORY or SAMPLE_TOO_MUCH. */
int candidates_find(const struct sample *s, const struct analysis *a, uint64_t need,
                    uint64_t enough, struct found *out);

#endif
