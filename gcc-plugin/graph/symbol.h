/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symbol.h - the names of routines in the object file. */
#ifndef WPP_SYMBOL_H
#define WPP_SYMBOL_H

#include "gcc-plugin/gcc-compat.h"

#include <algorithm>
#include <iterator>

/* The name without its asterisk, by which GCC marks names from `__asm__("name")` that it writes
 * unchanged. */
static inline const char *symbol_of(tree routine)
{
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(routine));

    return name + (*name == '*');
}

/* Whether the routine is a public one of these, which are in the order of strcmp. */
template <size_t N> bool is_one_of(tree routine, const char *const (&names)[N])
{
    const char *name = symbol_of(routine);

    return TREE_PUBLIC(routine) && std::binary_search(names, names + N, name,
               [](const char *a, const char *b) { return strcmp(a, b) < 0; });
}

#endif
