/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inlined.h - finds the inlined function to which a statement belongs.
 *
 * GCC keeps the scopes of the source as trees of BLOCKs, and each location names its innermost
 * one.  An outer scope stands for an inlined call: it names the function and the place of the
 * call.  Scopes inside it are copies of the function's own.
 *
 * Without -g GCC may drop scopes that no statement names directly, also outer ones.  A remaining
 * scope of the function then still gives its name, because it is a copy.  But the place of the
 * call is unknown, and functions inlined between it and the routine may be missing.
 */
#ifndef WPP_INLINED_H
#define WPP_INLINED_H

#include "gcc-plugin/gcc-compat.h"

#include <map>
#include <tuple>
#include <vector>

#include "gcc-plugin/table/unit-table.h"

class inlined_calls {
public:
    inlined_calls(tree routine, unit_table &unit) : routine_(DECL_ORIGIN(routine)), unit_(unit) {}

    /* 0: the routine's own code; otherwise 1 + index into calls(). */
    uint32_t at(location_t where) { return of_scope(LOCATION_BLOCK(where)); }

    const std::vector<table_inlined> &calls() const { return calls_; }

private:
    uint32_t of_scope(tree scope);
    uint32_t find(tree scope);
    uint32_t add(tree function, uint32_t caller, location_t where);
    tree function(uint32_t call) const { return call ? functions_[call - 1] : routine_; }

    tree routine_;
    unit_table &unit_;
    std::vector<table_inlined> calls_;
    std::vector<tree> functions_;          /* of calls_ */
    std::map<std::tuple<tree, uint32_t, uint32_t, uint32_t>, uint32_t> numbers_;
    hash_map<tree, uint32_t> known_;       /* by scope */
};

#endif
