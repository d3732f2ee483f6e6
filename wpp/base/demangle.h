/* SPDX-License-Identifier: MIT */
/* demangle.h - spells the names of C++ routines as their source does.
 *
 * A name of a hundred letters can spell a text of gigabytes: each `S_` stands for an earlier
 * type, which may consist of two earlier types.  Compilers do not write such names, but a file
 * may hold them.  So an upper bound of the text's length is computed first.  If the bound or the
 * text itself is too long, the name stays as it is.
 */
#ifndef WPP_DEMANGLE_H
#define WPP_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "wpp/base/arena.h"

/* The demangler is that of the C++ runtime library, loaded at the first C++ name.  So runs of C
 * programs need no C++; without the library names stay as they are.  All zero is an unused
 * demangler. */
struct wpp_demangler {
    bool asked;
    char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
    uint64_t given, kept;      /* letters of all names, and of all kept texts */
    uint64_t wasted;           /* letters of texts that were too long to keep */
};

/* `name` itself, or its C++ spelling in the arena.  NULL: no memory. */
const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name);

/* An upper bound of the letters, types and signs of the name's text.  A built-in C++ type, like
 * `unsigned long long`, counts as one.  0: without memory. */
double wpp_demangle_most(const char *name);

#endif
