/* SPDX-License-Identifier: MIT */
/* samples-request.h - what wpp-samples is asked for; the file that it writes. */
#ifndef WPP_SAMPLES_REQUEST_H
#define WPP_SAMPLES_REQUEST_H

#include "wpp/samples/samples-profile.h"

/* Hot paths have this share of all executions (Ball, Mataga and Sagiv 1998; the paper). */
#define SAMPLES_HOT_SHARE 0.00125

enum samples_format { SAMPLES_TEXT, SAMPLES_JSON };

struct samples_request {
    const char *output, *program, *samples;
    enum estimate_how how;
    enum samples_format format;
    uint64_t period, depth;    /* depth: 0 if it was not given */
    struct path_rules rules;
    bool force, quiet, offsets, accuracy, by_routine, plan, alike, layout, period_given;
};

/* Writes counts, each times `scale`, as a path profile; with `layout` as one for the compiler, and sets *figures.
 * Dies on failure. */
void samples_write(const struct samples_request *r, const struct address_map *map, const char *program,
                   struct path_graphs *graphs, const struct path_estimates *e, double scale,
                   struct samples_layout *figures);

/* The part in %, 0 of nothing. */
static inline double samples_percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

#endif
