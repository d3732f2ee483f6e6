/* SPDX-License-Identifier: MIT */
/* why-nothing.h - explains from a program's file why it recorded nothing: there is neither a WPP
 * nor a trace to look into.
 */
#ifndef WPP_WHY_NOTHING_H
#define WPP_WHY_NOTHING_H

/* Writes the reason and a remedy, to stand behind `PROGRAM recorded nothing: `; cut to `size`.
 * file may be NULL: there is no file. */
void why_nothing(const char *file, char *text, unsigned size);

#endif
