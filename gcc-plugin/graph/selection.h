/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection.h - decides which routines are instrumented, and keeps the reason for the others. */
#ifndef WPP_SELECTION_H
#define WPP_SELECTION_H

#include "gcc-plugin/gcc-compat.h"

#include <set>
#include <string>
#include <vector>

#include "gcc-plugin/table/unit-table.h"

class selection {
public:
    /* Takes the arguments include=, exclude= and min-size=.  False: another argument, or a bad
     * value. */
    bool parse(const char *key, const char *value);

    /* To be called before the first routine, also if that one is not wanted: GCC takes a
     * routine's calls out of the call graph when it compiles it. */
    void begin_unit(function *fun);

    /* TABLE_WANTED, or the reason for which the routine is left out. */
    table_reason judge(function *fun) const;

private:
    std::set<unsigned> early_;            /* by DECL_UID: routines that run before there is a
                                             cursor */
    std::vector<std::string> include_, exclude_;
    unsigned long min_size_ = 0;          /* in GCC's estimate of instructions */
};

/* Whether an IFUNC of the unit is resolved by this routine. */
bool is_resolver(tree decl);

/* Warns the user if -finstrument-functions breaks a routine without frame: its inserted calls
 * overwrite its callers' registers.  The callers, and with them the trace, may then go on for
 * ever. */
void tell_of_calls_in_naked(tree decl);

#endif
