/* SPDX-License-Identifier: MIT */
/* coverage-report.h - coverage as text or JSON. */
#ifndef WPP_COVERAGE_REPORT_H
#define WPP_COVERAGE_REPORT_H

#include "wpp/coverage/coverage.h"
#include "wpp/coverage/mcdc.h"
#include "wpp/coverage/missed-paths.h"
#include "wpp/coverage/path-origins.h"
#include "wpp/coverage/prime-counts.h"
#include "wpp/profile/table-text.h"

enum coverage_table {
    COVERAGE_FILES = 1 << 0,
    COVERAGE_ROUTINES = 1 << 1,
    COVERAGE_LINES = 1 << 2,
    COVERAGE_BRANCHES = 1 << 3,
    COVERAGE_PATHS = 1 << 4,
    COVERAGE_PRIME = 1 << 5,
    COVERAGE_MCDC = 1 << 6
};

struct coverage_report {
    struct table_text text;    /* JSON: its `out` alone */
    const struct coverage *c;
    unsigned tables;           /* enum coverage_table */
    const bool *chosen;        /* by routine of the coverage; NULL: all */
    uint64_t top;              /* rows of a table */
    bool all;                  /* lines, branches and paths that were executed, too */
    const struct missed_paths *missed;         /* with COVERAGE_PATHS */
    const struct path_origin *origin;          /* likewise */
    const struct prime_counts *prime;          /* with COVERAGE_PRIME */
    const struct mcdc *mcdc;                   /* with COVERAGE_MCDC */
};

/* They write to `text.out`; the caller checks for its errors.  False: no memory. */
bool coverage_text(struct coverage_report *r);
bool coverage_json(const struct coverage_report *r);

/* Whether a routine is one of those asked for; and a line, which is if it lies in one. */
bool coverage_shows(const struct coverage_report *r, uint32_t routine);
bool coverage_shows_line(const struct coverage_report *r, uint32_t file, uint32_t line);

/* With COVERAGE_PATHS: path-text.c.  False: no memory. */
bool coverage_paths_text(const struct coverage_report *r);
/* With COVERAGE_PRIME: prime-text.c. */
bool coverage_prime_text(const struct coverage_report *r);
/* With COVERAGE_MCDC: mcdc-text.c. */
bool coverage_mcdc_text(const struct coverage_report *r);

/* ` to line 12`, ` to other.c:12`, ` out of the routine`: where a block's way leads. */
void coverage_put_target(FILE *out, const struct wpp_routine *routine, const struct wpp_line *from,
                         uint32_t block);

#endif
