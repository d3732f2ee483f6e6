/* SPDX-License-Identifier: MIT */
/* report.h - an analysis' answer as text for people, as JSON and as CSV (both are
 * described in docs/hotpaths.md). */
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
    const char *cost_unit;          /* the same for people: instructions, blocks, paths, ticks */
    const char *cost_origin;        /* who says so, in JSON; for people: cost_says */
    const char *cost_says;          /* what stands behind the unit */
    uint64_t clocked;               /* of the run, where that is not quite what all paths cost: ticks
                                     * before means were rounded; else 0 */
    const struct shown_list *shown; /* a subpath's rank is its place, from 1 */

    struct source_changes changes;  /* sources that are not any more what was compiled */

    /* For text only. */
    const struct answers *answers;  /* an answer's number is its place, from 1 */
    size_t details;                 /* of so many answers there are details */
    unsigned columns;               /* no line is longer; 0: as long as need be */
    bool color, verbose, full_names;
    bool system;                    /* lines of system headers as of others */
    const struct short_names *names;    /* the report's own */
    struct source_text *sources;
};

/* All write to r->out, whose errors are the caller's to check.  False when
 * there is no memory; the output has then been cut short. */
bool report_text(const struct report *r);
bool report_json(const struct report *r);
bool report_csv(const struct report *r);

/* The answer to a query: how often A came before B, or what stands beside B, the most
 * frequent paths.  Nothing of an analysis is needed. */
bool report_query(const struct report *r, const struct query *q);

/* Source listings with what each line cost in `thread` (UINT32_MAX: in all); nothing
 * of an analysis is needed. */
bool report_annotate(const struct report *r, uint32_t thread);

#endif
