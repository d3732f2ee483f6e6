/* SPDX-License-Identifier: MIT */
/* why-nothing.h - why a program recorded nothing, by what its file says: there is no WPP to
 * ask, and no trace.
 */
#ifndef WPP_WHY_NOTHING_H
#define WPP_WHY_NOTHING_H

/* In words, and what to do about it, to stand behind `PROGRAM recorded nothing: `; cut to the
 * size.  file may be NULL: it is not there. */
void why_nothing(const char *file, char *text, unsigned size);

#endif
