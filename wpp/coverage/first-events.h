/* SPDX-License-Identifier: MIT */
/* first-events.h - where in a run each path was executed for the first time. */
#ifndef WPP_FIRST_EVENTS_H
#define WPP_FIRST_EVENTS_H

#include "wpp/wpp.h"

struct first_event {
    uint32_t thread;           /* the first one with the path; UINT32_MAX: none has it */
    uint64_t event;            /* of that thread */
};

/* By terminal; the caller frees them.  NULL: no memory.  A path profile has no events: then all threads
 * are UINT32_MAX.  Cost: O(grammar); nothing is expanded. */
struct first_event *first_events(const wpp *w);

#endif
