/* SPDX-License-Identifier: MIT */
/* names.h - names, above all of C++, as people read and type them.
 *
 *      std::vector<int, std::allocator<int> >::push_back(int&&)     as demangled
 *      std::vector<...>::push_back(...)                             shortened
 *      std::vector::push_back                                       bare
 *      std::vector::push_back, push_back                            other accepted spellings
 */
#ifndef WPP_NAMES_H
#define WPP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints a name, which may hold any bytes, on one line and without control characters. */
static inline void name_put(FILE *out, const char *name)
{
    for (; *name; name++)
        putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, out);
}

/* Writes the name into `out`, in at most size - 1 bytes; size >= 8.  It replaces the least
 * important parts first by `...`: arguments of templates within others, the types of parameters,
 * all arguments of templates, outer scopes, the end. */
void name_shorten(const char *name, char *out, size_t size);

/* Writes what is left of the name without arguments of templates, parameters, the result's type,
 * anonymous namespaces, and what GCC appended to a routine that it split or specialised; at most
 * size - 1 bytes, the end cut off; size >= 8. */
void name_bare(const char *name, char *out, size_t size);

/* Whether `asked` is the name.  It may lack the result's type, outer scopes, parameters,
 * arguments of templates, and GCC's suffix for a routine that it split or specialised. */
bool name_fits(const char *name, const char *asked, size_t length);

#endif
