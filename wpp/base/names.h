/* SPDX-License-Identifier: MIT */
/* names.h - names as people read and type them, those of C++ above all.
 *
 *      std::vector<int, std::allocator<int> >::push_back(int&&)     as demangled
 *      std::vector<...>::push_back(...)                             shortened
 *      std::vector::push_back                                       bare
 *      std::vector::push_back, push_back                            what else it is called
 */
#ifndef WPP_NAMES_H
#define WPP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints a name that may hold any bytes, on one line: none acts on the terminal. */
static inline void name_put(FILE *out, const char *name)
{
    for (; *name; name++)
        putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, out);
}

/* Writes the name into `out`, in at most size - 1 bytes; size >= 8.  What tells least is left
 * out first, `...` in its place: arguments of templates within others, the types of
 * parameters, all arguments of templates, outer scopes, the end. */
void name_shorten(const char *name, char *out, size_t size);

/* Writes what is left of the name without arguments of templates, parameters, the result's type,
 * anonymous namespaces, and what GCC appended to a routine that it split or specialised; at most
 * size - 1 bytes, the end cut off; size >= 8. */
void name_bare(const char *name, char *out, size_t size);

/* Whether `asked` is the name, or the name without some of: the result's type, outer scopes,
 * parameters, arguments of templates, what GCC appended to a routine that it split or
 * specialised. */
bool name_fits(const char *name, const char *asked, size_t length);

#endif
