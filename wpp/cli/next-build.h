/* SPDX-License-Identifier: MIT */
/* next-build.h - which routines the next build should record paths in: `wpp-suspects --next`.
 *
 * HOLMES' adaptive way: a first build counts edges, or records a few routines.  The routines that its weak
 * predictors lie in are recorded by the next build, and those that call them or are called by them.
 */
#ifndef WPP_NEXT_BUILD_H
#define WPP_NEXT_BUILD_H

#include "wpp/runs/suspects.h"

enum next_why { NEXT_SUSPECT, NEXT_CALLER, NEXT_CALLEE };

struct next_routine {
    char *name;                /* as the plugin's include= takes it */
    char *shown;
    enum next_why why;
    double score;              /* of its best predicate; of a caller or callee: of that routine's */
    uint32_t predicate;        /* this predicate */
    uint32_t near;             /* of a caller or callee: which of these routines it is one of */
    bool is_recorded;          /* the runs have its paths in order already */
};

struct next_build {
    struct next_routine *routine;
    size_t n;
    size_t more;               /* routines with a score that did not fit in */
};

/* `ranking`: all predicates that have a score (suspect_request.all).  most: of suspects, and again of
 * routines near them.  Says it if a program's code cannot be read, and then leaves out what is near.  Dies
 * without memory. */
void next_build_find(struct next_build *out, const struct suspects *s, const struct ranking *ranking,
                     size_t most);
void next_build_free(struct next_build *b);

/* Whether a build of these routines records what no run of the store has. */
bool next_build_is_new(const struct next_build *b);

void next_build_text(const struct next_build *b);
void next_build_json(const struct next_build *b, const struct suspects *s);
/* What it is made of, in a line on standard error. */
void next_build_say(const struct next_build *b);

#endif
