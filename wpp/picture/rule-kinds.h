/* SPDX-License-Identifier: MIT */
/* rule-kinds.h - what the rules of a picture are, in a run of calls and loops.
 *
 *      f enters, g runs, f returns              CALLS of f
 *      from a block of f round to the same block, with calls       LOOP in f: iterations, which
 *                                                                  may be counted from its midst
 */
#ifndef WPP_RULE_KINDS_H
#define WPP_RULE_KINDS_H

#include "wpp/picture/picture.h"

/* Sets `kind`, `of` and `calls` of all nodes.  What a longjmp or an exception left makes its rules
 * parts.  False: no memory.  Cost: O(grammar). */
bool rule_kinds_find(const wpp *w, struct picture *p);

#endif
