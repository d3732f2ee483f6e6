/* SPDX-License-Identifier: MIT */
/* meeting.h - where two strings of keys agree again after they have parted.
 *
 *      a   x x P p q R s t u v ...        p from i on: R s t u is the first that b has, too
 *      b   x x Q R s t u v ...            meeting: 3 keys of a, 1 key of b behind the parting
 *
 * They meet after m keys of a and n of b if the next `least` keys are equal, or if fewer are left on
 * both sides, equally many, and these are equal.  Of all such the smallest m + n counts; then the
 * smallest difference of m and n; then the smallest m.
 */
#ifndef WPP_MEETING_H
#define WPP_MEETING_H

#include "wpp/compare/fingerprints.h"

/* No more keys than these are written out behind a parting, on each side. */
#ifdef WPP_HOSTILE
enum { MEETING_WINDOW = 4 };
#else
enum { MEETING_WINDOW = 1 << 20 };
#endif

/* Looks for the meeting behind the parting at keys number i and j.  *found: whether there is one; it
 * is the smallest if m + n is at most `window`; beyond that, there may be one that is not found, unless
 * both threads end within it.  False: no memory.  Cost: O((m + n) d). */
bool find_meeting(const struct key_thread *a, uint64_t i, const struct key_thread *b, uint64_t j,
                  uint32_t least, uint32_t window, bool *found, uint64_t *m, uint64_t *n);

#endif
