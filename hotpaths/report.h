/* SPDX-License-Identifier: MIT */
/* report.h - an analysis' answer as text for people and as JSON (the schema is
 * in docs/hotpaths.md). */
#ifndef WPP_HOT_REPORT_H
#define WPP_HOT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/source-text.h"

struct report {
    FILE *out;
    const wpp *w;
    const char *file_name;
    const hot_result *result;
    const struct hot_config *config;
    const char *cost_name;          /* insns, blocks, paths */
    const char *cost_unit;          /* the same for people: instructions, blocks, paths */
    size_t top;                     /* subpaths to be shown */
    bool color;                     /* text only */
    struct source_text *sources;    /* text only */
};

/* Both write to r->out, whose errors are the caller's to check.  False when
 * there is no memory; the output has then been cut short. */
bool report_text(const struct report *r);
bool report_json(const struct report *r);

#endif
