/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symbol.h - the names of routines in the object file. */
#ifndef WPP_SYMBOL_H
#define WPP_SYMBOL_H

#include "gcc-plugin/gcc-compat.h"

/* The name without its asterisk, by which GCC marks names from `__asm__("name")` that it writes
 * unchanged. */
static inline const char *symbol_of(tree routine)
{
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(routine));

    return name + (*name == '*');
}

#endif
