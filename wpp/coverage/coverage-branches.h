/* SPDX-License-Identifier: MIT */
/* coverage-branches.h - the branches of one routine: edges out of blocks that have several. */
#ifndef WPP_COVERAGE_BRANCHES_H
#define WPP_COVERAGE_BRANCHES_H

#include <stddef.h>

#include "wpp/wpp.h"

struct routine_branch {
    uint32_t block, to;
    uint64_t count, reached;
    bool throws, falls;
};

/* By block, then target.  `block` and `edge` are the executions of the routine's.  The caller frees
 * *out.  False: no memory. */
bool routine_branches(const struct wpp_routine *routine, const uint64_t *block,
                      const uint64_t *edge, struct routine_branch **out, size_t *n);

/* The line at which gcov shows a block's branches: the greatest of the last lines of one file.  NULL:
 * it shows none. */
const struct wpp_line *routine_branch_line(const struct wpp_routine *routine, uint32_t block);

#endif
