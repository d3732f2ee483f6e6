/* SPDX-License-Identifier: MIT */
/* path-report.h - a path profile as text, JSON or CSV.
 *
 *      path_report_take    which rows, in which order
 *      path_report_text, _json, _csv
 */
#ifndef WPP_PATH_REPORT_H
#define WPP_PATH_REPORT_H

#include "wpp/profile/line-counts.h"
#include "wpp/profile/path-profile.h"
#include "wpp/profile/table-text.h"

enum path_sort {
    PATH_SORT_COST, PATH_SORT_COUNT, PATH_SORT_PATHS, PATH_SORT_CALLS, PATH_SORT_NAME
};

enum path_table {
    PATH_TABLE_ROUTINES = 1,
    PATH_TABLE_HOT = 2,        /* paths with a share of the flow */
    PATH_TABLE_PATHS = 4,      /* all executed paths */
    PATH_TABLE_BLOCKS = 8,
    PATH_TABLE_EDGES = 16,
    PATH_TABLE_LINES = 32
};

struct path_request {
    unsigned tables;           /* enum path_table */
    enum path_sort sort;       /* of routines; blocks and edges follow them */
    const bool *chosen;        /* by routine: only these; NULL: all */
    double min_share;          /* of PATH_TABLE_HOT, in percent of the flow of the whole profile */
    uint64_t top;              /* rows of each table; 0: the default of each */
};

/* Executions of a block, or of an edge of the control-flow graph: a DAG edge but those that only
 * begin paths. */
struct path_part {
    uint32_t routine, number;  /* of the block or DAG edge */
    uint64_t count;
    uint64_t of;               /* an edge: executions of the block it leaves */
};

struct path_rows { uint32_t *row; uint32_t n, all; };
struct path_parts { struct path_part *row; uint32_t n, all; };

struct path_report {
    struct table_text text;    /* JSON and CSV: its `out` alone */
    const char *path;          /* of the file */
    const struct path_profile *p;
    struct path_request request;
    struct path_rows routines; /* numbers of routines */
    struct path_rows paths;    /* indices of p->path, the most frequent first */
    uint64_t hot_count;        /* executions of all hot paths, also of those that are not shown */
    double hot_cost;
    struct path_parts blocks, edges;
    struct line_counts lines;
    size_t n_lines;            /* that are shown */
};

/* Fills in all below `request`.  False without memory. */
bool path_report_take(struct path_report *r);
void path_report_free(struct path_report *r);

/* All write to `text.out`, whose errors are the caller's to check.  False: no memory. */
bool path_report_text(const struct path_report *r);
bool path_report_json(const struct path_report *r);
bool path_report_csv(const struct path_report *r);

/* "paths that calls cut": of enum wpp_profile_kind. */
const char *path_kind_text(uint32_t kind);
/* "back", "call": how control leaves a block by an edge; "" for ordinary ones. */
const char *path_edge_text(uint32_t kind);
/* Where control goes on: the block, or UINT32_MAX: unknown. */
uint32_t path_edge_target(const struct wpp_edge *e);

/* `, WORD 3`, or where the activation was left: `, WORD 3 until block 5, left in its call`. */
void path_put_number(FILE *out, const char *word, const struct wpp_routine *r,
                     const struct wpp_terminal *t);
/* The lines of a block, `a.c:3-6 9`, at most max_runs runs (0: all). */
void path_put_block_lines(FILE *out, const struct wpp_block *b, size_t max_runs);
/* Those of a path in execution order.  False without memory. */
bool path_put_lines(FILE *out, const wpp *w, uint32_t terminal, size_t max_runs);

#endif
