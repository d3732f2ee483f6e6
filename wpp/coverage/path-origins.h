/* SPDX-License-Identifier: MIT */
/* path-origins.h - in which input each executed path was executed first, and where in it. */
#ifndef WPP_PATH_ORIGINS_H
#define WPP_PATH_ORIGINS_H

#include "wpp/coverage/coverage.h"
#include "wpp/coverage/first-events.h"

struct path_origin {
    uint32_t path;             /* of the program (cover_program.path): its input and terminal */
    struct first_event first;  /* of that input; no thread: it is a path profile */
};

/* By path of the coverage, of the first input with it that has an order of events, if one has.  The
 * caller frees them.  NULL: no memory.  Cost: O(grammars of the inputs). */
struct path_origin *path_origins(const struct coverage *c);

/* The index of a path of the coverage; UINT32_MAX: it was not executed. */
uint32_t coverage_find_path(const struct coverage *c, uint32_t routine, uint64_t number);

#endif
