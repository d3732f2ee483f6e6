// SPDX-License-Identifier: GPL-3.0-or-later
// inlined.cc - reads GCC's trees of scopes; see inlined.h.

#include "gcc-plugin/graph/inlined.h"

#include "gcc-plugin/graph/symbol.h"

// The name by which the rest of the table names a routine.  A C++ function that exists only in
// its copies (a constructor's common body) may have no assembler name, and must not get one
// here.
static const char *name_of(tree function)
{
    if (HAS_DECL_ASSEMBLER_NAME_P(function) && DECL_ASSEMBLER_NAME_SET_P(function))
        return symbol_of(function);
    return lang_hooks.decl_printable_name(function, 1);
}

// The function whose outermost scope `scope` is, or is a copy of; NULL: unknown.
static tree copied_from(tree scope)
{
    tree origin = BLOCK_ABSTRACT_ORIGIN(scope);

    // In link-time optimisation a copy may name only itself as its origin.
    if (!origin || origin == scope)
        return NULL_TREE;
    while (origin && TREE_CODE(origin) == BLOCK)
        origin = BLOCK_SUPERCONTEXT(origin);
    return origin && TREE_CODE(origin) == FUNCTION_DECL ? DECL_ORIGIN(origin) : NULL_TREE;
}

uint32_t inlined_calls::add(tree function, uint32_t caller, location_t where)
{
    table_inlined call = {unit_.intern(name_of(function)), caller, 0, 0};

    if (!compat_no_location(LOCATION_LOCUS(where))) {
        call.file = unit_.intern_file(LOCATION_FILE(where));
        call.line = LOCATION_LINE(where);
    }
    uint32_t &number = numbers_[{function, caller, call.file, call.line}];
    if (number == 0) {
        calls_.push_back(call);
        functions_.push_back(function);
        number = calls_.size();
    }
    return number;
}

uint32_t inlined_calls::find(tree scope)
{
    uint32_t outside = of_scope(BLOCK_SUPERCONTEXT(scope));
    tree function = copied_from(scope);

    if (!function)
        return outside;
    if (inlined_function_outer_scope_p(scope))
        return add(function, outside, BLOCK_SOURCE_LOCATION(scope));
    return function == this->function(outside) ? outside
                                               : add(function, outside, UNKNOWN_LOCATION);
}

uint32_t inlined_calls::of_scope(tree scope)
{
    if (!scope || TREE_CODE(scope) != BLOCK)
        return 0;
    if (uint32_t *known = known_.get(scope))
        return *known;
    uint32_t call = find(scope);
    known_.put(scope, call);
    return call;
}
