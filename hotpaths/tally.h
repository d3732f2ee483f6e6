/* SPDX-License-Identifier: MIT */
/* tally.h - how often each beginning of given strings stands in the trace, exactly.
 *
 * A machine that knows the strings (patterns.h) reads each right-hand side once, from its own
 * beginning.  Let E(B) be its state behind B where it comes to B at the root.  Where it comes in
 * another state, a second one is sent along from the root:
 *
 *      rule    r ->    A           B                       u
 *      states        0 . . . E(A) | s1  s2  s3 = q3 . E(B) |
 *                             0   | q1  q2  q3
 *
 * What ends behind a terminal of B and begins before B is what s knows there and q does not.  As
 * soon as both are in one state nothing that began before B is left, and the state behind B is
 * E(B).  So each string is counted once, in the rule in which it crosses symbols, where it ends.
 */
#ifndef WPP_HOT_TALLY_H
#define WPP_HOT_TALLY_H

#include "hotpaths/outward.h"
#include "hotpaths/patterns.h"
#include "hotpaths/sieve.h"

/* times[i]: of the string of node i; p->n of them.  No string may be longer than max_length; the
 * sieve has a sample.  HOT_OK or HOT_E_MEMORY. */
int tally_count(const struct sieve *s, const struct patterns *p, uint64_t *times);

#endif
