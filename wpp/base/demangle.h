/* SPDX-License-Identifier: MIT */
/* demangle.h - the names of C++ routines as their source spells them.
 *
 * A name of a hundred letters can spell a text of gigabytes: each `S_` stands for a type that came
 * before, which may consist of two that came before.  Compilers do not write such names, but a file
 * may hold them.  So the text's length is estimated first, from above; what may be too long, or
 * turns out to be, stays as it is.
 */
#ifndef WPP_DEMANGLE_H
#define WPP_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "wpp/base/arena.h"

/* The demangler is that of the C++ runtime library, found when the first C++ name
 * comes: runs of C programs need no C++, and where the library is missing names
 * stay as they are.  All zero is a demangler that has not been asked. */
struct wpp_demangler {
    bool asked;
    char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
    uint64_t given, kept;      /* letters of all names, and of all texts that were kept */
    uint64_t wasted;           /* letters of texts that were not, as they were too long */
};

/* `name` itself, or its C++ spelling in the arena.  NULL: no memory. */
const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name);

/* How many letters, types and signs the name's text has, or more; a type of C++'s own, like
 * `unsigned long long`, is one.  0: without memory. */
double wpp_demangle_most(const char *name);

#endif
