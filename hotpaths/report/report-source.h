/* SPDX-License-Identifier: MIT */
/* report-source.h - the source of one path as text.
 *
 * Executed lines are marked `*`.  Lines that are close to each other form a passage, which is shown
 * including the lines between.  Passages come in the order in which they were first executed, with
 * `:` between them.  So inlined code is shown where it ran, under the name of its function:
 *
 *         20 * k = partition(a, n);
 *      swap, inlined at line 13, swap.h:
 *          4 * int t = *x;
 *      sort.c:
 *         21 * sort(a, k);
 */
#ifndef WPP_REPORT_SOURCE_H
#define WPP_REPORT_SOURCE_H

#include "hotpaths/report/executed-lines.h"
#include "hotpaths/report/report.h"

/* The most lines between executed ones within a passage. */
enum { REPORT_CONTEXT = 3 };

/* Sources that could not be shown as they were compiled; set, never cleared. */
struct report_doubts {
    bool missing;           /* some file was not found */
    bool newer;             /* some file is newer than the run */
    bool system;            /* some line is a system header's */
};

/* When the run began, in seconds since 1970; UINT64_MAX: unknown. */
uint64_t report_started(const struct report *r);

/* Writes the remarks about them below a report. */
void report_put_doubts(const struct report *r, const struct report_doubts *doubts);

/* False: no memory. */
bool report_source(const struct report *r, const struct wpp_routine *routine,
                   const struct executed_lines *lines, size_t columns, uint64_t started,
                   struct report_doubts *doubts);

#endif
