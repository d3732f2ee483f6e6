/* SPDX-License-Identifier: MIT */
/* function-symbols.h - the names of the function that an address is in. */
#ifndef WPP_FUNCTION_SYMBOLS_H
#define WPP_FUNCTION_SYMBOLS_H

#include "wpp/base/bytes.h"
#include "wpp/trace/elf.h"

/* A module's symbol table, or if that has been stripped, what it exports. */
struct wpp_function_symbols {
    struct wpp_bytes symbols, names;
};

/* Without a table that can be read both stay empty. */
void wpp_function_symbols_read(struct wpp_function_symbols *s, struct wpp_elf *elf);
void wpp_function_symbols_free(struct wpp_function_symbols *s);

/* The next name, from symbol *at on, of a function that has this virtual address; NULL: there is no
 * further one.  A function may have several.  Begin with *at == 0.  *begin is the function's
 * address.  The name lives as long as the table. */
const char *wpp_function_symbols_next(const struct wpp_function_symbols *s, uint64_t address,
                                      size_t *at, uint64_t *begin);

/* Symbol `at` of the table.  False: it is no function that the module defines. */
struct wpp_function_symbol { uint64_t address, size; const char *name; };
bool wpp_function_symbols_get(const struct wpp_function_symbols *s, size_t at,
                              struct wpp_function_symbol *out);

#endif
