/* SPDX-License-Identifier: MIT */
/* candidate-counts.h - the exact frequency of each beginning of given strings.
 *
 * Each right-hand side is read once.  Two facts about a symbol B are known then:
 *
 *      behind(B)   the state of the machine that recognizes the strings (string-automaton.h) behind
 *                  B, entered at its root: the longest end of B that a string begins with
 *      head(B)     the longest beginning of B that is a factor of a string (suffix-automaton.h)
 *
 *      rule    r ->    A               B                u
 *      text         . . . a b c | x y z w . . . . d e | u          behind(A) = a b c
 *                        head(B): x y z                            behind(B) = d e
 *      states                 s | s1 s2 s3 = q3
 *                             0 | q1 q2 q3
 *
 * A string that begins before B and continues into it ends in head(B), because the part of it in B
 * is a factor of a string.  So of everything before B, only the number of times that each state
 * meets head(B) matters.  Behind B the state is behind(B), for any state before.  (If head(B) is
 * all of B, it is the state behind head(B).)
 *
 * There are few heads.  At the end, each is read from the states that met it, and from the root.  A
 * string that ends behind a terminal of the head and began before the head is recognized by s there
 * and not by q.  As soon as both are the same state, no earlier beginning is left.  So each string
 * is counted in the rule in which it crosses symbols, where it ends; one of a single terminal at
 * that terminal.
 */
#ifndef WPP_CANDIDATE_COUNTS_H
#define WPP_CANDIDATE_COUNTS_H

#include "hotpaths/automata/string-automaton.h"
#include "hotpaths/base/analysis.h"

/* times[i] becomes the frequency of the string of node i, of p->n nodes.  It is undefined if the
 * string is empty or shorter than `least`.  HOT_OK or HOT_E_MEMORY. */
int candidate_counts_find(const struct analysis *a, uint32_t least, const struct patterns *p,
                          uint64_t *times);

#endif
