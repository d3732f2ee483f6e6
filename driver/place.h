/* SPDX-License-Identifier: MIT */
/* place.h - where this program lies, and which compiler it calls. */
#ifndef WPP_DRIVER_PLACE_H
#define WPP_DRIVER_PLACE_H

#include <stdbool.h>

#include "driver/words.h"

struct place {
    const char *name;       /* the name by which it was called, without the folder: wpp-gcc, or
                               gcc */
    char *self;             /* the called file, behind symbolic links to it */
    char *lib;              /* the folder with plugin and runtime, beside the folder of `self` */
    const char *runs_us;    /* the program that we ran as the compiler and that ran us as the
                               compiler: a cache that searches PATH too; else empty */
};

/* `called` is argv[0].  False: not found, or no memory. */
bool place_find(struct place *place, const char *called);

/* The compiler's words: from WPP_CC or WPP_CXX, or the compiler that our name contains.  If our
 * name in PATH is the compiler's, it is the next one of this name behind us.  False: there is
 * none. */
bool place_compiler(const struct place *place, struct words *compiler);

/* The archive tool of GCC (`ar`, `nm`, `ranlib`) that our name contains, or NULL. */
const char *place_tool(const struct place *place);

/* That tool of the compiler that WPP_CC or WPP_CXX names: gcc-ar-12 for `ccache gcc-12`.
 * Without these variables, the tool in PATH.  NULL: it cannot be found. */
const char *place_compilers_tool(const struct place *place, const char *tool);

#endif
