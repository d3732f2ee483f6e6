/* SPDX-License-Identifier: MIT */
/* short-names.h - names of routines, as short as possible while they still differ.
 *
 *      a name                                   in the text
 *      heap<int>::below(int, int) const         heap::below
 *      push(int), push(double)                  push(int), push(double)
 *
 * A name is bare (wpp/base/names.h) unless another name in the text would then be the same.  Such
 * names get up to 80 bytes, or more if they still do not differ.
 */
#ifndef WPP_SHORT_NAMES_H
#define WPP_SHORT_NAMES_H

#include <stdbool.h>

#include "wpp/wpp.h"

struct short_names;

/* `full`: names are not shortened.  NULL: no memory. */
struct short_names *short_names_new(bool full);
void short_names_free(struct short_names *s);

/* Adds a name that the text uses, or all names of a path: the routine's, and those of functions
 * inlined into it.  All must be added before the first short_names_of(); false: no memory. */
bool short_names_add(struct short_names *s, const char *name);
bool short_names_add_path(struct short_names *s, const wpp *w, uint32_t terminal);
bool short_names_settle(struct short_names *s);

/* The text for a name; the name itself if it was not added. */
const char *short_names_of(const struct short_names *s, const char *name);

#endif
