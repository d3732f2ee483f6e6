/* SPDX-License-Identifier: MIT */
/* code-calls.h - which functions of a module call which, by its code.
 *
 * Every place in a function's code where the bytes are a direct call or jump to the beginning of another
 * function counts as a call.  (By chance bytes of other instructions are such once in some million places.)
 * Calls through pointers, and those that go through the procedure linkage table, are not seen.
 *
 * Functions have their names without what GCC appends to clones and parts: `f.cold` is `f`.  The runtime's
 * thunks in front of callees are their callees.
 */
#ifndef WPP_CODE_CALLS_H
#define WPP_CODE_CALLS_H

#include "wpp/trace/elf.h"

struct code_call { uint32_t from, to; };       /* functions */

struct code_calls {
    char **name;               /* by function; each once, ascending (strcmp) */
    uint32_t n;
    struct code_call *call;    /* each once, ascending; never of a function by itself */
    size_t n_calls;
};

/* Reads the module at `path`, if it has this build id; no bytes: if it has none.  WPP_E_SYSTEM,
 * WPP_E_MEMORY, WPP_E_FORMAT; WPP_E_MISMATCH: it has another.  Without a symbol table it has no functions.
 * Cost: O(code log functions). */
bool code_calls_read(struct code_calls *out, const char *path, const uint8_t *build_id, size_t n_build_id,
                     struct wpp_error *error);
void code_calls_free(struct code_calls *c);

/* The function of a name, with or without what GCC appends; UINT32_MAX: there is none. */
uint32_t code_calls_find(const struct code_calls *c, const char *name);
/* How much of an assembler name is the function's own. */
size_t code_calls_name(const char *name);

#endif
