/* SPDX-License-Identifier: MIT */
/* profile-report.h - a profile as text, JSON or CSV. */
#ifndef WPP_PROFILE_REPORT_H
#define WPP_PROFILE_REPORT_H

#include "wpp/profile/call-contexts.h"
#include "wpp/profile/parts.h"
#include "wpp/profile/table-text.h"
#include "wpp/replay/source-changes.h"

enum profile_sort { SORT_INCLUSIVE, SORT_SELF, SORT_CALLS, SORT_NAME };

/* A source line: instructions, and executions as line-counts.h has them (LINE_EXECUTIONS). */
struct profile_line {
    const char *file;
    uint32_t line;
    double insns;
    uint64_t executions;
};

/* The content of the report; tables that were not asked for are NULL. */
struct profile_report {
    struct table_text text;    /* JSON and CSV: its `out` alone */
    const wpp *w;
    const char *path;          /* of the WPP */
    const struct run_costs *costs;
    uint32_t thread;           /* the thread of the report; UINT32_MAX: all */
    const struct parts *parts;
    const uint32_t *function;  /* numbers of parts, in order */
    uint32_t n_functions, all_functions;
    const uint32_t *loop;
    uint32_t n_loops, all_loops;
    const struct profile_line *line;
    size_t n_lines, all_lines;
    const struct source_changes *changes;      /* only for JSON */
    const struct call_contexts *contexts;
    bool callers;              /* the contexts are callers */
};

/* All write to `text.out`; the caller checks for its errors.  False: no memory. */
bool profile_text(const struct profile_report *r);
bool profile_json(const struct profile_report *r);
bool profile_csv(const struct profile_report *r);

#endif
