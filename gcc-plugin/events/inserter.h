/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inserter.h - inserts statements in order, at one point of a block. */
#ifndef WPP_INSERTER_H
#define WPP_INSERTER_H

#include "gcc-plugin/gcc-compat.h"

struct inserter {
    gimple_stmt_iterator at;
    bool after;           /* the statements come behind the one at `at`, otherwise before it */

    void add(gimple *statement)
    {
        if (after)
            gsi_insert_after(&at, statement, GSI_NEW_STMT);
        else
            gsi_insert_before(&at, statement, GSI_SAME_STMT);
    }
    /* A new name for the result. */
    tree compute(tree type, tree_code code, tree left, tree right = NULL_TREE)
    {
        tree name = make_ssa_name(type);
        add(right ? gimple_build_assign(name, code, left, right)
                  : gimple_build_assign(name, code, left));
        return name;
    }
};

#endif
