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
 * hit.  All others may be by what it goes on to, so no extension is hit more often than there are
 * places in the group: where these are too few it is dropped.
 */
#ifndef WPP_HOT_CANDIDATES_H
#define WPP_HOT_CANDIDATES_H

#include "hotpaths/sample.h"

/* Appends to `out` (found_append; frequency x unit_cost is what it costs by the sample) strings of
 * min_length to max_length terminals, such that each that is hit `need` times (at least 1) or more,
 * and begins with no shorter one that is hit `enough` times, is the beginning of one of them.
 * HOT_OK or HOT_E_MEMORY. */
int candidates_find(const struct sample *s, const struct analysis *a, uint64_t need,
                    uint64_t enough, struct found *out);

#endif
