/* SPDX-License-Identifier: MIT */
/* report-table.h - the first screen: a line for each answer, and what its columns mean.
 *
 *      crowd.wpp: 27 hot subpaths in 2 answers make up 87.9 % of 163 M instructions by GCC's estimate
 *
 *       #     own   paths    cost   times  kind      where
 *       1  66.6 %  67.1 %   108 M  13.4 M  loop      dot in work  crowd.c:11-12
 */
#ifndef WPP_REPORT_TABLE_H
#define WPP_REPORT_TABLE_H

#include "hotpaths/report/answer-place.h"
#include "hotpaths/report/report.h"

/* Whole iterations in the pieces that a subpath's places make up; 0: they do not overlap. */
uint64_t table_iterations(const struct hot_subpath *p);

/* `dot in work  crowd.c:11-12, others` in what is left of the line behind `used` columns. */
void table_put_where(const struct report *r, const struct answer_place *p, size_t used);

/* Text in lines of at most `columns` (0: one line) that begin behind `indented` blanks; so many
 * columns of the first line are taken. */
void table_put_wrapped(const struct report *r, const char *text, size_t columns, size_t taken,
                       size_t indented);

/* False when there is no memory. */
bool table_put_heading(const struct report *r);
bool table_put(const struct report *r);
void table_put_legend(const struct report *r);

#endif
