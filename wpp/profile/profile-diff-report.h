/* SPDX-License-Identifier: MIT */
/* profile-diff-report.h - two path profiles side by side as text, JSON or CSV. */
#ifndef WPP_PROFILE_DIFF_REPORT_H
#define WPP_PROFILE_DIFF_REPORT_H

#include "wpp/profile/profile-diff.h"
#include "wpp/profile/table-text.h"

struct diff_report {
    struct table_text text;    /* JSON and CSV: its `out` alone */
    const char *path[2];       /* of the files */
    const struct profile_diff *d;
    uint64_t top;              /* rows of each table; 0: the default */
    /* Rows that differ, the greatest difference of executions first: of diff_report_take(). */
    uint32_t *routine, n_routines, *row, n_rows;
    uint64_t *distance;        /* of each routine: the sum of its paths' differences */
};

/* False without memory. */
bool diff_report_take(struct diff_report *r);
void diff_report_free(struct diff_report *r);

/* All write to `text.out`, whose errors are the caller's to check.  False: no memory. */
bool diff_report_text(const struct diff_report *r);
bool diff_report_json(const struct diff_report *r);
bool diff_report_csv(const struct diff_report *r);

#endif
