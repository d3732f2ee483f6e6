/* SPDX-License-Identifier: MIT */
/* demangle.h - the names of C++ routines as their source spells them. */
#ifndef WPP_DEMANGLE_H
#define WPP_DEMANGLE_H

#include <stdbool.h>

#include "wpp/arena.h"

/* The demangler is that of the C++ runtime library, found when the first C++ name
 * comes: runs of C programs need no C++, and where the library is missing names
 * stay as they are.  All zero is a demangler that has not been asked. */
struct wpp_demangler {
    bool asked;
    char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
};

/* `name` itself, or its C++ spelling in the arena.  NULL: no memory. */
const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name);

#endif
