/* SPDX-License-Identifier: MIT */
/* short-names.h - names as short as they tell routines apart.
 *
 *      a name                                   in the text
 *      heap<int>::below(int, int) const         heap::below
 *      push(int), push(double)                  push(int), push(double)
 *
 * A name is bare (wpp/base/names.h) unless another name that the text has is the same then; those
 * have 80 bytes, or what is needed.
 */
#ifndef WPP_SHORT_NAMES_H
#define WPP_SHORT_NAMES_H

#include <stdbool.h>

#include "wpp/wpp.h"

struct short_names;

/* `full`: all names stay as they are.  NULL: no memory. */
struct short_names *short_names_new(bool full);
void short_names_free(struct short_names *s);

/* Takes in a name that the text has, or all that it says of a path: the routine's, and those of
 * functions that were inlined into it.  All before the first is asked for; false without memory. */
bool short_names_add(struct short_names *s, const char *name);
bool short_names_add_path(struct short_names *s, const wpp *w, uint32_t terminal);
bool short_names_settle(struct short_names *s);

/* What the text has for a name; itself if it was not taken in. */
const char *short_names_of(const struct short_names *s, const char *name);

#endif
