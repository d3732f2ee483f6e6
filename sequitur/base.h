/* SPDX-License-Identifier: MIT */
/* base.h - grammars that use the rules of another one, their base.  Private.
 *
 *   base     | rules 1 .. n |  its history            read by all, changed by none
 *                 ^    ^
 *   piece    1 .. n, n+1 ..    history of its own     one thread each
 *
 * A piece begins with the base's rules: their numbers, lengths, places in the history, entries in
 * the table of jumps, and runs.  It appends them like its own rules, but cannot change them:
 *
 *   B1  rules below base_rules are the base's.  They have a guard, are used very often (IMMORTAL),
 *       and so never dissolve;
 *   B2  those with two symbols have their body, whose digram is present: it leads to the rule.  No
 *       other digram of the base is in the table of digrams, so none is taken out of a base rule;
 *   B3  the base's start rules are no rules of the piece; their numbers stay unused;
 *   B4  rules[r].at of a base rule is below history->split, in the base's history, or behind it, if
 *       the base no longer has the place; G7's `whole` and `first` are the base's.
 */
#ifndef SEQUITUR_BASE_H
#define SEQUITUR_BASE_H

#include "sequitur/grammar.h"

/* The count of a base's rule: more than a piece can use it. */
#define IMMORTAL (UINT32_C(1) << 31)

static inline bool is_of_base(const seq *s, uint32_t r)
{
    return r < s->base_rules;
}

/* Whether B1 to B3 hold. */
bool base_check(const seq *s);

#endif
