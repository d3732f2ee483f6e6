/* SPDX-License-Identifier: MIT */
/* report-table.h - the first screen: a line for each answer, and the meaning of its columns.
 *
 *      crowd.wpp: 27 hot subpaths in 2 answers make up 87.9 % of 163 M instructions by GCC's
 *      estimate
 *
 *       #     own   paths    cost   times  kind      where
 *       1  66.6 %  67.1 %   108 M  13.4 M  loop      dot in work  crowd.c:11-12
 */
#ifndef WPP_REPORT_TABLE_H
#define WPP_REPORT_TABLE_H

#include "hotpaths/report/answer-place.h"
#include "hotpaths/report/report.h"

/* Whole iterations in the pieces of a subpath; 0: its occurrences do not overlap. */
uint64_t table_iterations(const struct hot_subpath *p);

/* Writes `dot in work  crowd.c:11-12, others` into the rest of the line after `used` columns. */
void table_put_where(const struct report *r, const struct answer_place *p, size_t used);

/* Writes text in lines of at most `columns` (0: one line), each indented by `indented` blanks;
 * `taken` columns of the first line are already used. */
void table_put_wrapped(const struct report *r, const char *text, size_t columns, size_t taken,
                       size_t indented);

/* False: no memory. */
bool table_put_heading(const struct report *r);
bool table_put(const struct report *r);
void table_put_legend(const struct report *r);

#endif
