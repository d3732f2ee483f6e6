/* SPDX-License-Identifier: MIT */
/* names.h - C++ names as people read and type them.
 *
 *      std::vector<int, std::allocator<int> >::push_back(int&&)     as demangled
 *      std::vector<...>::push_back(...)                             shortened
 *      std::vector::push_back, push_back                            what else it is called
 */
#ifndef WPP_NAMES_H
#define WPP_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name into `out`, in at most size - 1 bytes; size >= 8.  What tells least is left
 * out first, `...` in its place: arguments of templates within others, the types of
 * parameters, all arguments of templates, outer scopes, the end. */
void name_shorten(const char *name, char *out, size_t size);

/* Whether `asked` is the name, or the name without some of: the result's type, outer scopes,
 * parameters, arguments of templates, what GCC appended to a routine that it split or
 * specialised. */
bool name_fits(const char *name, const char *asked, size_t length);

#endif
