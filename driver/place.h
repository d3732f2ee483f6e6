/* SPDX-License-Identifier: MIT */
/* place.h - where this program is, and the compiler that it calls. */
#ifndef WPP_DRIVER_PLACE_H
#define WPP_DRIVER_PLACE_H

#include <stdbool.h>

#include "driver/words.h"

struct place {
    const char *name;       /* as it was called, without the folder: wpp-gcc, or gcc */
    char *self;             /* the file, as it was called, through symbolic links to it */
    char *lib;              /* the folder of plugin and runtime, beside that of the file */
    const char *runs_us;    /* what we ran in place of the compiler, and has run us for it: a cache
                               that looks for the next in PATH, too; else empty */
};

/* `called` is argv[0].  False: not found, or no memory. */
bool place_find(struct place *place, const char *called);

/* The compiler's words: WPP_CC or WPP_CXX, or the one that we are called after.  Where we stand in
 * its place in PATH, that is the next one of this name behind us.  False: there is none. */
bool place_compiler(const struct place *place, struct words *compiler);

/* Which of GCC's own tools for archives (`ar`, `nm`, `ranlib`) we are called after, or NULL. */
const char *place_tool(const struct place *place);

/* That tool of the compiler that WPP_CC or WPP_CXX names: gcc-ar-12 for `ccache gcc-12`; without
 * both the one in PATH.  NULL: none can be told. */
const char *place_compilers_tool(const struct place *place, const char *tool);

#endif
