/* SPDX-License-Identifier: MIT */
/* run-diff-report.h - where two runs part, and what they executed differently, as text or JSON. */
#ifndef WPP_RUN_DIFF_REPORT_H
#define WPP_RUN_DIFF_REPORT_H

#include "wpp/compare/run-counts.h"
#include "wpp/compare/run-diff.h"
#include "wpp/profile/table-text.h"

struct run_diff_report {
    struct table_text text;        /* JSON: its `out` alone */
    const char *path[2];           /* of the files */
    const struct run_diff *d;
    const struct run_counts *counts;   /* NULL: they are not shown */
    uint64_t top;                  /* rows of each table; 0: the default */
};

/* All write to `text.out`, whose errors are the caller's to check.  False: no memory. */
bool run_diff_text(const struct run_diff_report *r);
bool run_diff_json(const struct run_diff_report *r);

/* ---- What both say ------------------------------------------------------------------------- */

/* A routine and a line that was executed in it; either may be NULL. */
struct run_place {
    const struct wpp_routine *routine;
    const struct wpp_line *line;
};

/* Where A and B were when they parted: what both executed last.  Of two paths of one routine, that is
 * the last line before they differ. */
struct run_place run_diff_place(const struct run_diff *d, const struct parting *x);

/* Where an activation on the stack of a side has come to. */
struct run_place run_diff_frame_place(const struct run_diff *d, const struct parting *x,
                                      unsigned side, size_t frame);

/* Rows of a table that are shown. */
size_t run_diff_rows(const struct run_diff_report *r, const struct count_rows *rows);

#endif
