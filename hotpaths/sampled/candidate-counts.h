/* SPDX-License-Identifier: MIT */
/* candidate-counts.h - how often each beginning of given strings stands in the trace, exactly.
 *
 * Each right-hand side is read once.  Two things of a symbol B are known then:
 *
 *      behind(B)   the state of the machine that knows the strings (string-automaton.h) when it has read
 *                  B from its root: the longest end of B that a string begins with
 *      head(B)     the longest beginning of B that stands anywhere in a string (suffix-automaton.h)
 *
 *      rule    r ->    A               B                u
 *      text         . . . a b c | x y z w . . . . d e | u          behind(A) = a b c
 *                        head(B): x y z                            behind(B) = d e
 *      states                 s | s1 s2 s3 = q3
 *                             0 | q1 q2 q3
 *
 * What begins before B and goes on into it ends in head(B), since all of B up to there stands in a
 * string.  So of what comes before B nothing matters but how often which state meets head(B); and
 * behind B the state is behind(B), whatever it was before.  (Where head(B) is all of B, it is what
 * comes out of head(B).)
 *
 * There are few heads.  At the end, each is read from the states that came to it, and from the root:
 * what ends behind a terminal of the head and begins before it is what s knows there and q does
 * not.  As soon as both are one state nothing that began before is left.  So each string is counted
 * in the rule in which it crosses symbols, where it ends; one of a single terminal where that is.
 */
#ifndef WPP_CANDIDATE_COUNTS_H
#define WPP_CANDIDATE_COUNTS_H

#include "hotpaths/automata/string-automaton.h"
#include "hotpaths/base/analysis.h"

/* times[i]: of the string of node i, p->n of them; where that is shorter than `least`, or empty,
 * it means nothing.  HOT_OK or HOT_E_MEMORY. */
int tally_count(const struct analysis *a, uint32_t least, const struct patterns *p,
                uint64_t *times);

#endif
