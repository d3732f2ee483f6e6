/* SPDX-License-Identifier: MIT */
/* answer-groups.h - hot subpaths that are one loop with its alternatives are one answer.
 *
 * Hot subpaths come in order of their rank.  Each joins the first one above it that leads a group
 * and of which it is an *alternative*; if there is none it leads a group of its own.  Two subpaths
 * are alternatives when
 *
 *   1. they have the same *scope*: the loop that they repeat most often, or, if they repeat none,
 *      the routine that calls their other routines; and
 *   2. their common paths make up more than half of the cost of one execution, for both.
 *
 * Neither the order of the paths matters nor where in the loop a subpath begins:
 *
 *      A A A B C A    A A B C A A    A B C A A A     one group: all paths are common
 *      A A A A A A                                   joins: A is most of what each costs
 *      A B D D D D                                   another: A and B are less than half of it
 */
#ifndef WPP_ANSWER_GROUPS_H
#define WPP_ANSWER_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report/outline.h"

#define SCOPE_NO_LOOP UINT32_MAX

struct answer_scope {
    uint32_t routine;           /* WPP_NO_ROUTINE: symbols without routine */
    uint32_t header;            /* the target of the loop's back edges, or SCOPE_NO_LOOP */
};

/* The scope of the first n steps.  Of loops repeated equally often, the first one; if there are
 * very many, one of the first. */
struct answer_scope answer_scope(const wpp *w, const struct outline *s, size_t n);

struct grouped {
    struct hot_string string;
    struct answer_scope scope;
    size_t leader;              /* result: the index of the first of its group, perhaps its own */
};

/* Finds all leaders.  HOT_OK or HOT_E_MEMORY. */
int answers_group(struct grouped *a, size_t n, const uint64_t *cost, uint32_t n_terminals);

#endif
