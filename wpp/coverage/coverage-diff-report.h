/* SPDX-License-Identifier: MIT */
/* coverage-diff-report.h - the difference of two coverages as text or JSON. */
#ifndef WPP_COVERAGE_DIFF_REPORT_H
#define WPP_COVERAGE_DIFF_REPORT_H

#include "wpp/coverage/coverage-diff.h"
#include "wpp/coverage/coverage-report.h"

struct coverage_diff_report {
    struct table_text text;    /* JSON: its `out` alone */
    const struct coverage_diff *d;
    unsigned tables;           /* enum coverage_table */
    uint64_t top;
};

/* They write to `text.out`; the caller checks for its errors.  False: no memory. */
bool coverage_diff_text(struct coverage_diff_report *r);
bool coverage_diff_json(const struct coverage_diff_report *r);

#endif
