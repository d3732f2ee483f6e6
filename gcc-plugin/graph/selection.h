/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection.h - which routines are instrumented, and why the others are not. */
#ifndef WPP_SELECTION_H
#define WPP_SELECTION_H

#include "gcc-plugin/gcc-compat.h"

#include <set>
#include <string>
#include <vector>

#include "gcc-plugin/table/unit-table.h"

class selection {
public:
    /* Takes the arguments include=, exclude= and min-size=.  False: it is none
     * of them, or its value is no good. */
    bool parse(const char *key, const char *value);

    /* To be called at the first routine's turn, whether that is wanted or not: GCC takes a
     * routine's calls out of the call graph when it compiles it. */
    void begin_unit(function *fun);

    /* TABLE_WANTED, or why the routine is left out. */
    table_reason judge(function *fun) const;

private:
    std::set<unsigned> early_;            /* by DECL_UID: they run before there is a cursor */
    std::vector<std::string> include_, exclude_;
    unsigned long min_size_ = 0;          /* in GCC's estimate of instructions */
};

/* Whether an IFUNC of the unit is resolved by this routine. */
bool is_resolver(tree decl);

/* A note to the user if -finstrument-functions makes the routine, which has no frame, break what
 * its callers have in registers: they may then go on for ever, and with them the trace. */
void tell_of_calls_in_naked(tree decl);

#endif
