/* SPDX-License-Identifier: MIT */
/* report.h - the result of an analysis as text for people, as JSON and as CSV (docs/hotpaths.md
 * describes both). */
#ifndef WPP_REPORT_H
#define WPP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report/answer-shares.h"
#include "hotpaths/report/query.h"
#include "wpp/replay/short-names.h"
#include "hotpaths/report/shown-answers.h"
#include "hotpaths/report/source-text.h"

struct report {
    FILE *out;
    const wpp *w;
    const char *file_name;
    const hot_result *result;
    const struct hot_config *config;
    const char *cost_name;          /* insns, blocks, paths, time */
    const char *cost_unit;          /* the same in text: instructions, blocks, paths, ticks */
    const char *cost_origin;        /* the source of the costs, in JSON; in text: cost_says */
    const char *cost_says;          /* the text behind the unit */
    uint64_t clocked;               /* of the run, if not quite the sum of all paths' costs:
                                       ticks before means were rounded; else 0 */
    const struct shown_list *shown; /* a subpath's rank is its position, from 1 */

    struct source_changes changes;  /* sources that have changed since they were compiled */

    /* Only for text. */
    const struct answers *answers;  /* an answer's number is its position, from 1 */
    size_t details;                 /* how many answers have details */
    bool whole_details;             /* all their paths; else as many as one likes to read */
    unsigned columns;               /* the most columns of a line; 0: no limit */
    bool color, verbose, full_names;
    bool system;                    /* treat lines of system headers as others */
    const struct short_names *names;    /* owned by the report */
    struct source_text *sources;
};

/* All write to r->out; the caller checks for its errors.  False: no memory; then the output is cut
 * short. */
bool report_text(const struct report *r);
bool report_json(const struct report *r);
bool report_csv(const struct report *r);

/* Writes the answer to a query: how often A came before B, or the most frequent paths beside B.
 * Needs no result of an analysis. */
bool report_query(const struct report *r, const struct query *q);

/* Writes source listings with the cost of each line in `thread` (UINT32_MAX: in all).  Needs no
 * result of an analysis. */
bool report_annotate(const struct report *r, uint32_t thread);

#endif
