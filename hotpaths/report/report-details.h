/* SPDX-License-Identifier: MIT */
/* report-details.h - an answer with its source: figures, paths, and its alternatives.
 *
 *       1  66.6 %  loop  dot in work  crowd.c:11-12
 *          the first alternative: 107 M instructions = 13,410,000 iterations of 8, ...
 *       A  work  crowd.c:11-12  path 23
 *              11 * for (int k = 0; k < N; k++)
 *       B  work  crowd.c:11-12,35  path 22
 *          2 alternatives, 66.6 % together; as letters, A9: nine times path A
 *             65.9 %  A again and again
 *             8.79 %  A9 B A28
 *
 * Of an answer of several subpaths each path is shown once, unless --verbose is given; the
 * alternatives tell in which order they ran.
 */
#ifndef WPP_REPORT_DETAILS_H
#define WPP_REPORT_DETAILS_H

#include "hotpaths/report/report-steps.h"

/* Whether the paths are shown in order, with repetitions. */
bool details_have_order(const struct report *r, const struct answer *a);

/* Writes the answer with this number; false: no memory. */
bool details_put(struct steps *t, size_t number);

#endif
